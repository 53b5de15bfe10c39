package dev.reissue.ledger;

/** The state of an issued number, with the code under which the database stores it. */
public enum NumberState {
    /** Handed out and not yet settled. */
    ALLOCATED(1),
    /** Confirmed by its holder; never issued again. */
    CONFIRMED(2),
    /** Given up by its holder, or its confirm timeout is over; waits for the safety window. */
    ABANDONED(3),
    /** The window is over: the number may be claimed for the next holder. */
    REPLAYABLE(4),
    /** Claimed for, and perhaps handed to, the next holder. */
    REPLAYED(5),
    /** Unused, and not to be issued again: replay cap, age, or recycling is off. */
    RETIRED(6),
    /** Declared void by its holder or an operator. */
    VOID(7),
    /** Could not be recycled; waits for an operator. */
    DEAD(8);

    private static final NumberState[] BY_CODE = values();

    private final int code;

    NumberState(int code) {
        this.code = code;
    }

    /** Returns the stored code, 1 to 8. */
    public int code() {
        return code;
    }

    /**
     * Returns the state with a stored code.
     *
     * @throws IllegalArgumentException if there is no such code
     */
    public static NumberState ofCode(int code) {
        if (code < 1 || code > BY_CODE.length) {
            throw new IllegalArgumentException("no state has the code " + code);
        }
        return BY_CODE[code - 1];
    }
}
