package dev.reissue.recycle;

import static dev.reissue.recycle.RecycleWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.NumberState;
import dev.reissue.postgres.PgSequenceNames;
import dev.reissue.recycle.DeadLetterStore.Filter;
import dev.reissue.recycle.ProbeStore.Backoff;
import dev.reissue.sequence.ProbeHosts;
import dev.reissue.support.Await;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The question before recycling, with a business system on a real socket. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProbeIT {
    private final RecycleWorld world = new RecycleWorld(15);
    private final HttpClient client = world.vertx.createHttpClient();
    private final List<JsonObject> questions = new CopyOnWriteArrayList<>();
    private HttpServer business;
    private volatile BiConsumer<HttpServerRequest, JsonObject> answer = (request, question) -> {};

    @BeforeAll
    void start() {
        world.flush();
        business = await(world.vertx
                .createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> {
                    JsonObject question = body.toJsonObject();
                    questions.add(question);
                    answer.accept(request, question);
                }))
                .listen(0, "127.0.0.1"));
    }

    @BeforeEach
    void forget() {
        questions.clear();
    }

    @AfterAll
    void close() {
        await(client.close());
        await(business.close());
        world.close();
    }

    @Test
    void usedNumbersAreConfirmedUnusedOnesReleasedAndUnknownOnesAskedAboutAgain() {
        int s = timedOut(10);
        says(List.of("N-000001", "N-000002"), List.of("N-000003", "N-999999"));

        ProbePass.Report r = await(probe(s).run());

        assertThat(r).isEqualTo(new ProbePass.Report(10, 2, 1, 7, 0, false));
        assertThat(questions).hasSize(1);
        assertThat(questions.get(0).getString("sequence")).isEqualTo("s" + s);
        assertThat(questions.get(0).getJsonArray("numbers")).hasSize(10).contains("N-000001");
        assertThat(world.known(s, 1).state()).isEqualTo(NumberState.CONFIRMED);
        assertThat(world.known(s, 3).state()).isEqualTo(NumberState.REPLAYABLE);
        assertThat(world.poolOf(s)).hasSize(1);
        assertThat(world.known(s, 4).state()).isEqualTo(NumberState.ABANDONED);
        assertThat(world.story(s, 1)).last().isEqualTo("3>2:0:used");
        assertThat(await(world.release(s).run()).released()).isZero();
        assertThat(await(probe(s).run()).asked()).isZero();
        world.pass(s, 5);
        assertThat(await(probe(s).run()).asked()).isEqualTo(7);
    }

    @Test
    void ruleNobodyIsAskedBeforeTheWindowIsOver() {
        int s = sequence();
        world.sealed(s, 1, 10);
        await(world.expire(s).run());
        says(List.of(), List.of("N-000001"));
        world.pass(s, 119);
        assertThat(await(probe(s).run()).asked()).isZero();
        assertThat(questions).isEmpty();
        world.pass(s, 1);
        assertThat(await(probe(s).run()).asked()).isEqualTo(10);
    }

    @Test
    void anExplicitAbandonIsNotAskedAbout() {
        int s = sequence();
        world.abandon(s, world.sealed(s, 7, 7), 7);
        world.pass(s, 120);
        assertThat(await(probe(s).run()).asked()).isZero();
        assertThat(await(world.release(s).run()).released()).isOne();
    }

    @Test
    void aHostThatIsNotMeantForProbesIsNotAsked() {
        int s = timedOut(1);
        says(List.of(), List.of("N-000001"));
        ProbePass pass = probe(
                s,
                new ProbeBreaker(1000, 10_000, world.nanos::get),
                new HttpProbe(client, 500, new ProbeHosts(List.of("orders.internal"))));

        assertThat(await(pass.run()).unknown()).isOne();
        assertThat(questions).isEmpty();
        assertThat(world.known(s, 1).state()).isEqualTo(NumberState.ABANDONED);
    }

    @Test
    void aBusinessSystemThatIsDownLeavesTheNumberPendingAndInTheEndADeadLetter() {
        int s = timedOut(1);
        world.run("update sequence set probe_url = 'http://127.0.0.1:1/down' where id = ?", s);
        for (int i = 1; i < 15; i++) {
            assertThat(await(probe(s).run()).unknown()).isOne();
            assertThat(world.known(s, 1).state()).isEqualTo(NumberState.ABANDONED);
            assertThat(world.known(s, 1).probeAttempts()).isEqualTo(i);
            assertThat(await(world.release(s).run()).released()).isZero();
            world.pass(s, 300);
        }
        assertThat(await(probe(s).run()).dead()).isOne();
        assertThat(world.known(s, 1).state()).isEqualTo(NumberState.DEAD);

        DeadLetters letters = new DeadLetters(world.pushes);
        assertThat(await(letters.list(new Filter(null, null, DeadReason.PROBE_UNKNOWN, null), 0, 10)))
                .anySatisfy(letter -> assertThat(letter.row().sequenceId()).isEqualTo(s));
        // A redrive asks again; "unreachable" never becomes "unused" by that.
        assertThat(await(letters.redrive(world.known(s, 1).id(), "op"))).isTrue();
        assertThat(await(world.release(s).run()).released()).isZero();
        assertThat(await(probe(s).run()).unknown()).isOne();
        world.run("update sequence set probe_url = ? where id = ?", url(), s);
        says(List.of(), List.of("N-000001"));
        world.pass(s, 300);
        assertThat(await(probe(s).run()).unused()).isOne();
    }

    @Test
    void whatIsNotAnAnswerMeansUnknown() {
        int s = timedOut(1);
        List<BiConsumer<HttpServerRequest, JsonObject>> bad = new ArrayList<>();
        String unused = new JsonObject()
                .put("used", new JsonArray())
                .put("unused", new JsonArray().add("N-000001"))
                .encode();
        bad.add((r, q) -> r.response().setStatusCode(500).end(unused));
        bad.add((r, q) -> r.response().setStatusCode(204).end());
        bad.add((r, q) -> r.response().end("{\"unused\":[\"N-000001\"]}"));
        bad.add((r, q) -> r.response().end("{\"used\":[],\"unused\":\"N-000001\"}"));
        bad.add((r, q) -> r.response().end("{\"used\":[],\"unused\":[1]}"));
        bad.add((r, q) -> r.response().end("{\"used\":[\"N-000001\"],\"unused\":[\"N-000001\"]}"));
        bad.add((r, q) -> r.response().end("[]"));
        bad.add((r, q) -> r.response().end("unused"));
        bad.add((r, q) -> r.connection().close());
        bad.add((r, q) -> {
            // Never answers.
        });
        for (BiConsumer<HttpServerRequest, JsonObject> b : bad) {
            answer = b;
            assertThat(await(probe(s).run())).isEqualTo(new ProbePass.Report(1, 0, 0, 1, 0, false));
            assertThat(world.known(s, 1).state()).isEqualTo(NumberState.ABANDONED);
            world.pass(s, 300);
        }
    }

    @Test
    void anAnswerThatComesAfterTheNumberChangedChangesNothing() {
        int s = timedOut(2);
        answer = (request, question) -> {
            world.run("update issue_log set status = 2, version = version + 1 where sequence_id = ? and seq_no = 1", s);
            world.run(
                    "update issue_log set explicit = true, version = version + 1 where sequence_id = ? and seq_no = 2",
                    s);
            request.response()
                    .end(new JsonObject()
                            .put("used", new JsonArray())
                            .put("unused", question.getJsonArray("numbers"))
                            .encode());
        };
        assertThat(await(probe(s).run()).unused()).isZero();
        assertThat(world.known(s, 1).state()).isEqualTo(NumberState.CONFIRMED);
        assertThat(world.known(s, 2).state()).isEqualTo(NumberState.ABANDONED);
    }

    @Test
    void anEndpointThatDoesNotAnswerIsLeftAloneForAWhile() {
        int s = timedOut(1);
        answer = (request, question) -> request.response().setStatusCode(503).end();
        ProbePass pass = probe(s, new ProbeBreaker(3, 10_000, world.nanos::get));
        for (int i = 0; i < 3; i++) {
            assertThat(await(pass.run()).asked()).isOne();
            world.pass(s, 300);
        }
        assertThat(await(pass.run()).asked()).isZero();
        assertThat(world.known(s, 1).probeAttempts()).isEqualTo(3);
        world.nanos.addAndGet(10_000_000_000L);
        says(List.of("N-000001"), List.of());
        assertThat(await(pass.run()).used()).isOne();
    }

    @Test
    void anAlertReachesTheWebhookWithSequenceNumberAndBatch() {
        Promise<JsonObject> arrived = Promise.promise();
        answer = (request, body) -> {
            request.response().setStatusCode(204).end();
            if ("1005".equals(body.getString("value"))) {
                arrived.tryComplete(body);
            }
        };
        int s = world.sequence();
        alerts(new Outcomes()).dead(List.of(new LogRow(9, 2, s, 1005, 17, 1)), DeadReason.ENTRY_LOST);

        String name = world.texts("select name from sequence where id = ?", s).get(0);
        assertThat(await(arrived.future()))
                .isEqualTo(
                        new JsonObject("{\"alert\":\"dead-letter\",\"reason\":\"entry-lost\",\"detail\":\"entry-lost\","
                                + "\"tenant\":\"default\",\"sequence\":\"" + name
                                + "\",\"number\":\"N-001005\",\"value\":\"1005\",\"batch\":\"17\",\"generation\":1}"));
    }

    @Test
    void aWebhookThatNeverAnswersHoldsUpNobodyAndWhatItDoesNotTakeIsCounted() {
        answer = (request, body) -> {};
        int s = world.sequence();
        Outcomes outcomes = new Outcomes();
        RecycleAlerts alerts = alerts(outcomes);
        int occasions = WebhookAlerts.WAITING_MAX / RecycleAlerts.LINES + 3;
        List<LogRow> rows = new ArrayList<>();
        for (int i = 0; i < RecycleAlerts.LINES; i++) {
            rows.add(new LogRow(i, 2, s, i, 17, 1));
        }
        for (int i = 0; i < occasions; i++) {
            alerts.dead(rows, DeadReason.ENTRY_LOST);
        }
        int beyond = occasions * RecycleAlerts.LINES - WebhookAlerts.WAITING_MAX - WebhookAlerts.UNDER_WAY_MAX;
        Await.until("the queue is full", Duration.ofSeconds(30), () -> outcomes.of("dropped") >= beyond);
        // Its calls are given up in time, and others follow.
        Await.until("calls time out", Duration.ofSeconds(30), () -> outcomes.of("failed") > 4);
        assertThat(outcomes.of("delivered")).isZero();
        answer = (request, body) -> request.response().setStatusCode(204).end();
        Await.until("the rest arrives", Duration.ofSeconds(30), () -> outcomes.of("delivered") > 900);
    }

    private RecycleAlerts alerts(RecycleMeter meter) {
        return new RecycleAlerts(
                meter, new PgSequenceNames(world.database), new WebhookAlerts(client, url(), 500, meter));
    }

    /** Counts what became of alerts for the webhook. */
    private static final class Outcomes implements RecycleMeter {
        private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

        @Override
        public void pass(String name, Map<String, Integer> counters, long nanos) {}

        @Override
        public void passFailed(String name, String kind) {}

        @Override
        public void ledger(long oldestOverdueMs, long cooling, long replayable, long deadLetters) {}

        @Override
        public void poolDepth(long entries) {}

        @Override
        public void stock(String event, int numbers) {}

        @Override
        public void alert(String kind, String reason, int numbers) {}

        @Override
        public void webhook(String outcome) {
            counts.computeIfAbsent(outcome, o -> new LongAdder()).increment();
        }

        long of(String outcome) {
            return counts.getOrDefault(outcome, new LongAdder()).sum();
        }
    }

    private void says(List<String> used, List<String> unused) {
        answer = (request, question) -> request.response()
                .end(new JsonObject()
                        .put("used", new JsonArray(used))
                        .put("unused", new JsonArray(unused))
                        .encode());
    }

    private String url() {
        return "http://127.0.0.1:" + business.actualPort() + "/used";
    }

    private int sequence() {
        int s = world.sequence();
        world.run("update sequence set probe_url = ? where id = ?", url(), s);
        return s;
    }

    private int timedOut(int numbers) {
        int s = sequence();
        world.sealed(s, 1, numbers);
        await(world.expire(s).run());
        world.pass(s, 120);
        return s;
    }

    private ProbePass probe(int sequence) {
        return probe(sequence, new ProbeBreaker(1000, 10_000, world.nanos::get));
    }

    private ProbePass probe(int sequence, ProbeBreaker breaker) {
        return probe(sequence, breaker, new HttpProbe(client, 500, ProbeHosts.ANY));
    }

    private ProbePass probe(int sequence, ProbeBreaker breaker, HttpProbe http) {
        return new ProbePass(
                world.releases,
                world.releases,
                world.pushes,
                world.pool,
                http,
                breaker,
                Backoff.DEFAULT,
                PushSchedule.DEFAULT,
                world.only(sequence),
                RecycleWorld.paging(500),
                world.alerting);
    }
}
