package dev.reissue.ledger;

/**
 * A store could not do what a port asked for. Outcomes that a caller may expect (a lost race, no such row) are values; this is
 * for faults.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final boolean passing;

    /** What is known about the effect of the failed call. */
    public enum Kind {
        /** Nothing was sent: no connection could be had, or the queue for one is full. Nothing has changed. */
        UNAVAILABLE,
        /** The statement was sent and refused by the server. Nothing has changed. */
        REFUSED,
        /** The statement was sent and no answer came: it may have been committed, or may still be. */
        UNKNOWN
    }

    /** Creates a fault with its cause; a refusal counts as lasting, everything else as passing. */
    public StoreException(Kind kind, String message, Throwable cause) {
        this(kind, kind != Kind.REFUSED, message, cause);
    }

    /** Creates a fault with its cause. */
    public StoreException(Kind kind, boolean passing, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.passing = passing;
    }

    /** Creates a fault that no other one caused. */
    public StoreException(Kind kind, String message) {
        super(message);
        this.kind = kind;
        this.passing = kind != Kind.REFUSED;
    }

    /** Returns what is known about the effect. */
    public Kind kind() {
        return kind;
    }

    /**
     * Tells whether the cause can go away by itself (a deadlock, a failover, a server that is away or overloaded), as opposed to
     * a statement that will be refused again. Trying again is safe only for what is idempotent or of a known outcome.
     */
    public boolean passing() {
        return passing;
    }
}
