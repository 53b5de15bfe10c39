package dev.reissue.ledger;

/**
 * A store could not do what a port asked for. Outcomes that a caller may expect (a lost race, no such row) are values; this is
 * for faults.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** What is known about the effect of the failed call. */
    public enum Kind {
        /** Nothing was sent: no connection could be had, or the queue for one is full. Nothing has changed. */
        UNAVAILABLE,
        /** The statement was sent and refused by the server. Nothing has changed. */
        REFUSED,
        /** The statement was sent and no answer came: it may have been committed, or may still be. */
        UNKNOWN
    }

    /** Creates a fault with its cause. */
    public StoreException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Returns what is known about the effect. */
    public Kind kind() {
        return kind;
    }
}
