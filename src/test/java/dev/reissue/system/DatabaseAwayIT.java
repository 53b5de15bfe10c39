package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.KillablePostgres;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** PostgreSQL goes away under a running service and comes back. */
class DatabaseAwayIT {
    private static final Duration HEALED = Duration.ofSeconds(5);
    private static final String NEXT = "/v1/sequences/away/next";

    @Test
    void issuesFromStockThenSays503AndHealsWithoutRestart() throws Exception {
        Set<String> numbers = new HashSet<>();
        try (KillablePostgres postgres = new KillablePostgres();
                ServiceProcess service = ServiceProcess.start(postgres.uri(), TestRedis.uri(5))) {
            Json.expect(201, service.send("POST", "/v1/sequences", Json.sequence("away", 1000, new JsonObject())));
            JsonObject before = Json.expect(200, service.send("POST", NEXT, ""));
            numbers.add(before.getString("number"));

            postgres.kill9();
            assertThat(numbers.add(
                            Json.expect(200, service.send("POST", NEXT, "")).getString("number")))
                    .as("a number from the stock")
                    .isTrue();
            for (String kind : List.of("confirm", "abandon")) {
                RawHttp.Answer answer = settle(service, kind, before.getString("ticket"));
                assertThat(Json.expect(503, answer).getString("code")).isIn("store-unavailable", "outcome-unknown");
            }
            Await.until("the stock or the lease is over", Duration.ofSeconds(30), () -> {
                RawHttp.Answer next = service.send("POST", NEXT + "?count=100", "");
                return next.status() == 503;
            });
            Await.until(
                    "the service is not ready",
                    Duration.ofSeconds(30),
                    () -> service.management("/health/ready").status() == 503);

            assertThat(new JsonObject(service.send("POST", NEXT, "").body()).getString("code"))
                    .isIn("overloaded", "lease-lost", "store-unavailable");

            postgres.restart();
            long back = System.nanoTime();
            Await.until("numbers are issued again", HEALED, () -> {
                RawHttp.Answer next = service.send("POST", NEXT, "");
                return next.status() == 200 && numbers.add(new JsonObject(next.body()).getString("number"));
            });
            long issued = millisSince(back);
            Await.until(
                    "the confirm is taken",
                    HEALED,
                    () -> settle(service, "confirm", before.getString("ticket")).status() == 200);
            long confirmed = millisSince(back);
            Await.until(
                    "the service is ready again",
                    HEALED,
                    () -> service.management("/health/ready").status() == 200);
            long ready = millisSince(back);
            System.out.printf(
                    "after PostgreSQL was back: issued after %d ms, confirmed after %d ms, ready after %d ms%n",
                    issued, confirmed, ready);
            assertThat(ready).isLessThan(HEALED.toMillis());
        }
    }

    private static RawHttp.Answer settle(ServiceProcess service, String kind, String ticket) throws IOException {
        return service.send(
                "POST",
                "/v1/sequences/away/" + kind,
                new JsonObject().put("ticket", ticket).encode());
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
