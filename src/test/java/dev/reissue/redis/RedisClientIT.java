package dev.reissue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import dev.reissue.support.Await;
import dev.reissue.support.CutProxy;
import dev.reissue.support.Futures;
import dev.reissue.support.ManualTime;
import dev.reissue.support.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedisClientIT {
    private static final Vertx VERTX = Vertx.vertx();
    private static final long DEADLINE_MS = 1_500;
    private static final long PAUSE_MS = 1_000;

    private final ManualTime time = new ManualTime();
    private final CutProxy proxy = new CutProxy(URI.create(TestRedis.uri(0)).getPort());
    private final RedisClient redis = new RedisClient(
            VERTX,
            new RedisClient.Settings("redis://127.0.0.1:" + proxy.port() + "/1", DEADLINE_MS, PAUSE_MS, 50, false),
            time);

    /** A cold JVM takes long for its first command. */
    @BeforeEach
    void connect() {
        Await.until("Redis answers", Duration.ofSeconds(20), () -> {
            time.pause(PAUSE_MS);
            ping();
            return true;
        });
    }

    @AfterEach
    void closeProxy() throws Exception {
        Futures.get(redis.close());
        proxy.close();
    }

    @Test
    void answersAndKnowsNil() {
        Futures.get(redis.send(Request.cmd(Command.SET, "k", "v")));

        assertThat(Futures.get(redis.send(Request.cmd(Command.GET, "k")))).hasToString("v");
        assertThat(redis.send(Request.cmd(Command.GET, "nothing"))
                        .toCompletionStage()
                        .toCompletableFuture()
                        .join())
                .isNull();
    }

    @Test
    void anErrorAnswerIsARefusalAndNoFailureOfTheConnection() {
        Futures.get(redis.send(Request.cmd(Command.SET, "k", "v")));

        assertThat(fault(redis.send(Request.cmd(Command.LPOP, "k"))).kind()).isEqualTo(Kind.REFUSED);
        assertThat(redis.available()).isTrue();
    }

    @Test
    void aRefusalThatEndsByItselfCountsAsPassing() {
        assertThat(refusedWith("OOM command not allowed").passing()).isTrue();
        assertThat(refusedWith("LOADING the dataset").passing()).isTrue();
        assertThat(refusedWith("ERR no such thing").passing()).isFalse();
        assertThat(redis.available()).isTrue();
    }

    @Test
    void aDemotedServerIsLeftForWhateverHasItsNameNow() {
        assertThat(refusedWith("READONLY a replica").passing()).isTrue();

        assertThat(redis.available()).isFalse();
        time.pause(PAUSE_MS);
        ping();
    }

    private StoreException refusedWith(String error) {
        return fault(redis.send(Request.cmd(Command.EVAL, "return redis.error_reply(ARGV[1])", "0", error)));
    }

    @Test
    void aStuckServerCostsOneDeadlineAndThenNothing() {
        proxy.silent();
        assertThat(fault(redis.send(Request.cmd(Command.PING))).kind()).isEqualTo(Kind.UNKNOWN);

        assertThat(redis.available()).isFalse();
        Future<Response> next = redis.send(Request.cmd(Command.PING));
        assertThat(next.isComplete()).isTrue();
        assertThat(fault(next).kind()).isEqualTo(Kind.UNAVAILABLE);
    }

    @Test
    void afterThePauseItConnectsAgainByItself() {
        proxy.silent();
        fault(redis.send(Request.cmd(Command.PING)));
        proxy.pass();
        time.pause(PAUSE_MS);

        ping();
        assertThat(redis.available()).isTrue();
    }

    @Test
    void aConnectionThatTheServerClosesIsReplaced() {
        for (int i = 0; i < 20; i++) {
            proxy.cutAll();
            Await.until("a new connection answers", Duration.ofSeconds(10), () -> {
                time.pause(PAUSE_MS);
                ping();
                return true;
            });
        }
    }

    @Test
    void connectionsThatWereCutDoNotUseUpThePool() {
        for (int i = 0; i < 6; i++) {
            ping();
            proxy.silent();
            fault(redis.send(Request.cmd(Command.PING)));
            proxy.pass();
            time.pause(PAUSE_MS);
        }
        ping();
    }

    @Test
    void noMoreCommandsAreUnderWayThanAllowed() {
        proxy.silent();
        List<Future<Response>> sent = new ArrayList<>();
        for (int i = 0; i < 51; i++) {
            sent.add(redis.send(Request.cmd(Command.PING)));
        }

        assertThat(fault(sent.get(50)).kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(fault(sent.get(49)).kind()).isEqualTo(Kind.UNKNOWN);
    }

    @Test
    void withoutAServerNothingWasSent() throws Exception {
        RedisClient nobody =
                new RedisClient(VERTX, RedisClient.Settings.of("redis://127.0.0.1:" + TestRedis.freePort()), time);

        assertThat(fault(nobody.send(Request.cmd(Command.PING))).kind()).isEqualTo(Kind.UNAVAILABLE);
        Futures.get(nobody.close());
    }

    @Test
    void settingsDoNotShowThePassword() {
        assertThat(RedisClient.Settings.of("redis://:secret@127.0.0.1:6379").toString())
                .doesNotContain("secret");
    }

    private void ping() {
        assertThat(Futures.get(redis.send(Request.cmd(Command.PING)))).hasToString("PONG");
    }

    private static StoreException fault(Future<?> future) {
        return catchThrowableOfType(StoreException.class, () -> Futures.get(future));
    }

    @AfterAll
    static void close() {
        Futures.get(VERTX.close());
    }
}
