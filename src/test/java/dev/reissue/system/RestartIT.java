package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of the numbers when the service ends, cleanly or not, and comes back. */
class RestartIT {
    private final String postgres = TestPostgres.uri(TestPostgres.freshDatabase());
    private final String redis = TestRedis.uri(1);

    @Test
    void afterCleanStopTheNextNumberIsTheNextNumber() throws Exception {
        try (ServiceProcess first = ServiceProcess.start(postgres, redis)) {
            Json.expect(201, first.send("POST", "/v1/sequences", Json.sequence("clean", 2000, new JsonObject())));
            assertThat(take(first, "clean", 27)).last().isEqualTo(27L);
            assertThat(first.term()).isLessThan(Duration.ofSeconds(10));
            assertThat(first.process().exitValue()).isIn(0, 143);
        }
        try (ServiceProcess second = ServiceProcess.start(postgres, redis)) {
            assertThat(take(second, "clean", 1)).containsExactly(28L);
        }
    }

    @Test
    void afterKillTheNextNumberIsFreshAndNothingIsUnaccounted() throws Exception {
        // The second process keeps its own batch open, however long the first one's takes to be sealed.
        String definition = Json.sequence("killed", 2000, new JsonObject().put("batchOpenMaxMs", 60_000));
        try (ServiceProcess first = ServiceProcess.start(
                postgres,
                redis,
                "instance.leaseMs=3000",
                "instance.renewMs=500",
                "instance.marginMs=500",
                "postgres.leaseDeadlineMs=1000")) {
            Json.expect(201, first.send("POST", "/v1/sequences", definition));
            take(first, "killed", 27);
            first.kill9();
        }
        try (ServiceProcess second = ServiceProcess.start(postgres, redis)) {
            assertThat(take(second, "killed", 1).get(0)).isGreaterThan(2000L);
            Await.until(
                    "the dead process's batch is sealed",
                    Duration.ofSeconds(30),
                    () -> Json.expect(200, second.send("GET", "/v1/sequences/killed/numbers/28", ""))
                            .getJsonObject("batch")
                            .getString("status")
                            .equals("SEALED"));
            JsonObject closure =
                    Json.expect(200, second.send("GET", "/v1/sequences/killed/closure?from=1&to=4000", ""));
            assertThat(closure.getValue("unaccounted").toString()).isEqualTo("0");
            assertThat(closure.getJsonObject("counts").getValue("allocated").toString())
                    .isEqualTo("2000");
        }
    }

    static List<Long> take(ServiceProcess service, String sequence, int numbers) throws Exception {
        List<Long> values = new ArrayList<>();
        try (RawHttp http = service.connect()) {
            for (int i = 0; i < numbers; i++) {
                JsonObject answer = Json.expect(200, http.post("/v1/sequences/" + sequence + "/next", ""));
                values.add(Long.parseLong(answer.getString("value")));
            }
        }
        return values;
    }
}
