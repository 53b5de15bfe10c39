package dev.reissue.segment;

/** Is shown batches that are open, or whose seal is not known yet. Must not block. */
@FunctionalInterface
public interface OpenBatchVisitor {

    /**
     * Called once for each batch.
     *
     * @param lo its first value
     * @param issuedTo a value that was handed out, as was every one from {@code lo} on; by now there may be more
     * @param firstTakenNanos when the first one was, on the monotonic clock
     */
    void open(long batchId, long lo, long issuedTo, long firstTakenNanos);
}
