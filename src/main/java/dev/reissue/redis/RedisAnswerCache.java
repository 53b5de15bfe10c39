package dev.reissue.redis;

import dev.reissue.issuance.AnswerCache;
import dev.reissue.issuance.KeyedAnswerStore.Stored;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Answers given under idempotency keys, in Redis: request digest (8 bytes), status (2) and body a key, for a while. Any thread; an
 * answer comes on the context that asked.
 */
public final class RedisAnswerCache implements AnswerCache {
    private static final int HEAD = 10;
    /** Longer ones are rare, and PostgreSQL has them. */
    private static final int LONGEST_BODY = 8 * 1024;

    private final RedisClient redis;
    private final String prefix;
    private final long keepMs;

    /**
     * Creates the cache.
     *
     * @param prefix the start of every key
     * @param keepMs how long an answer is remembered, 1 or more
     */
    public RedisAnswerCache(RedisClient redis, String prefix, long keepMs) {
        if (keepMs < 1) {
            throw new IllegalArgumentException("keepMs must be positive: " + keepMs);
        }
        this.redis = redis;
        this.prefix = prefix;
        this.keepMs = keepMs;
    }

    @Override
    public Future<@Nullable Stored> get(UUID key) {
        Context caller = Vertx.currentContext();
        Promise<@Nullable Stored> answer = Promise.promise();
        redis.send(Request.cmd(Command.GET).arg(prefix + key)).onComplete(done -> {
            Stored stored = done.succeeded() ? stored(done.result()) : null;
            if (caller == null) {
                answer.complete(stored);
            } else {
                caller.runOnContext(here -> answer.complete(stored));
            }
        });
        return answer.future();
    }

    @Override
    public void put(UUID key, Stored answer) {
        if (answer.body().length() > LONGEST_BODY) {
            return;
        }
        Buffer value = Buffer.buffer(HEAD + answer.body().length())
                .appendLong(answer.request())
                .appendShort((short) answer.status())
                .appendString(answer.body());
        // Where it fails, a repeat asks PostgreSQL.
        redis.send(
                Request.cmd(Command.SET).arg(prefix + key).arg(value).arg("PX").arg(keepMs));
    }

    private static @Nullable Stored stored(@Nullable Response answer) {
        Buffer value = answer == null ? null : answer.toBuffer();
        return value == null || value.length() < HEAD
                ? null
                : new Stored(value.getLong(0), value.getShort(8), value.getString(HEAD, value.length()));
    }
}
