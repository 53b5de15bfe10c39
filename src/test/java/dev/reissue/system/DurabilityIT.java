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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What was answered 200 is there after everything was killed at once. */
class DurabilityIT {
    private static final int CALLERS = 16;

    @Test
    void acknowledgedConfirmsAndAbandonsSurviveKillOfServiceAndPostgres() throws Exception {
        Map<String, String> acknowledged = new ConcurrentHashMap<>();
        try (KillablePostgres postgres = new KillablePostgres()) {
            String redis = TestRedis.uri(3);
            try (ServiceProcess service = ServiceProcess.start(postgres.uri(), redis)) {
                Json.expect(
                        201, service.send("POST", "/v1/sequences", Json.sequence("durable", 1000, new JsonObject())));
                ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
                for (int i = 0; i < CALLERS; i++) {
                    threads.execute(() -> settleUntilCut(service, acknowledged));
                }
                Await.until("5000 are acknowledged", Duration.ofMinutes(1), () -> acknowledged.size() >= 5000);
                postgres.kill9();
                service.kill9();
                threads.shutdown();
                assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            }
            postgres.restart();
            try (ServiceProcess service = ServiceProcess.start(postgres.uri(), redis);
                    RawHttp http = service.connect()) {
                for (Map.Entry<String, String> entry : acknowledged.entrySet()) {
                    JsonObject number = Json.expect(200, http.get("/v1/sequences/durable/numbers/" + entry.getKey()));
                    assertThat(number.getString("state")).as(entry.getKey()).isEqualTo(entry.getValue());
                }
            }
        }
        System.out.println("acknowledged and found after the kill: " + acknowledged.size());
    }

    private static void settleUntilCut(ServiceProcess service, Map<String, String> acknowledged) {
        try (RawHttp http = service.connect()) {
            for (int i = 0; ; i++) {
                RawHttp.Answer next = http.post("/v1/sequences/durable/next", "");
                if (next.status() != 200) {
                    continue;
                }
                JsonObject issued = new JsonObject(next.body());
                String ticket = new JsonObject()
                        .put("ticket", issued.getString("ticket"))
                        .encode();
                boolean confirm = i % 4 != 0;
                RawHttp.Answer settled =
                        http.post("/v1/sequences/durable/" + (confirm ? "confirm" : "abandon"), ticket);
                if (settled.status() == 200) {
                    acknowledged.put(issued.getString("number"), confirm ? "CONFIRMED" : "ABANDONED");
                }
            }
        } catch (IOException e) {
            // The cut is what this caller works until.
            return;
        }
    }
}
