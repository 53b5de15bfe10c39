package dev.reissue.issuance;

import io.vertx.core.Future;
import java.util.Collection;
import java.util.Map;

/**
 * Port: the other processes that hold batches open. What one of them says of its cursor stays true, however late it comes. Any thread;
 * nothing blocks.
 */
public interface OtherOwners extends OwnedBatches {
    /** There is nobody else. */
    OtherOwners NONE = new OtherOwners() {
        @Override
        public long handedOutBatch(int sequenceId, long value) {
            return NOT_OURS;
        }

        @Override
        public Future<Map<Long, Long>> ask(int sequenceId, Collection<Long> values) {
            return Future.succeededFuture(Map.of());
        }
    };

    /** Returns the id of the batch from which another process told, a moment ago, that it handed a value out. From memory. */
    @Override
    long handedOutBatch(int sequenceId, long value);

    /**
     * Asks all others which of the values they have handed out from an open batch.
     *
     * @return the batch by value, of those that somebody vouches for; never fails, and comes within a short deadline
     */
    Future<Map<Long, Long>> ask(int sequenceId, Collection<Long> values);
}
