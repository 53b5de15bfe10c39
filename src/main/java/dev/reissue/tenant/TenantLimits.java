package dev.reissue.tenant;

/** How much of everything a tenant may still have in this process. Any thread; wait-free. */
public final class TenantLimits {
    /** No limits. */
    public static final TenantLimits NONE = new TenantLimits(0);

    private final RateBucket numbers;
    private final RateBucket settled;
    private final RateBucket requests;

    /** Creates limits that let everything through until they are set. */
    TenantLimits(long nowNanos) {
        numbers = new RateBucket(nowNanos);
        settled = new RateBucket(nowNanos);
        requests = new RateBucket(nowNanos);
    }

    /** Sets this process's share of what a tenant may have, 0 for no limit. At least one a second is left to each process. */
    void share(int numbersPerSecond, int requestsPerSecond, int processes) {
        numbers.rate(share(numbersPerSecond, processes));
        settled.rate(share(numbersPerSecond, processes));
        requests.rate(share(requestsPerSecond, processes));
    }

    private static double share(int perSecond, int processes) {
        return perSecond == 0 ? 0 : Math.max(1.0, (double) perSecond / processes);
    }

    /**
     * Takes {@code count} of something, or nothing.
     *
     * @return 0, or after how many nanoseconds another try makes sense
     */
    public long take(Limit limit, int count, long nowNanos) {
        return bucket(limit).take(count, nowNanos);
    }

    /** Gives back what was taken and not used. */
    public void giveBack(Limit limit, int count) {
        bucket(limit).giveBack(count);
    }

    private RateBucket bucket(Limit limit) {
        return switch (limit) {
            case NUMBERS -> numbers;
            case SETTLED -> settled;
            case REQUESTS -> requests;
        };
    }
}
