package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: settles many numbers in one commit. Any thread. */
public interface SettleStore {

    /** The batch id of an item that was named by its number alone. */
    long NO_BATCH = 0;

    /** The generation of an item that was named by its number alone. */
    int NO_TICKET = -1;

    /**
     * One number to settle.
     *
     * @param kind confirm, abandon or void
     * @param sequenceId the sequence
     * @param period the period, empty for a sequence that does not restart
     * @param batchId the batch, {@link #NO_BATCH} where only the number is known
     * @param value the value
     * @param generation the generation that the ticket proves, {@link #NO_TICKET} without one
     * @param ownedAndHandedOut without a ticket: the owner of the open batch {@code batchId}, here or elsewhere, says that its cursor is
     *     past the value
     * @param operator whether an operator asks (a confirmed number may be declared void by an operator only)
     * @param trace whether the sequence keeps a row with the business key for a confirmed number
     * @param bizKey the caller's business key, kept when {@code trace} is on
     * @param reason why the number is abandoned or void
     * @param actor who asks, for the history: a request id or an operator's name
     * @param traceId the trace that the call is part of, null where it is part of none
     */
    record Item(
            SettleKind kind,
            int sequenceId,
            String period,
            long batchId,
            long value,
            int generation,
            boolean ownedAndHandedOut,
            boolean operator,
            boolean trace,
            @Nullable String bizKey,
            @Nullable String reason,
            String actor,
            @Nullable String traceId) {

        /** Returns the same item, vouched for by the owner of a batch. */
        public Item vouched(long batch) {
            return new Item(
                    kind,
                    sequenceId,
                    period,
                    batch,
                    value,
                    generation,
                    true,
                    operator,
                    trace,
                    bizKey,
                    reason,
                    actor,
                    traceId);
        }
    }

    /**
     * The truth about one item after the commit.
     *
     * @param outcome the outcome
     * @param state the number's state, null where it was never issued
     * @param generation the number's current generation
     */
    record Answer(SettleOutcome outcome, @Nullable NumberState state, int generation) {}

    /**
     * Settles all items; the answers stand in the order of the items and are given only after the commit. A failed future has
     * an unknown outcome; repeating the call is harmless.
     */
    Future<List<Answer>> settle(List<Item> items);
}
