package dev.reissue.ledger;

/** The delay before the next try: doubles with every failure up to a bound. Not thread-safe. */
public final class Backoff {
    private final long firstMs;
    private final long maxMs;
    private long nextMs;

    /** Creates it; the first delay comes first. */
    public Backoff(long firstMs, long maxMs) {
        if (firstMs < 1 || maxMs < firstMs) {
            throw new IllegalArgumentException("no delays from " + firstMs + " to " + maxMs + " ms");
        }
        this.firstMs = firstMs;
        this.maxMs = maxMs;
        this.nextMs = firstMs;
    }

    /** Returns the delay before the next try; the one after that is twice as long. */
    public long nextMs() {
        long delay = nextMs;
        nextMs = Math.min(maxMs, 2 * delay);
        return delay;
    }

    /** Tells whether nothing has failed since the last success. */
    public boolean isReset() {
        return nextMs == firstMs;
    }

    /** Starts with the first delay again. */
    public void reset() {
        nextMs = firstMs;
    }
}
