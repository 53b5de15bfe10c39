package dev.reissue.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.MarkStore;
import dev.reissue.support.Futures;
import dev.reissue.support.MarkStoreContract;
import dev.reissue.support.TestRedis;
import io.vertx.core.Vertx;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class RedisMarkStoreIT extends MarkStoreContract {
    private static final Vertx VERTX = Vertx.vertx();
    private static final RedisClient REDIS =
            new RedisClient(VERTX, new RedisClient.Settings(TestRedis.uri(0), 5_000, 0, 100, false), System::nanoTime);

    @Override
    protected MarkStore store() {
        return new RedisMarkStore(REDIS, UUID.randomUUID().toString());
    }

    @Test
    void isSharedByProcessesOfOneLedgerOnly() {
        Futures.get(new RedisMarkStore(REDIS, "one").raise(1, "", new CounterMark(3, 4)));

        assertThat(Futures.get(new RedisMarkStore(REDIS, "one").highest(1, ""))).isEqualTo(new CounterMark(3, 4));
        assertThat(Futures.get(new RedisMarkStore(REDIS, "other").highest(1, "")))
                .isEqualTo(CounterMark.NONE);
    }

    @Test
    void withoutRedisItKnowsNothingAndDoesNotFail() throws Exception {
        RedisClient nobody = new RedisClient(
                VERTX, RedisClient.Settings.of("redis://127.0.0.1:" + TestRedis.freePort()), System::nanoTime);
        MarkStore store = new RedisMarkStore(nobody, "x");

        Futures.get(store.raise(1, "", new CounterMark(3, 4)));
        assertThat(Futures.get(store.highest(1, ""))).isEqualTo(CounterMark.NONE);
    }

    @AfterAll
    static void close() {
        Futures.get(REDIS.close());
        Futures.get(VERTX.close());
    }
}
