package dev.reissue.issuance;

import io.vertx.core.Future;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Port: remembers given answers for a while, as a hint. It may forget at any time. Any thread; bounded in time. */
public interface AnswerCache {

    /** Remembers nothing. */
    AnswerCache NONE = new AnswerCache() {
        @Override
        public Future<KeyedAnswerStore.@Nullable Stored> get(UUID key) {
            return Future.succeededFuture();
        }

        @Override
        public void put(UUID key, KeyedAnswerStore.Stored answer) {}
    };

    /** Returns the answer, null where it is not known. Never fails. */
    Future<KeyedAnswerStore.@Nullable Stored> get(UUID key);

    /** Remembers a committed answer. */
    void put(UUID key, KeyedAnswerStore.Stored answer);
}
