package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Flushes of two processes and several event loops meet on the same batches, at the end of one and the beginning of the next: no
 * acknowledged item may be missing afterwards.
 */
class EverySettledIT {
    private static final int CALLERS = 16;
    private static final int EACH = 500;

    @Test
    void whatFlushesOfManyCallersAcknowledgeIsAllThere() throws Exception {
        String postgres = TestPostgres.uri(TestPostgres.freshDatabase());
        String redis = TestRedis.uri(4);
        try (ServiceProcess a = ServiceProcess.start(postgres, redis, "http.eventLoops=4");
                ServiceProcess b = ServiceProcess.start(postgres, redis, "http.eventLoops=4")) {
            // Small batches: nearly every flush stands on a border between two.
            Json.expect(201, a.send("POST", "/v1/sequences", Json.sequence("settled", 20, new JsonObject())));
            ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
            List<Callable<Void>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                // Taken at one process and settled at the other, so that the two write to the same batches.
                calls.add(i % 2 == 0 ? () -> settle(a, b) : () -> settle(b, b));
            }
            for (Future<Void> done : threads.invokeAll(calls)) {
                done.get();
            }
            threads.shutdown();
            JsonObject counts = Json.expect(200, a.send("GET", "/v1/sequences/settled/closure?from=1&to=100000", ""))
                    .getJsonObject("counts");
            assertThat(number(counts, "confirmed")).isEqualTo(CALLERS * EACH * 4L / 5);
            assertThat(number(counts, "abandoned")).isEqualTo(CALLERS * EACH / 5L);
            assertThat(number(counts, "allocated")).isZero();
        }
    }

    private static Void settle(ServiceProcess issuer, ServiceProcess settler) throws Exception {
        try (RawHttp from = issuer.connect();
                RawHttp to = settler.connect()) {
            for (int i = 0; i < EACH; i++) {
                JsonObject issued = Json.expect(200, from.post("/v1/sequences/settled/next", ""));
                String ticket = new JsonObject()
                        .put("ticket", issued.getString("ticket"))
                        .encode();
                String call = i % 5 == 0 ? "abandon" : "confirm";
                Json.expect(200, to.post("/v1/sequences/settled/" + call, ticket));
            }
        }
        return null;
    }

    private static long number(JsonObject counts, String state) {
        return Long.parseLong(counts.getValue(state, "0").toString());
    }
}
