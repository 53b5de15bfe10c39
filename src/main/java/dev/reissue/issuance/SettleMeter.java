package dev.reissue.issuance;

import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;

/** What settling counts. Any thread; implementations neither block nor throw. */
public interface SettleMeter extends FlushMeter {

    /** Counts nothing. */
    SettleMeter NOOP = new SettleMeter() {};

    /** An item was answered. */
    default void answered(SettleKind kind, SettleOutcome outcome) {}

    /** A call was refused for bad items; nothing was changed. */
    default void rejected(SettleKind kind, int badItems) {}
}
