package dev.reissue.issuance;

import java.util.function.LongSupplier;

/**
 * The last check before numbers leave the process: take first, then check, then answer. A process that slept in between finds its
 * lease over or its numbers too old, and answers with a refusal instead of with a number that others have sealed long ago. Any
 * thread; no lock, no allocation.
 */
public final class HandOutGuard {
    private final LeaseView lease;
    private final long handOutMaxNanos;
    private final LongSupplier nanoClock;

    /**
     * Creates a guard.
     *
     * @param handOutMaxNanos the age from which a taken number may not leave any more, well under the confirm timeout
     * @throws IllegalArgumentException if it is not positive
     */
    public HandOutGuard(LeaseView lease, long handOutMaxNanos, LongSupplier nanoClock) {
        if (handOutMaxNanos <= 0) {
            throw new IllegalArgumentException("handOutMaxNanos must be positive: " + handOutMaxNanos);
        }
        this.lease = lease;
        this.handOutMaxNanos = handOutMaxNanos;
        this.nanoClock = nanoClock;
    }

    /** Tells whether it makes sense to take a number at all. */
    public boolean leaseValid() {
        return lease.valid();
    }

    /**
     * Tells whether numbers may leave now. To be called as the very last thing before the answer is written; where it says no,
     * the answer is {@link NextResult.Reason#FENCED} and the numbers time out.
     *
     * @param takenNanos when they were taken (when the claim was sent, for recycled ones), on the same monotonic clock
     */
    public boolean mayLeave(long takenNanos) {
        return lease.covers(takenNanos) && nanoClock.getAsLong() - takenNanos < handOutMaxNanos;
    }
}
