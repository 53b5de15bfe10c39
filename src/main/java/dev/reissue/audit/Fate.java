package dev.reissue.audit;

/**
 * What became of a value, as an auditor sees it: the states of issued numbers, under their names and codes, and what can be said of
 * values that were not issued, or of which it is not known.
 */
public enum Fate {
    /** Handed out, or in a batch of a process that ended before it could say, and not yet settled. */
    ALLOCATED("allocated", 1),
    /** Confirmed by its holder. */
    CONFIRMED("confirmed", 2),
    /** Given up, or its confirm timeout is over; waits for the safety window. */
    ABANDONED("abandoned", 3),
    /** May be claimed for the next holder. */
    REPLAYABLE("replayable", 4),
    /** Claimed for, and perhaps handed to, the next holder. */
    REPLAYED("replayed", 5),
    /** Unused, and not to be issued again. */
    RETIRED("retired", 6),
    /** Declared void. */
    VOID("void", 7),
    /** Could not be recycled; waits for an operator. */
    DEAD("dead", 8),
    /** In a batch that is open at an instance, and not settled: whether it was handed out, only that instance knows. */
    LEASED("leased", 9),
    /** Was leased, came back without having been handed out, and is leased again before the counter moves. */
    RETURNED("returned", 10),
    /** Not reached by the counter yet, jumped over when the counter was raised, or before the sequence's first value. */
    NEVER_ISSUED("neverIssued", 11),
    /** The records do not say what became of it. That must not be. */
    UNACCOUNTED("unaccounted", 12);

    private static final Fate[] ALL = values();

    private final String key;
    private final int code;

    Fate(String key, int code) {
        this.key = key;
        this.code = code;
    }

    /** Returns the name under which values of this fate are counted. */
    public String key() {
        return key;
    }

    /** Returns the number of this fate in stores: 1 to 8 as for {@link dev.reissue.ledger.NumberState}, then 9 to 12. */
    public int code() {
        return code;
    }

    /**
     * Returns the fate with a code.
     *
     * @throws IllegalArgumentException if there is no such code
     */
    public static Fate ofCode(int code) {
        if (code < 1 || code > ALL.length) {
            throw new IllegalArgumentException("no fate has the code " + code);
        }
        return ALL[code - 1];
    }
}
