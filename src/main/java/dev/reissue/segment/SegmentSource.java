package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import io.vertx.core.Future;
import java.util.List;

/**
 * Port: where a sequence's buffer gets leased batches from; one for each sequence. Any thread; the buffer has at most one call
 * under way.
 */
@FunctionalInterface
public interface SegmentSource {

    /**
     * Leases batches. The future always completes, within a deadline of the implementation's own: until then the buffer does
     * not ask again. A failure means that nothing was leased, or that whatever was leased is given back without the buffer's help.
     *
     * @param batches how many are wanted, 1 or more
     * @return committed batches in the order in which they are to be handed out, fewer than wanted where the sequence ends; an
     *     empty list means that the sequence is exhausted
     */
    Future<List<BatchRange>> lease(int batches);
}
