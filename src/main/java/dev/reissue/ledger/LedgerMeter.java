package dev.reissue.ledger;

/** Port: counts and times what the ledger does. Any thread; must not block. */
public interface LedgerMeter {
    /** Counts nothing. */
    LedgerMeter NOOP = new LedgerMeter() {};

    /** A lease was answered, with this many batches. */
    default void leased(String sequence, int batches, long nanos) {}

    /** A lease failed. */
    default void leaseFailed(String sequence, StoreException.Kind kind) {}

    /** A lease whose answer was lost is settled; this many of its batches were returned. */
    default void lostLeaseSettled(int batches) {}

    /** The database answered a lease with a counter below what is known. */
    default void regression(String sequence) {}

    /** One statement sealed this many batches. */
    default void sealed(int batches, long nanos) {}

    /** A try to seal failed and is repeated. */
    default void sealFailed() {}

    /** The instance's lease was renewed or registered, or the try failed. */
    default void renewed(boolean ok) {}

    /** The instance's lease was over: it goes on under a new id. */
    default void instanceLost() {}
}
