package dev.reissue.issuance;

/** What a {@link GroupCommit} counts. One event loop; implementations neither block nor throw. */
public interface FlushMeter {

    /** A call found the queue full or waited too long in it; nothing was sent. */
    default void overloaded(int items) {}

    /** A flush ended. */
    default void flushed(int items, long durationNanos, FlushEnd end) {}

    /** Items wait for the next flush. */
    default void waiting(int items) {}

    /** How a flush ended. */
    enum FlushEnd {
        /** Committed at the first try. */
        COMMITTED,
        /** Committed at the second try. */
        REPEATED,
        /** Failed; the callers were told what is known. */
        FAILED
    }
}
