package dev.reissue.ledger;

/** What a caller asks for a number. */
public enum SettleKind {
    /** The number reached a committed record. */
    CONFIRM,
    /** The number will not be used by its holder. */
    ABANDON,
    /** The number is declared void and never issued again. */
    VOID
}
