package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How fast a sequence is used and how long a lease takes, and what follows from both: when to lease and how much. One thread at a
 * time writes; {@link #rate} is read by any.
 *
 * <p>The rate follows a rise within a few samples and a fall within seconds: a buffer that leases too late makes callers wait,
 * one that leases too much only returns some numbers. Samples are differences of cursor positions, so that takers count nothing.
 */
final class Demand {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long SAMPLE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final double RISE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final double FALL_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long JUST_NOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** One burst is no load: only from the second sample in a row on, numbers are leased ahead. */
    private static final int ACTIVE_SAMPLES_MIN = 2;

    private static final double RATE_MIN = 0.01;

    private static final double LEASE_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final double LEASE_MAX_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final double LEASE_WEIGHT = 0.25;

    /** A lease brings what this many horizons need, so that leases are neither rare and huge nor permanent. */
    private static final int HORIZONS_AHEAD = 4;

    private final SegmentSettings settings;

    private long sampledNanos;
    private long sampledTotal;
    private long progressNanos;
    private double leaseNanos = LEASE_FIRST_NANOS;
    private long largestLeased = 1;
    private int lastBatches;
    private long lastLeasedNanos;
    private boolean leasedOnce;

    private long takenNanos;
    private int activeSamples;

    private volatile long definedBatchSize;
    private volatile double rate;
    private long lowWater;

    Demand(SegmentSettings settings, long definedBatchSize, long nowNanos) {
        this.settings = settings;
        this.definedBatchSize = definedBatchSize;
        this.takenNanos = nowNanos;
        this.sampledNanos = nowNanos;
        this.progressNanos = nowNanos;
    }

    /** Takes a sample of how many numbers were handed out in all, unless the last one was just now. */
    void sample(long nowNanos, long total) {
        long elapsed = nowNanos - sampledNanos;
        if (elapsed < SAMPLE_MIN_NANOS) {
            return;
        }
        long taken = Math.max(0, total - sampledTotal);
        double seen = taken * NANOS_PER_SECOND / elapsed;
        double weight = 1 - Math.exp((double) -elapsed / (seen > rate ? RISE_NANOS : FALL_NANOS));
        double next = rate + (seen - rate) * weight;
        rate = next < RATE_MIN ? 0 : next;
        sampledNanos = nowNanos;
        sampledTotal = Math.max(sampledTotal, total);
        if (taken > 0) {
            activeSamples = nowNanos - takenNanos <= 2 * settings.tick().toNanos() ? activeSamples + 1 : 1;
            takenNanos = nowNanos;
            progressNanos = nowNanos;
        } else if (nowNanos - takenNanos > settings.tick().toNanos()) {
            activeSamples = 0;
        }
        lowWater = numbersAhead(1);
    }

    private long numbersAhead(int horizons) {
        if (activeSamples < ACTIVE_SAMPLES_MIN) {
            return 0;
        }
        double numbers = rate * horizons * horizonNanos() / NANOS_PER_SECOND;
        return Math.min(settings.stockMax(), (long) numbers);
    }

    /** Says how many values a batch has by the definition. Any thread. */
    void batchSize(long defined) {
        definedBatchSize = defined;
    }

    /** Learns from a lease that came. */
    void leased(long nowNanos, long tookNanos, List<BatchRange> ranges) {
        leaseNanos += (Math.min((double) tookNanos, LEASE_MAX_NANOS) - leaseNanos) * LEASE_WEIGHT;
        long largest = 1;
        for (BatchRange range : ranges) {
            largest = Math.max(largest, range.size());
        }
        largestLeased = largest;
        lastLeasedNanos = nowNanos;
        leasedOnce = true;
        progressNanos = nowNanos;
    }

    /**
     * Returns how many batches to lease now.
     *
     * @param stock numbers at hand
     * @param waiting numbers that requests wait for
     */
    int batches(long nowNanos, long stock, long waiting) {
        // Returned ranges are short pieces, and a definition may be out of date: the larger one leases too little, not
        // too much.
        long batchSize = Math.max(largestLeased, definedBatchSize);
        long ahead = numbersAhead(HORIZONS_AHEAD);
        long missing = Math.max(0, waiting + ahead - stock);
        long wanted = (missing + batchSize - 1) / batchSize;
        if (waiting > 0 && leasedOnce && nowNanos - lastLeasedNanos < horizonNanos()) {
            // The last lease did not even last until the rate could be told from it.
            wanted = Math.max(wanted, 2L * lastBatches);
        }
        long stockBound = Math.max(1, (settings.stockMax() + waiting - stock) / batchSize);
        lastBatches = (int) Math.max(1, Math.min(wanted, Math.min(stockBound, settings.leaseBatchesMax())));
        return lastBatches;
    }

    /** Tells whether anybody would notice a pause of a lease round trip: the rate is high and numbers were taken just now. */
    boolean isBusy(long nowNanos) {
        return rate >= settings.busyPerSecond() && nowNanos - takenNanos <= JUST_NOW_NANOS;
    }

    /** Returns numbers a second. */
    double rate() {
        return rate;
    }

    /** Returns the stock below which to lease. */
    long lowWater() {
        return lowWater;
    }

    /** Returns how long the stock has to last at least: two round trips, and until the next tick looks again. */
    long horizonNanos() {
        return 2 * (long) leaseNanos + settings.tick().toNanos();
    }

    /** Returns when a number was handed out last, as far as the samples tell, or batches came. */
    long progressNanos() {
        return progressNanos;
    }
}
