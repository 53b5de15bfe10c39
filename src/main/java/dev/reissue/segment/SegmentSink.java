package dev.reissue.segment;

import io.vertx.core.Future;

/** Port: where closed cursors go, to be sealed in the ledger. Any thread; never blocks, as event loops call it. */
@FunctionalInterface
public interface SegmentSink {

    /**
     * Seals a batch whose cursor is closed for good. Called once for each batch.
     *
     * @param batchId the batch
     * @param issuedTo the last value handed out, or {@code lo - 1} where none was
     * @return completes when the outcome of the seal is known; until then the batch counts as open and as this process's own
     */
    Future<Void> seal(long batchId, long issuedTo);
}
