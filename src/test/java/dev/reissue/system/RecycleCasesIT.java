package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestRedis;
import dev.reissue.system.CaseWorld.Held;
import io.vertx.core.json.JsonObject;
import io.vertx.redis.client.Command;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The cases from the field about confirming, abandoning and recycling, over HTTP at a real process. t = 60 s, W = 120 s. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecycleCasesIT {
    private final CaseWorld world = new CaseWorld(7);
    private ServiceProcess service;

    @BeforeAll
    void start() throws IOException {
        service = world.start();
    }

    @AfterAll
    void end() throws IOException {
        service.close();
        world.close();
    }

    @Test
    void case3AHoleInTheMiddleIsFilledBeforeTheSequenceGoesOn() throws IOException {
        List<Held> held = five("hole");
        for (int i : new int[] {0, 1, 3, 4}) {
            settle("hole", "confirm", held.get(i), 200);
        }
        settle("hole", "abandon", held.get(2), 200);
        assertThat(world.reissued(service, "hole", held.get(2)).value()).isEqualTo(3);
        assertThat(world.next(service, "hole").value()).isEqualTo(6);
    }

    @Test
    void case10AConfirmAfterTheTimeoutRescuesAndIsNeverRecycled() throws IOException {
        Held late = five("late").get(2);
        world.pass(60);
        world.await(service, "late", late.number(), "ABANDONED");
        world.pass(30);
        assertThat(settle("late", "confirm", late, 200).getString("outcome")).isEqualTo("confirmed");
        world.pass(1_000);
        Await.until(
                "the others came back",
                Duration.ofSeconds(30),
                () -> world.next(service, "late").value() == 1);
        assertThat(world.state(service, "late", late.number())).isEqualTo("CONFIRMED");
    }

    @Test
    void case10AConfirmAfterTheNumberWentToAnotherIsRefusedAndDoesNotTouchHim() throws IOException {
        create("other", 1);
        Held a = world.next(service, "other");
        Await.until("its batch is sealed", Duration.ofSeconds(30), () -> sealed("other", a));
        world.pass(60);
        world.await(service, "other", a.number(), "ABANDONED");
        Held b = world.reissued(service, "other", a);
        JsonObject refused = settle("other", "confirm", a, 409);
        assertThat(refused.getString("code")).isEqualTo("superseded");
        assertThat(world.state(service, "other", a.number())).isEqualTo("REPLAYED");
        settle("other", "confirm", b, 200);
        assertThat(settle("other", "confirm", a, 409).getString("state")).isEqualTo("CONFIRMED");
    }

    @Test
    void case11OnlyTheTicketOfTheLastGenerationConfirmsAndAgainWhenRepeated() throws IOException {
        List<Held> held = five("ticket");
        confirmOthers("ticket", held, 4);
        settle("ticket", "abandon", held.get(4), 200);
        Held first = world.reissued(service, "ticket", held.get(4));
        settle("ticket", "abandon", first, 200);
        Held second = world.reissued(service, "ticket", first);
        assertThat(settle("ticket", "confirm", first, 409).getString("code")).isEqualTo("superseded");
        assertThat(settle("ticket", "confirm", held.get(4), 409).getString("code"))
                .isEqualTo("superseded");
        assertThat(settle("ticket", "confirm", second, 200).getInteger("generation"))
                .isEqualTo(2);
        assertThat(settle("ticket", "confirm", second, 200).getString("outcome"))
                .isEqualTo("confirmed");
    }

    @Test
    void case12AnEntryThatThePoolHoldsManyTimesIsHandedOutOnce() throws IOException {
        List<Held> held = five("twice");
        settle("twice", "abandon", held.get(2), 200);
        long row = world.ledger
                .query("select id from issue_log where sequence_id = ?", r -> r.getLong(1), world.id("twice"))
                .get(0);
        String key = world.poolKey("twice");
        for (int version = 1; version <= 8; version++) {
            world.redis(Command.RPUSH, key, row + ":" + version, row + ":" + version);
        }
        world.pass(120);
        List<Long> values = new ArrayList<>();
        Await.until("the number is back and its copies are gone", Duration.ofSeconds(30), () -> {
            values.add(world.next(service, "twice").value());
            return values.contains(3L) && world.pool("twice").isEmpty();
        });
        assertThat(values).doesNotHaveDuplicates();
    }

    @Test
    void case14AWindowShorterThanWhatDownstreamMayHoldIsRefusedUnlessForced() throws IOException {
        JsonObject brief = new JsonObject().put("confirmTimeoutMs", 60_000).put("safetyWindowMs", 89_999);
        JsonObject refused = Json.expect(400, service.send("POST", "/v1/sequences", Json.sequence("brief", 5, brief)));
        assertThat(refused.getString("code")).isEqualTo("field-invalid");
        assertThat(refused.getString("detail")).contains("safetyWindowMs");
        brief.put("safetyWindowMs", 90_000);
        Json.expect(201, service.send("POST", "/v1/sequences", Json.sequence("enough", 5, brief)));
        brief.put("safetyWindowMs", 1_000).put("force", true);
        Json.expect(201, service.send("POST", "/v1/sequences", Json.sequence("brief", 5, brief)));
    }

    @Test
    void case15TenThousandNumbersCoolAndNextGoesOnFromFreshSegments() throws IOException {
        create("cool", 1000);
        long before = slowestOfNext("cool", 300);
        for (int call = 0; call < 10; call++) {
            List<String> tickets =
                    world.take(service, "cool", 1000).stream().map(Held::ticket).toList();
            Json.expect(200, service.send("POST", CaseWorld.path("cool") + "/abandon", Json.tickets(tickets)));
        }
        long cooling = slowestOfNext("cool", 300);
        assertThat(world.closure(service, "cool", 20_000)
                        .getJsonObject("counts")
                        .getLong("abandoned"))
                .isEqualTo(10_000);
        assertThat(world.pool("cool")).isEmpty();
        System.out.printf("case 15: p99 of next %d us before, %d us with 10,000 cooling%n", before, cooling);
        // Far above what a busy machine does to both, far below what waiting for a pass would take.
        assertThat(cooling).isLessThan(Math.max(50_000, 3 * before));
    }

    @Test
    void case18WithTheBusinessSystemDownANumberStaysPendingAndEndsAsADeadLetter() throws IOException {
        String nobody = "http://127.0.0.1:" + TestRedis.freePort() + "/used";
        world.create(service, "probed", 5, new JsonObject().put("probeUrl", nobody));
        List<Held> held = world.take(service, "probed", 5);
        Await.until("its batch is sealed", Duration.ofSeconds(30), () -> sealed("probed", held.get(0)));
        world.pass(60);
        world.await(service, "probed", held.get(0).number(), "ABANDONED");
        world.pass(120);
        Await.until("it is asked about twice", Duration.ofSeconds(30), () -> {
            world.pass(300);
            return tries("probed") >= 2;
        });
        assertThat(world.state(service, "probed", held.get(0).number())).isEqualTo("ABANDONED");
        Await.until("the last try is over", Duration.ofSeconds(60), () -> {
            world.pass(300);
            return world.state(service, "probed", held.get(0).number()).equals("DEAD");
        });
        JsonObject letter = Json.expect(200, service.send("GET", "/v1/dead-letters?sequence=probed", ""))
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(letter.getString("reason")).isEqualTo("probe-unknown");
        assertThat(letter.getInteger("probeTries")).isEqualTo(15);
        String alerts = "reissue_recycle_alerts_total{kind=\"dead-letter\",reason=\"probe-unknown\"}";
        Await.until("all five are reported", Duration.ofSeconds(30), () -> {
            world.pass(300);
            return CaseWorld.metric(service, alerts) == 5;
        });
        world.pass(10_000);
        assertThat(world.next(service, "probed").value()).isEqualTo(6);
    }

    @Test
    void case19AConfirmedNumberNeverReturnsAndADisclosedOneIsVoid() throws IOException {
        List<Held> held = five("final");
        settle("final", "confirm", held.get(3), 200);
        settle("final", "confirm", held.get(4), 200);
        settle("final", "confirm", held.get(0), 200);
        assertThat(settle("final", "abandon", held.get(0), 409).getString("code"))
                .isEqualTo("already-confirmed");
        JsonObject disclosed =
                new JsonObject().put("ticket", held.get(1).ticket()).put("reason", "disclosed");
        Json.expect(200, service.send("POST", CaseWorld.path("final") + "/abandon", disclosed.encode()));
        settle("final", "abandon", held.get(2), 200);
        world.reissued(service, "final", held.get(2));
        world.pass(10_000);
        assertThat(world.next(service, "final").value()).isEqualTo(6);
        assertThat(world.state(service, "final", held.get(0).number())).isEqualTo("CONFIRMED");
        assertThat(world.state(service, "final", held.get(1).number())).isEqualTo("VOID");
    }

    @Test
    void case20ANumberThatComesBackTooOftenIsRetiredReportedAndSkippedForGood() throws IOException {
        List<Held> held = five("hot");
        confirmOthers("hot", held, 0);
        Held hot = held.get(0);
        double alerts = CaseWorld.metric(service, HOT);
        for (int i = 0; i < 2; i++) {
            settle("hot", "abandon", hot, 200);
            hot = world.reissued(service, "hot", hot);
        }
        settle("hot", "abandon", hot, 200);
        world.pass(120);
        world.await(service, "hot", hot.number(), "RETIRED");
        String number = hot.number();
        Await.until(
                "the alert is out",
                Duration.ofSeconds(10),
                () -> service.output().contains(number));
        assertThat(CaseWorld.metric(service, HOT)).isEqualTo(alerts + 1);
        assertThat(service.output().lines().filter(l -> l.contains("A number needs a look") && l.contains(number)))
                .singleElement()
                .asString()
                .contains("hot-number", "replay-cap", "\"hot\"", "batchId");
        world.pass(10_000);
        assertThat(world.next(service, "hot").value()).isEqualTo(6);
    }

    @Test
    void case21AVoidNumberIsAFateAndNotAGap() throws IOException {
        List<Held> held = five("void");
        JsonObject damaged =
                new JsonObject().put("ticket", held.get(3).ticket()).put("reason", "form damaged");
        Json.expect(200, service.send("POST", CaseWorld.path("void") + "/void", damaged.encode()));
        for (int i : new int[] {0, 1, 2, 4}) {
            settle("void", "confirm", held.get(i), 200);
        }
        JsonObject closure = world.closure(service, "void", 5);
        assertThat(closure.getJsonObject("counts").getInteger("void")).isOne();
        assertThat(closure.getJsonArray("gaps")).isEmpty();
        assertThat(closure.getValue("unaccounted").toString()).isEqualTo("0");
        assertThat(world.lookup(service, "void", held.get(3).number()).encode()).contains("form damaged");
    }

    private static final String HOT = "reissue_recycle_alerts_total{kind=\"hot-number\",reason=\"replay-cap\"}";

    private void create(String name, int batchSize) throws IOException {
        world.create(service, name, batchSize, new JsonObject());
    }

    /** Creates a sequence of batches of five and takes its first one. */
    private List<Held> five(String name) throws IOException {
        create(name, 5);
        List<Held> held = world.take(service, name, 5);
        Await.until("its batch is sealed", Duration.ofSeconds(30), () -> sealed(name, held.get(0)));
        return held;
    }

    /** Confirms all but one, so that no other number comes back. */
    private void confirmOthers(String sequence, List<Held> held, int but) throws IOException {
        for (int i = 0; i < held.size(); i++) {
            if (i != but) {
                settle(sequence, "confirm", held.get(i), 200);
            }
        }
    }

    private boolean sealed(String sequence, Held held) throws IOException {
        JsonObject batch = world.lookup(service, sequence, held.number()).getJsonObject("batch");
        return !batch.getString("status").equals("OPEN");
    }

    private int tries(String sequence) {
        return world.ledger
                .query(
                        "select min(probe_attempts) from issue_log where sequence_id = ?",
                        r -> r.getInt(1),
                        world.id(sequence))
                .get(0);
    }

    private JsonObject settle(String sequence, String call, Held held, int status) throws IOException {
        return Json.expect(status, world.settle(service, sequence, call, held));
    }

    /** The p99 of single numbers over one connection, in microseconds. */
    private long slowestOfNext(String sequence, int calls) throws IOException {
        long[] micros = new long[calls];
        try (RawHttp http = service.connect()) {
            for (int i = 0; i < calls; i++) {
                long start = System.nanoTime();
                Json.expect(200, http.post(CaseWorld.path(sequence) + "/next", ""));
                micros[i] = (System.nanoTime() - start) / 1_000;
            }
        }
        Arrays.sort(micros);
        return micros[calls * 99 / 100];
    }
}
