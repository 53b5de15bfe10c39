package dev.reissue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.Ticket;
import dev.reissue.support.Await;
import dev.reissue.support.RawHttp;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Single faults on real processes, each by itself: the cases from the field that are about whole processes and servers. */
class FaultScenariosIT {
    private static final Duration LONG = Duration.ofSeconds(90);

    private static final String SENT = "sentNanos";

    private FaultWorld world;
    private Node a;
    private Node b;

    @BeforeEach
    void start() throws Exception {
        world = new FaultWorld();
        a = world.nodes.get(0);
        b = world.nodes.get(1);
        a.start();
        world.watch();
    }

    @AfterEach
    void stop() throws Exception {
        try (Connection c = world.postgres.connect()) {
            assertThat(LedgerWatch.number(c, "select count(*) from fault_early"))
                    .isZero();
        } finally {
            world.close();
        }
    }

    @Test
    void case5TwoInstancesIssueDisjointRangesAtOnce() throws Exception {
        b.start();
        create(
                "five",
                new JsonObject().put("batchSize", 100).put("first", "1001").put("batchOpenMaxMs", 60_000));
        await(b, "five");
        CompletableFuture<List<Long>> first = CompletableFuture.supplyAsync(() -> values(a, "five", 100));
        CompletableFuture<List<Long>> second = CompletableFuture.supplyAsync(() -> values(b, "five", 100));
        List<List<Long>> both = new ArrayList<>(List.of(first.get(), second.get()));
        both.sort((x, y) -> Long.compare(x.get(0), y.get(0)));
        assertThat(both.get(0)).containsExactlyElementsOf(range(1001, 1100));
        assertThat(both.get(1)).containsExactlyElementsOf(range(1101, 1200));
    }

    @Test
    void case13AnAbandonedNumberRestsThoughEverythingIsKilled() throws Exception {
        create("thirteen", new JsonObject());
        JsonObject held = next(a, "thirteen");
        long abandoned = System.nanoTime();
        settle(a, "thirteen", "abandon", held);
        a.kill9();
        world.postgres.kill9();
        world.redis.kill9();
        world.postgres.restart();
        world.redis.restart();
        a.start();
        JsonObject again = awaitAgain(a, "thirteen", held, 1);
        assertThat(sinceMs(abandoned)).isGreaterThanOrEqualTo(FaultWorld.WINDOW_MS);
        assertThat(ticket(again).generation()).isEqualTo(1);
    }

    @Test
    void case16ANumberThatWasClaimedByAKilledInstanceComesBackOneGenerationUp() throws Exception {
        create("sixteen", new JsonObject());
        JsonObject held = next(a, "sixteen");
        settle(a, "sixteen", "abandon", held);
        JsonObject again = awaitAgain(a, "sixteen", held, 1);
        long killed = System.nanoTime();
        a.kill9();
        b.start();
        JsonObject third = awaitAgain(b, "sixteen", held, 2);
        assertThat(ticket(again).generation()).isEqualTo(1);
        assertThat(ticket(third).generation()).isEqualTo(2);
        assertThat(sinceMs(killed)).isGreaterThanOrEqualTo(FaultWorld.WINDOW_MS);
        assertThat(settle(b, "sixteen", "confirm", again).status()).isEqualTo(409);
        assertThat(settle(b, "sixteen", "confirm", third).status()).isEqualTo(200);
    }

    @Test
    void case17AfterFlushallPooledNumbersArePushedAgainAndHandedOutOnce() throws Exception {
        create("seventeen", new JsonObject());
        List<JsonObject> held = List.of(next(a, "seventeen"), next(a, "seventeen"));
        for (JsonObject h : held) {
            settle(a, "seventeen", "abandon", h);
        }
        a.term();
        // Released by nobody yet: b, which nobody asks for numbers, puts them into the pool and leaves them there.
        b.start();
        Await.until("both are in the pool", LONG, () -> pooled() == 2);
        world.redis.flush();
        assertThat(pooled()).isZero();
        Await.until("both are pushed again", LONG, () -> pooled() == 2);
        awaitAgain(b, "seventeen", held.get(0), 1);
        int more = 0;
        for (int i = 0; i < 50; i++) {
            more += ticket(next(b, "seventeen")).generation() > 0 ? 1 : 0;
        }
        assertThat(more).as("the other one, and neither of them twice").isEqualTo(1);
    }

    @Test
    void case23ALeaseThatIsCutAtItsCommitLeavesOneBatchOrNoneAndNoWrongAnswer() throws Exception {
        create("twentythree", new JsonObject().put("batchSize", 5));
        // With its generation: a number whose answer was lost may come back meanwhile.
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            if (i % 2 == 0) {
                a.database.loseNextAnswer();
            } else {
                a.database.cutBehindNextRequest();
            }
            for (int k = 0; k < 10; k++) {
                RawHttp.Answer answer = post(a, "/v1/sequences/twentythree/next", "");
                if (answer.status() == 200) {
                    JsonObject got = new JsonObject(answer.body());
                    all.add(ticket(got).value() + " generation " + ticket(got).generation());
                    try (Connection c = world.postgres.connect()) {
                        assertThat(LedgerWatch.number(
                                        c,
                                        "select count(*) from batch where "
                                                + ticket(got).value() + " between lo and hi and batch_id = "
                                                + ticket(got).batchId()))
                                .isOne();
                    }
                } else {
                    assertThat(answer.status()).isEqualTo(503);
                }
            }
        }
        a.database.pass();
        assertThat(all).doesNotHaveDuplicates().isNotEmpty();
        try (Connection c = world.postgres.connect()) {
            Await.until("everything is settled", LONG, () -> LedgerWatch.moving(c) == 0);
            a.term();
            LedgerView ledger = LedgerWatch.read(c);
            assertThat(Checker.violations(new History(), ledger)).isEmpty();
        }
    }

    @Test
    void case24AnInstanceWhoseClockIsAnHourOffAbandonsAndHandsOutNothingEarly() throws Exception {
        boolean can = Node.faketime() != null;
        if (!can) {
            System.out.println("!!! libfaketime is missing (Debian: apt-get install faketime): case 24 is NOT tested");
        }
        Assumptions.assumeTrue(can, "libfaketime is missing");
        create("twentyfour", new JsonObject());
        a.term();
        for (int seconds : new int[] {3600, -3600}) {
            b.start(seconds);
            JsonObject held = next(b, "twentyfour");
            JsonObject again = awaitAgain(b, "twentyfour", held, ticket(held).generation() + 1);
            assertThat(sinceMs(held.getLong(SENT)))
                    .isGreaterThanOrEqualTo(FaultWorld.TIMEOUT_MS + FaultWorld.WINDOW_MS);
            assertThat(settle(b, "twentyfour", "confirm", again).status()).isEqualTo(200);
            b.term();
        }
        a.start();
    }

    @Test
    void case25AReplacementOfTheSameNameDoesNotOwnTheLeasesOfItsPredecessor() throws Exception {
        create("twentyfive", new JsonObject().put("batchOpenMaxMs", 60_000));
        JsonObject before = next(a, "twentyfive");
        a.kill9();
        a.start();
        JsonObject after = next(a, "twentyfive");
        assertThat(ticket(after).batchId()).isNotEqualTo(ticket(before).batchId());
        try (Connection c = world.postgres.connect()) {
            Await.until(
                    "the predecessor's batch is sealed as a whole",
                    LONG,
                    () -> LedgerWatch.number(
                                    c,
                                    "select count(*) from batch where status > 1 and issued_to = hi and batch_id = "
                                            + ticket(before).batchId())
                            == 1);
        }
        assertThat(settle(a, "twentyfive", "confirm", before).status()).isEqualTo(200);
    }

    @Test
    void case26AfterAReadOnlyAnswerTheNextConnectionWorks() throws Exception {
        create("twentysix", new JsonObject());
        JsonObject held = next(a, "twentysix");
        readOnly(true);
        RawHttp.Answer refused = settle(a, "twentysix", "confirm", held);
        assertThat(refused.status()).isEqualTo(503);
        readOnly(false);
        Await.until(
                "the confirm works, without a restart",
                Duration.ofSeconds(10),
                () -> settle(a, "twentysix", "confirm", held).status() == 200);
    }

    @Test
    void timeFromKillToSealedByAnother() throws Exception {
        b.start();
        create("killed", new JsonObject().put("batchOpenMaxMs", 60_000));
        JsonObject held = next(a, "killed");
        a.kill9();
        long killed = System.nanoTime();
        try (Connection c = world.postgres.connect()) {
            Await.until(
                    "the batch of the dead is sealed",
                    LONG,
                    () -> LedgerWatch.number(
                                    c,
                                    "select count(*) from batch where status > 1 and batch_id = "
                                            + ticket(held).batchId())
                            == 1);
        }
        System.out.printf(
                "from kill -9 of an instance to its batches sealed by another: %d ms (lease %d ms, looked for every"
                        + " 300 ms)%n",
                sinceMs(killed), FaultWorld.LEASE_MS);
        assertThat(sinceMs(killed)).isLessThan(10L * FaultWorld.LEASE_MS);
    }

    private void readOnly(boolean on) throws SQLException {
        try (Connection c = world.postgres.connect();
                Statement s = c.createStatement()) {
            s.execute("set default_transaction_read_only = off");
            s.execute("alter system set default_transaction_read_only = " + on);
            s.execute("select pg_reload_conf()");
            s.execute("select pg_sleep(0.3)");
        }
    }

    private int pooled() throws IOException {
        int entries = 0;
        for (String key : world.redis.pools()) {
            entries += world.redis.command("LRANGE", key, "0", "-1").size();
        }
        return entries;
    }

    private void create(String name, JsonObject more) throws IOException {
        JsonObject definition = new JsonObject()
                .put("name", name)
                .put("format", name + "-{seq}")
                .put("batchSize", 100)
                .put("batchOpenMaxMs", 1_000)
                .put("confirmTimeoutMs", FaultWorld.TIMEOUT_MS)
                .put("safetyWindowMs", FaultWorld.WINDOW_MS)
                .put("replayCap", 5)
                .mergeIn(more);
        RawHttp.Answer answer = post(a, "/v1/sequences", definition.encode());
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    }

    private static void await(Node node, String sequence) {
        Await.until(
                node.name + " knows the sequence",
                LONG,
                () -> node.running()
                                .send("GET", "/v1/sequences/" + sequence, "")
                                .status()
                        == 200);
    }

    /** Asks until the number comes again in this generation; whatever else comes is confirmed. */
    private JsonObject awaitAgain(Node node, String sequence, JsonObject number, int generation) {
        JsonObject[] found = new JsonObject[1];
        Await.until(number.getString("number") + " comes again", LONG, () -> {
            JsonObject got = next(node, sequence);
            if (ticket(got).value() == ticket(number).value() && ticket(got).generation() == generation) {
                found[0] = got;
                return true;
            }
            settle(node, sequence, "confirm", got);
            return false;
        });
        return found[0];
    }

    private List<Long> values(Node node, String sequence, int count) {
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(ticket(next(node, sequence)).value());
        }
        return values;
    }

    private static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    /** Takes a number; on a busy machine the first lease may need more time than a request waits. */
    private static JsonObject next(Node node, String sequence) {
        JsonObject[] got = new JsonObject[1];
        Await.until("a number of " + sequence, LONG, () -> {
            long sentNanos = System.nanoTime();
            RawHttp.Answer answer = post(node, "/v1/sequences/" + sequence + "/next", "");
            if (answer.status() == 200) {
                got[0] = new JsonObject(answer.body()).put(SENT, sentNanos);
            }
            return answer.status() == 200;
        });
        return got[0];
    }

    private static RawHttp.Answer settle(Node node, String sequence, String how, JsonObject number) throws IOException {
        JsonArray items = new JsonArray().add(new JsonObject().put("ticket", number.getString("ticket")));
        return post(
                node,
                "/v1/sequences/" + sequence + "/" + how,
                items.getJsonObject(0).encode());
    }

    private static RawHttp.Answer post(Node node, String path, String body) throws IOException {
        return node.running().send("POST", path, body);
    }

    private Ticket ticket(JsonObject number) {
        return world.history.ticket(number.getString("ticket"));
    }

    private static long sinceMs(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
