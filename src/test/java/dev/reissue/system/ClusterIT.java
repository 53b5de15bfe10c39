package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.PgProbe;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Processes that know each other. */
class ClusterIT {
    /** Three seconds, unless the figure for another lease is asked for. */
    private static final long LEASE_MS = Long.getLong("cluster.leaseMs", 3_000);

    /** Nobody looks for leases that are over unless there is a reason to. */
    private static final String[] NOTICED_OR_NEVER = {
        "instance.leaseMs=" + LEASE_MS,
        "instance.renewMs=500",
        "instance.marginMs=500",
        "postgres.leaseDeadlineMs=1000",
        "instance.reapIntervalMs=300000"
    };

    private static final int SPLIT_SEQUENCES = 12;

    private final String database = TestPostgres.freshDatabase();
    private final String postgres = TestPostgres.uri(database);
    private final PgProbe ledger = new PgProbe(database);

    @Test
    void theBatchesOfAKilledProcessAreSealedAsSoonAsItsLeaseIsOver() throws Exception {
        try (ClusterOfProcesses cluster = new ClusterOfProcesses(postgres, TestRedis.uri(3), 2)) {
            ServiceProcess survivor = cluster.start(0, NOTICED_OR_NEVER);
            ServiceProcess victim = cluster.start(1, NOTICED_OR_NEVER);
            ClusterOfProcesses.awaitMembers(2, survivor, victim);
            Json.expect(201, victim.send("POST", "/v1/sequences", Json.sequence("killed", 1000, new JsonObject())));
            Json.expect(200, victim.send("POST", "/v1/sequences/killed/next", ""));
            assertThat(openBatches()).isPositive();

            long killed = System.nanoTime();
            victim.kill9();
            Await.until("its batches are sealed", Duration.ofSeconds(30), () -> openBatches() == 0);
            long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed);
            System.out.printf("with a lease of %d ms, batches were sealed %d ms after kill -9%n", LEASE_MS, ms);
            ClusterOfProcesses.awaitMembers(1, survivor);
            // The lease was renewed half a second before at the earliest; the statement itself decides when it is over.
            assertThat(ms).isBetween(LEASE_MS - 1_000, LEASE_MS + 12_000);
        }
    }

    @Test
    void aChangedDefinitionIsLiveInTheOtherProcessWithinASecond() throws Exception {
        try (ClusterOfProcesses cluster = new ClusterOfProcesses(postgres, TestRedis.uri(3), 2)) {
            ServiceProcess one = cluster.start(0);
            ServiceProcess other = cluster.start(1);
            ClusterOfProcesses.awaitMembers(2, one, other);
            Json.expect(201, one.send("POST", "/v1/sequences", Json.sequence("live", 1000, new JsonObject())));
            long slowest = 0;
            long all = 0;
            try (RawHttp there = other.connect()) {
                Json.expect(200, there.post("/v1/sequences/live/next", ""));
                for (int i = 1; i <= 20; i++) {
                    // The first value above the old counter can come only from a process that knows of the change.
                    long raised = i * 100_000L;
                    Json.expect(
                            200,
                            one.send(
                                    "PATCH",
                                    "/v1/sequences/live",
                                    new JsonObject().put("nextValue", raised).encode()));
                    long changed = System.nanoTime();
                    Await.until("the other process issues above " + raised, Duration.ofSeconds(20), () -> {
                        JsonObject next = Json.expect(200, there.post("/v1/sequences/live/next", ""));
                        return Long.parseLong(next.getString("value")) >= raised;
                    });
                    long took = System.nanoTime() - changed;
                    slowest = Math.max(slowest, took);
                    all += took;
                }
            }
            long ms = TimeUnit.NANOSECONDS.toMillis(slowest);
            long mean = TimeUnit.NANOSECONDS.toMillis(all / 20);
            System.out.printf(
                    "20 changes were live in the other process after %d ms at the most, %d ms on average%n", ms, mean);
            assertThat(ms).isLessThan(1_000);
            assertThat(mean)
                    .as("told, and not found by reading again every second")
                    .isLessThan(300);
        }
    }

    @Test
    void aNumberIsConfirmedWithoutATicketAtAProcessThatDidNotIssueIt() throws Exception {
        try (ClusterOfProcesses cluster = new ClusterOfProcesses(postgres, TestRedis.uri(3), 2)) {
            // A loaded machine may take its time to answer; that is not what this is about.
            ServiceProcess one = cluster.start(0, "cluster.deadlineMs=5000");
            ServiceProcess other = cluster.start(1, "cluster.deadlineMs=5000");
            ClusterOfProcesses.awaitMembers(2, one, other);
            Json.expect(201, one.send("POST", "/v1/sequences", Json.sequence("bare", 1000, new JsonObject())));
            try (RawHttp there = other.connect()) {
                for (int i = 0; i < 200; i++) {
                    String number = next(one, "bare").getString("number");
                    JsonObject confirmed = Json.expect(
                            200,
                            there.post(
                                    "/v1/sequences/bare/confirm",
                                    new JsonObject().put("number", number).encode()));
                    assertThat(confirmed.getString("outcome")).isEqualTo("confirmed");
                }
                // The batch is open, and nobody was given this one yet.
                RawHttp.Answer mistyped = there.post(
                        "/v1/sequences/bare/confirm",
                        new JsonObject().put("number", "900").encode());
                assertThat(Json.expect(409, mistyped).getString("code")).isEqualTo("ticket-required");
            }
        }
    }

    @Test
    void oneProcessIssuesAndAnotherRecyclesAndAbandonedNumbersComeBack() throws Exception {
        try (ClusterOfProcesses cluster = new ClusterOfProcesses(postgres, TestRedis.uri(4), 2)) {
            ServiceProcess issuing = cluster.start(0, "roles=issue", "scan.intervalMs=300");
            ServiceProcess recycling = cluster.start(1, "roles=recycle", "scan.intervalMs=300");
            ClusterOfProcesses.awaitMembers(2, issuing, recycling);
            Json.expect(
                    201,
                    issuing.send(
                            "POST",
                            "/v1/sequences",
                            Json.sequence(
                                    "apart",
                                    100,
                                    new JsonObject()
                                            .put("confirmTimeoutMs", 4_000)
                                            .put("safetyWindowMs", 6_000))));
            Set<String> abandoned = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                JsonObject issued = next(issuing, "apart");
                abandoned.add(issued.getString("value"));
                Json.expect(
                        200,
                        issuing.send(
                                "POST",
                                "/v1/sequences/apart/abandon",
                                new JsonObject()
                                        .put("ticket", issued.getString("ticket"))
                                        .encode()));
            }
            Set<String> back = new HashSet<>();
            Await.until("all ten come back", Duration.ofSeconds(60), () -> {
                JsonObject issued = next(issuing, "apart");
                if (abandoned.contains(issued.getString("value"))) {
                    back.add(issued.getString("value"));
                }
                return back.size() == abandoned.size();
            });

            JsonObject shown = Json.expect(200, issuing.send("GET", "/v1/recycle", ""));
            assertThat(shown.getBoolean("clustered")).isTrue();
            assertThat(shown.getJsonArray("members")).hasSize(2);
            JsonObject scanning = member(shown, "recycle");
            assertThat(scanning.getBoolean("self")).isFalse();
            assertThat(passes(scanning)).contains("expire", "release", "repush", "close", "reap");
            assertThat(passes(member(shown, "issue")))
                    .contains("claim", "reap")
                    .doesNotContain("expire", "release", "repush", "close");
            JsonObject sequence = shown.getJsonArray("sequences").getJsonObject(0);
            assertThat(sequence.getString("owner")).isEqualTo(scanning.getString("id"));
        }
    }

    @Test
    void bothHalvesOfASplitGoOnIssuingAndRecyclingAndFindEachOtherAgain() throws Exception {
        try (ClusterOfProcesses cluster = new ClusterOfProcesses(postgres, TestRedis.uri(5), 2)) {
            ServiceProcess one = cluster.start(0, "scan.intervalMs=300");
            ServiceProcess other = cluster.start(1, "scan.intervalMs=300");
            ClusterOfProcesses.awaitMembers(2, one, other);
            // Enough of them that each half owns some that the other one scanned before.
            for (int i = 0; i < SPLIT_SEQUENCES; i++) {
                Json.expect(
                        201,
                        one.send(
                                "POST",
                                "/v1/sequences",
                                Json.sequence(
                                        "split-" + i,
                                        100,
                                        // What is taken and not settled stays with its taker for the whole test.
                                        new JsonObject()
                                                .put("confirmTimeoutMs", 300_000)
                                                .put("safetyWindowMs", 3_000)
                                                .put("force", true))));
            }
            long split = System.nanoTime();
            cluster.split();
            ClusterOfProcesses.awaitMembers(1, one, other);
            System.out.printf(
                    "two halves %d ms after the cut%n", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - split));

            Set<String> held = new HashSet<>();
            abandonAndTakeAgain(one, List.of(one, other), held);
            abandonAndTakeAgain(other, List.of(one, other), held);

            long healed = System.nanoTime();
            cluster.heal();
            ClusterOfProcesses.awaitMembers(2, one, other);
            System.out.printf(
                    "one cluster again %d ms after the cut was mended%n",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - healed));
            next(one, "split-0");
        }
    }

    /** Abandons a number of each sequence at one half, and waits until all come back, to either half, each once. */
    private static void abandonAndTakeAgain(ServiceProcess half, List<ServiceProcess> both, Set<String> held)
            throws Exception {
        Set<String> abandoned = new HashSet<>();
        for (int i = 0; i < SPLIT_SEQUENCES; i++) {
            JsonObject issued = next(half, "split-" + i);
            assertThat(held).doesNotContain(i + "/" + issued.getString("value"));
            abandoned.add(i + "/" + issued.getString("value"));
            Json.expect(
                    200,
                    half.send(
                            "POST",
                            "/v1/sequences/split-" + i + "/abandon",
                            new JsonObject()
                                    .put("ticket", issued.getString("ticket"))
                                    .encode()));
        }
        Set<String> back = new HashSet<>();
        Await.until("all come back", Duration.ofMinutes(2), () -> {
            for (ServiceProcess process : both) {
                for (int i = 0; i < SPLIT_SEQUENCES; i++) {
                    String value = i + "/" + next(process, "split-" + i).getString("value");
                    assertThat(held.add(value)).as("nobody holds " + value).isTrue();
                    if (abandoned.contains(value)) {
                        back.add(value);
                    }
                }
            }
            return back.size() == SPLIT_SEQUENCES;
        });
    }

    /** Takes a number, again after a moment where there is none yet, as a caller would. */
    private static JsonObject next(ServiceProcess process, String sequence) {
        JsonObject[] issued = {new JsonObject()};
        Await.until("a number of " + sequence, Duration.ofSeconds(30), () -> {
            RawHttp.Answer answer = process.send("POST", "/v1/sequences/" + sequence + "/next", "");
            issued[0] = new JsonObject(answer.body());
            return answer.status() == 200;
        });
        return issued[0];
    }

    private static JsonObject member(JsonObject shown, String role) {
        JsonArray members = shown.getJsonArray("members");
        for (int i = 0; i < members.size(); i++) {
            if (members.getJsonObject(i).getJsonArray("roles").contains(role)) {
                return members.getJsonObject(i);
            }
        }
        throw new AssertionError("nobody does " + role + ": " + shown.encode());
    }

    private static List<String> passes(JsonObject member) {
        List<String> names = new ArrayList<>();
        member.getJsonArray("passes").forEach(pass -> names.add(((JsonObject) pass).getString("pass")));
        return names;
    }

    private long openBatches() {
        return ledger.query("select count(*) from batch where status = 1", r -> r.getLong(1))
                .get(0);
    }
}
