package dev.reissue.segment;

import java.util.function.DoubleSupplier;

/** The pause after failures: it doubles up to a bound, and half of it is random. One thread at a time. */
final class Backoff {
    private final long firstNanos;
    private final long maxNanos;
    private final DoubleSupplier random;
    private int failures;

    /**
     * Creates a backoff.
     *
     * @param random gives values from 0 to 1
     */
    Backoff(long firstNanos, long maxNanos, DoubleSupplier random) {
        this.firstNanos = firstNanos;
        this.maxNanos = maxNanos;
        this.random = random;
    }

    /** Counts a failure and returns the pause after it. */
    long failed() {
        int doublings = Math.min(failures++, 20);
        long full = Math.min(maxNanos, firstNanos << doublings);
        return (long) (full * (0.5 + 0.5 * random.getAsDouble()));
    }

    /** Forgets the failures and returns how many there were. */
    int succeeded() {
        int before = failures;
        failures = 0;
        return before;
    }

    int failures() {
        return failures;
    }
}
