package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Callers that send or read slowly hold little, and not for long. */
class SlowCallersTest {
    private static final int REQUESTS = 1_000;
    /** What the buffers of two sockets hold of answers of 75 KB, and some more. */
    private static final long ANSWERS_IN_BUFFERS = 400;

    @Test
    void aConnectionOnWhichNoRequestEverEndsIsClosed() throws IOException {
        try (ApiFixture api = patience(1_000);
                RawClient slow = api.connect()) {
            slow.write("POST /v1/sequences/order/next HTTP/1.1\r\nHost: x\r\nX-Slow: ");
            api.vertx.setPeriodic(50, id -> trickle(api, slow, id));
            assertThat(slow.closedByServer()).isTrue();
            assertThat(api.issuer.next).hasValue(1);
        }
    }

    @Test
    void aKeptConnectionIsClosedWhenItsNextRequestDoesNotCome() throws IOException {
        try (ApiFixture api = patience(1_000);
                RawClient kept = api.connect()) {
            assertThat(kept.send("POST", "/v1/sequences/order/next", (byte[]) null)
                            .status())
                    .isEqualTo(200);
            assertThat(kept.closedByServer()).isTrue();
        }
    }

    @Test
    void aCallerThatDoesNotReadIsAskedNothingMoreUntilItDoes() throws IOException {
        try (ApiFixture api = patience(60_000);
                RawClient caller = api.connect()) {
            send(api, caller);
            AtomicInteger quiet = new AtomicInteger();
            long[] last = {0};
            Await.until("the server stops answering", Duration.ofSeconds(20), () -> {
                long now = api.issuer.next.get();
                quiet.set(now == last[0] && now > 1 ? quiet.get() + 1 : 0);
                last[0] = now;
                return quiet.get() > 10;
            });
            assertThat(last[0] / 1000).isLessThan(ANSWERS_IN_BUFFERS);
            for (int i = 0; i < REQUESTS; i++) {
                JsonObject answer = new JsonObject(caller.read(false).body());
                assertThat(answer.getJsonArray("items").getJsonObject(0).getString("value"))
                        .isEqualTo(Long.toString(i * 1000L + 1));
            }
        }
    }

    @Test
    void withoutClearTextHttp2AConnectionCountsBeforeItsFirstRequest() throws IOException {
        HttpSettings two = new HttpSettings("127.0.0.1", 0, 64 * 1024, 500, 30_000, 8192, 2, false);
        try (ApiFixture api = new ApiFixture(two);
                RawClient first = api.connect();
                RawClient second = api.connect();
                RawClient third = api.connect()) {
            assertThat(third.closedByServer()).isTrue();
            String next = "/v1/sequences/order/next";
            assertThat(second.send("POST", next, (byte[]) null).status()).isEqualTo(200);
            assertThat(first.send("POST", next, (byte[]) null).status()).isEqualTo(200);
        }
    }

    @Test
    void aCallerThatNeverReadsIsLeft() throws IOException {
        try (ApiFixture api = patience(1_000);
                RawClient caller = api.connect()) {
            send(api, caller);
            Await.until("the connection is closed", Duration.ofSeconds(20), () -> {
                try {
                    caller.write("\r\n");
                    return false;
                } catch (IOException closed) {
                    return true;
                }
            });
            assertThat(api.issuer.next.get() / 1000).isLessThan(ANSWERS_IN_BUFFERS);
        }
    }

    private static ApiFixture patience(int idleMs) {
        return new ApiFixture(new HttpSettings("127.0.0.1", 0, 64 * 1024, 500, idleMs, 8192, 50, true));
    }

    /** Sends many requests at once from another thread: the server may stop reading in between. */
    private static void send(ApiFixture api, RawClient caller) {
        String all = "POST /v1/sequences/order/next?count=1000 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
                .repeat(REQUESTS);
        api.vertx.executeBlocking(() -> {
            caller.write(all);
            return null;
        });
    }

    private static void trickle(ApiFixture api, RawClient slow, long timer) {
        try {
            slow.write("x");
        } catch (IOException closed) {
            api.vertx.cancelTimer(timer);
        }
    }
}
