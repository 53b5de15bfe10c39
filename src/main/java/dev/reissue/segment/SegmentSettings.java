package dev.reissue.segment;

import java.time.Duration;

/**
 * The bounds and times of a segment buffer. Immutable, any thread.
 *
 * @param waitMax how long a request waits for a refill
 * @param waitingMax how many requests of one sequence may wait
 * @param leaseBatchesMax how many batches one lease may ask for
 * @param stockMax how many numbers a buffer leases ahead at most
 * @param idleReturn stock that is not needed for so long is returned
 * @param exhaustedRecheck how long an exhausted sequence is not asked again
 * @param tick how often {@link SegmentBuffer#tick()} is called
 * @param busyPerSecond from this rate on a batch that becomes too old is replaced before it is closed
 * @param backoff the pause after the first failed lease; it doubles with each further one
 * @param backoffMax the longest pause
 */
public record SegmentSettings(
        Duration waitMax,
        int waitingMax,
        int leaseBatchesMax,
        long stockMax,
        Duration idleReturn,
        Duration exhaustedRecheck,
        Duration tick,
        double busyPerSecond,
        Duration backoff,
        Duration backoffMax) {

    /** The defaults. */
    public static final SegmentSettings DEFAULTS = new SegmentSettings(
            Duration.ofSeconds(1),
            10_000,
            256,
            1_000_000,
            Duration.ofSeconds(60),
            Duration.ofSeconds(1),
            Duration.ofMillis(100),
            20,
            Duration.ofMillis(50),
            Duration.ofSeconds(1));

    /** Checks the settings. */
    public SegmentSettings {
        requirePositive("waitMax", waitMax.toNanos());
        requirePositive("waitingMax", waitingMax);
        requirePositive("leaseBatchesMax", leaseBatchesMax);
        requirePositive("stockMax", stockMax);
        requirePositive("idleReturn", idleReturn.toNanos());
        requirePositive("exhaustedRecheck", exhaustedRecheck.toNanos());
        requirePositive("tick", tick.toNanos());
        requirePositive("backoff", backoff.toNanos());
        if (!(busyPerSecond > 0)) {
            throw new IllegalArgumentException("busyPerSecond must be positive: " + busyPerSecond);
        }
        if (backoffMax.compareTo(backoff) < 0) {
            throw new IllegalArgumentException("backoffMax " + backoffMax + " is below backoff " + backoff);
        }
    }

    /** Returns the same settings with other bounds for waiting. */
    public SegmentSettings withWaiting(Duration max, int requests) {
        return new SegmentSettings(
                max,
                requests,
                leaseBatchesMax,
                stockMax,
                idleReturn,
                exhaustedRecheck,
                tick,
                busyPerSecond,
                backoff,
                backoffMax);
    }

    /** Returns the same settings with other bounds for leasing ahead. */
    public SegmentSettings withLeasing(int batches, long numbers) {
        return new SegmentSettings(
                waitMax,
                waitingMax,
                batches,
                numbers,
                idleReturn,
                exhaustedRecheck,
                tick,
                busyPerSecond,
                backoff,
                backoffMax);
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive: " + value);
        }
    }
}
