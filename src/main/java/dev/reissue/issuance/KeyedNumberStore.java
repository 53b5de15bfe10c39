package dev.reissue.issuance;

import dev.reissue.ledger.NumberState;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: the numbers that were handed out under idempotency keys. Any thread. */
public interface KeyedNumberStore {

    /**
     * Numbers of one batch and generation, one after the other.
     *
     * @param batchId the batch
     * @param first the first value
     * @param count how many
     * @param generation the generation of all of them
     */
    record Run(long batchId, long first, int count, int generation) {}

    /**
     * Numbers under a key.
     *
     * @param key the key with the request
     * @param sequenceId the sequence
     * @param runs the numbers in the order of the answer, at least one run
     */
    record Entry(CallKey key, int sequenceId, List<Run> runs) {}

    /**
     * The first number of an entry that its holder no longer has.
     *
     * @param value the number's value
     * @param state what it is now
     * @param generation its generation now
     */
    record Gone(long value, NumberState state, int generation) {}

    /** What is known about a key. */
    sealed interface Found {
        /** Nothing: it was not used, or its entry has expired. */
        record Free() implements Found {}

        /** It was not used, and it is an issued key whose time is over. */
        record Over() implements Found {}

        /**
         * It was used.
         *
         * @param request the digest of the request it was used for
         * @param runs the numbers
         * @param gone null where its holder still has all of them
         */
        record Used(long request, List<Run> runs, @Nullable Gone gone) implements Found {}
    }

    /**
     * Looks keys up and, for those that were used, looks at the present state of their numbers.
     *
     * @return in the order of the keys
     */
    Future<List<Found>> find(List<CallKey> keys);

    /**
     * Commits entries, each key once. A key that is in use keeps the entry that it has.
     *
     * @return in the order of the entries, whether each was committed, now or by an earlier try; false tells nothing about the entry that
     *     is there, which may be one of the same request all the same
     */
    Future<List<Boolean>> record(List<Entry> entries);
}
