package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** Two processes issue from one sequence at once. */
class TwoProcessesIT {
    private static final int NUMBERS = 100_000;
    private static final int CONNECTIONS = 64;
    private static final String[] SHORT_LEASE = {
        "instance.leaseMs=3000", "instance.renewMs=500", "instance.marginMs=500", "postgres.leaseDeadlineMs=1000"
    };

    private final String postgres = TestPostgres.uri(TestPostgres.freshDatabase());
    private final String redis = TestRedis.uri(2);

    @Test
    void hundredThousandNumbersOfTwoProcessesAreDistinctAndAccountedFor() throws Exception {
        Callers callers = new Callers("two", NUMBERS, 120_000);
        try (ServiceProcess a = ServiceProcess.start(postgres, redis);
                ServiceProcess b = ServiceProcess.start(postgres, redis)) {
            Json.expect(201, a.send("POST", "/v1/sequences", Json.sequence("two", 1000, new JsonObject())));
            callers.run(ports(a::port, b::port));
            a.term();
            b.term();
        }
        assertThat(callers.unknown).hasValue(0);
        System.out.println("refused of two: " + callers.refusals);
        checkDistinct(callers);
        JsonObject counts = countsAtRest("two");
        assertThat(number(counts, "allocated")).isEqualTo(callers.values.size());
    }

    @Test
    void killedThreeTimesTheNumbersStayDistinctAndAccountedFor() throws Exception {
        Callers callers = new Callers("kills", NUMBERS, 180_000);
        try (ServiceProcess a = ServiceProcess.start(postgres, redis, SHORT_LEASE)) {
            Victim victim = new Victim(ServiceProcess.start(postgres, redis, SHORT_LEASE));
            Json.expect(201, a.send("POST", "/v1/sequences", Json.sequence("kills", 1000, new JsonObject())));
            CompletableFuture<Void> killer = CompletableFuture.runAsync(() -> killThreeTimes(callers, victim));
            callers.run(ports(a::port, () -> victim.process.port()));
            killer.get();
            victim.process.term();
            a.term();
        }
        checkDistinct(callers);
        JsonObject counts = countsAtRest("kills");
        assertThat(number(counts, "allocated")).isGreaterThanOrEqualTo(callers.values.size());
        System.out.printf(
                "answered %d, refused %s, unknown %d, killed 3 times: %s%n",
                callers.values.size(), callers.refusals, callers.unknown.get(), counts.encode());
    }

    /** The closure's counts once no batch is open; nothing may be unaccounted for. */
    private JsonObject countsAtRest(String sequence) throws Exception {
        try (ServiceProcess service = ServiceProcess.start(postgres, redis, SHORT_LEASE)) {
            String closure = "/v1/sequences/" + sequence + "/closure?from=1&to=1000000";
            Await.until(
                    "no batch is open",
                    Duration.ofSeconds(30),
                    () -> number(
                                    Json.expect(200, service.send("GET", closure, ""))
                                            .getJsonObject("counts"),
                                    "leased")
                            == 0);
            JsonObject atRest = Json.expect(200, service.send("GET", closure, ""));
            assertThat(atRest.getValue("unaccounted").toString()).isEqualTo("0");
            return atRest.getJsonObject("counts");
        }
    }

    private void killThreeTimes(Callers callers, Victim victim) {
        try {
            for (int kill = 1; kill <= 3; kill++) {
                int after = kill * NUMBERS / 5;
                Await.until(after + " numbers are issued", Duration.ofMinutes(2), () -> callers.values.size() >= after);
                victim.process.kill9();
                victim.process.close();
                victim.process = ServiceProcess.start(postgres, redis, SHORT_LEASE);
            }
        } catch (Exception e) {
            throw new AssertionError("the process could not be killed and restarted", e);
        }
    }

    private static List<IntSupplier> ports(IntSupplier a, IntSupplier b) {
        List<IntSupplier> ports = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            ports.add(i % 2 == 0 ? a : b);
        }
        return ports;
    }

    private static void checkDistinct(Callers callers) {
        assertThat(callers.values).hasSizeGreaterThanOrEqualTo(NUMBERS);
        assertThat(new HashSet<>(callers.values)).hasSameSizeAs(callers.values);
    }

    private static long number(JsonObject counts, String state) {
        return Long.parseLong(counts.getValue(state, "0").toString());
    }

    /** The process that is killed and replaced while callers use it. */
    private static final class Victim {
        private volatile ServiceProcess process;

        private Victim(ServiceProcess process) {
            this.process = process;
        }
    }
}
