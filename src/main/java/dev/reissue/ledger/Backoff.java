package dev.reissue.ledger;

/** The delay before the next try: doubles with every failure up to a bound. Not thread-safe. */
final class Backoff {
    private final long firstMs;
    private final long maxMs;
    private long nextMs;

    Backoff(long firstMs, long maxMs) {
        if (firstMs < 1 || maxMs < firstMs) {
            throw new IllegalArgumentException("no delays from " + firstMs + " to " + maxMs + " ms");
        }
        this.firstMs = firstMs;
        this.maxMs = maxMs;
        this.nextMs = firstMs;
    }

    long nextMs() {
        long delay = nextMs;
        nextMs = Math.min(maxMs, 2 * delay);
        return delay;
    }

    /** Tells whether nothing has failed since the last success. */
    boolean isReset() {
        return nextMs == firstMs;
    }

    void reset() {
        nextMs = firstMs;
    }
}
