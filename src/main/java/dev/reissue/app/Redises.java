package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.issuance.AnswerCache;
import dev.reissue.ledger.MarkStore;
import dev.reissue.recycle.NumberPool;
import dev.reissue.redis.RedisAnswerCache;
import dev.reissue.redis.RedisClient;
import dev.reissue.redis.RedisMarkStore;
import dev.reissue.redis.RedisNumberPool;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.LongSupplier;

/** What is kept in Redis, all of it hints: marks of counters, the pool of reusable numbers, answers to repeat. Any thread. */
final class Redises {
    private static final int READ_MAX = 100_000;

    private final RedisClient client;
    private final String ledgerId;

    Redises(Vertx vertx, Config.Redis settings, String ledgerId, LongSupplier nanoClock) {
        this.client = new RedisClient(
                vertx,
                new RedisClient.Settings(
                        settings.uri().reveal(),
                        settings.deadlineMs(),
                        settings.pauseMs(),
                        settings.queueMax(),
                        settings.resp3()),
                nanoClock);
        this.ledgerId = ledgerId;
    }

    MarkStore marks() {
        return new RedisMarkStore(client, ledgerId);
    }

    NumberPool pool() {
        return new RedisNumberPool(client, "reissue:" + ledgerId + ":", READ_MAX);
    }

    boolean answers() {
        return client.answers();
    }

    /** Answers given under idempotency keys, remembered for {@code keepMs}; 0 for not at all. */
    AnswerCache answerCache(long keepMs) {
        return keepMs == 0
                ? AnswerCache.NONE
                : new RedisAnswerCache(client, "reissue:" + ledgerId + ":answer:", keepMs);
    }

    Future<Void> close() {
        return client.close();
    }
}
