package dev.reissue.issuance;

import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Port: the answers that were given to calls under idempotency keys. Any thread. */
public interface KeyedAnswerStore {

    /**
     * An answer to be repeated.
     *
     * @param request the digest of the request that it was given to
     * @param status the HTTP status
     * @param body the body, JSON
     */
    record Stored(long request, int status, String body) {}

    /**
     * A call that is to run under a key.
     *
     * @param key the key with the request
     * @param attempt made up for this very run
     */
    record Attempt(CallKey key, UUID attempt) {}

    /** What a call may do. */
    sealed interface Turn {
        /** It may run: the key is its own until the answer is stored, or until a while is over. */
        record Run() implements Turn {}

        /** Its answer is there. */
        record Answered(Stored answer) implements Turn {}

        /** Another one is running, or was until a moment ago. */
        record Busy() implements Turn {}

        /** The key was used for another request. */
        record Other() implements Turn {}

        /** It is an issued key whose time is over, and it was not used. */
        record Over() implements Turn {}
    }

    /**
     * Takes keys for calls, each key once.
     *
     * @return in the order of the attempts
     */
    Future<List<Turn>> begin(List<Attempt> attempts);

    /**
     * How an attempt ended.
     *
     * @param attempt the attempt
     * @param answer the answer to be repeated; null where the call failed and its key is free again
     */
    record Ending(Attempt attempt, @Nullable Stored answer) {}

    /**
     * Ends attempts; one that was taken over meanwhile changes nothing.
     *
     * @return in the order of the endings, whether each attempt still had its key
     */
    Future<List<Boolean>> end(List<Ending> endings);
}
