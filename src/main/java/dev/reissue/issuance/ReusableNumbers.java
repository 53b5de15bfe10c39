package dev.reissue.issuance;

import org.jspecify.annotations.Nullable;

/**
 * Port: recycled numbers that this process has claimed and may hand out, served before fresh ones. Implemented by the recycle
 * package. Any thread; lock-free, no I/O: an empty stock is refilled in the background.
 */
public interface ReusableNumbers {

    /** A stock that is always empty. */
    ReusableNumbers NONE = sequenceId -> null;

    /**
     * Takes a claimed number out of the local stock, atomically: nobody else gets it any more.
     *
     * @return null where there is none at the moment
     */
    @Nullable
    Claimed poll(int sequenceId);

    /**
     * Takes back a number that {@link #poll} gave and that nobody was shown: a request for several numbers could not be served
     * as a whole. Where an implementation drops it instead, it times out like any other.
     */
    default void giveBack(int sequenceId, Claimed claimed) {}

    /**
     * A claimed number.
     *
     * @param batchId the batch that it was first issued from
     * @param value the value
     * @param generation the generation of this issue, 1 or more
     * @param claimSentNanos when the claim was sent, on the monotonic clock: the hand-out age counts from here
     * @param row what the implementation knows the number by, 0 where it has no need
     * @param version the version that this very claim left, 0 where the implementation has no need
     */
    record Claimed(long batchId, long value, int generation, long claimSentNanos, long row, long version) {
        /** Describes a number that cannot be taken back. */
        public Claimed(long batchId, long value, int generation, long claimSentNanos) {
            this(batchId, value, generation, claimSentNanos, 0, 0);
        }
    }
}
