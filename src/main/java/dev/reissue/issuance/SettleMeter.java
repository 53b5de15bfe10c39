package dev.reissue.issuance;

import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;

/** What settling counts. Any thread; implementations neither block nor throw. */
public interface SettleMeter {

    /** Counts nothing. */
    SettleMeter NOOP = new SettleMeter() {};

    /** An item was answered. */
    default void answered(SettleKind kind, SettleOutcome outcome) {}

    /** A call was refused for bad items; nothing was changed. */
    default void rejected(SettleKind kind, int badItems) {}

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
