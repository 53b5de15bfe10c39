package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.KillablePostgres;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** PostgreSQL goes away under a running service and comes back. */
class DatabaseAwayIT {
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
            RawHttp.Answer confirm = service.send(
                    "POST",
                    "/v1/sequences/away/confirm",
                    new JsonObject().put("ticket", before.getString("ticket")).encode());
            assertThat(Json.expect(503, confirm).getString("code")).isIn("store-unavailable", "outcome-unknown");
            Await.until("the stock or the lease is over", Duration.ofSeconds(30), () -> {
                RawHttp.Answer next = service.send("POST", NEXT + "?count=100", "");
                return next.status() == 503;
            });
            Await.until(
                    "the service is not ready",
                    Duration.ofSeconds(30),
                    () -> service.management("/health/ready").status() == 503);

            postgres.restart();
            long back = System.nanoTime();
            Await.until("numbers are issued again", Duration.ofSeconds(20), () -> {
                RawHttp.Answer next = service.send("POST", NEXT, "");
                return next.status() == 200 && numbers.add(new JsonObject(next.body()).getString("number"));
            });
            System.out.printf("issued again %d ms after PostgreSQL was back%n", (System.nanoTime() - back) / 1_000_000);
            Await.until(
                    "the confirm is taken",
                    Duration.ofSeconds(20),
                    () -> service.send(
                                            "POST",
                                            "/v1/sequences/away/confirm",
                                            new JsonObject()
                                                    .put("ticket", before.getString("ticket"))
                                                    .encode())
                                    .status()
                            == 200);
            Await.until(
                    "the service is ready again",
                    Duration.ofSeconds(20),
                    () -> service.management("/health/ready").status() == 200);
        }
    }
}
