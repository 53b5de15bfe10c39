package dev.reissue.tenant;

import java.util.Locale;

/** What a key may be used for. The bits are stored. */
public enum Scope {
    /** Take numbers. */
    ISSUE(1),
    /** Confirm, abandon and declare void what one holds. */
    SETTLE(2),
    /** Look after sequences: closures, dead letters, recycling, and confirmed numbers that have to be void. */
    OPERATE(4),
    /** Make and change sequences and keys. */
    ADMIN(8);

    private final int bit;

    Scope(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }

    /** Returns the name that callers use. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
