package dev.reissue.ledger;

import java.util.Locale;

/** The outcome of one confirm, abandon or void; {@link #code()} is its stable name in answers and metrics. */
public enum SettleOutcome {
    /** Confirmed, now or by an earlier repeat. */
    CONFIRMED(true),
    /** Abandoned now. */
    ABANDONED(true),
    /** Declared void, now or by an earlier repeat. */
    VOIDED(true),
    /** An abandon repeated (harmless), or a confirm after an explicit abandon (refused). */
    ALREADY_ABANDONED(false),
    /** An abandon or void by its holder of a number that was confirmed before. */
    ALREADY_CONFIRMED(false),
    /** The number has meanwhile been issued to another holder. */
    SUPERSEDED(false),
    /** Without a ticket only a number of generation 0 in a sealed batch can be settled. */
    TICKET_REQUIRED(false),
    /** No number like this was ever handed out. */
    NEVER_ISSUED(false),
    /** The number was retired. */
    RETIRED(false),
    /** The number was declared void. */
    VOID(false),
    /** The number is a dead letter and can no longer be confirmed. */
    DEAD(false);

    private final boolean accepted;
    private final String code;

    SettleOutcome(boolean accepted) {
        this.accepted = accepted;
        this.code = name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the stable name, such as {@code already-abandoned}. */
    public String code() {
        return code;
    }

    /**
     * Tells whether the caller got what it asked for. A repeated abandon is harmless too, so for {@link SettleKind#ABANDON} the
     * outcome {@link #ALREADY_ABANDONED} counts as accepted.
     */
    public boolean accepted(SettleKind kind) {
        return accepted || (this == ALREADY_ABANDONED && kind == SettleKind.ABANDON);
    }
}
