package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.audit.Fate;
import dev.reissue.audit.HandOutHint;
import dev.reissue.audit.LookupResult;
import dev.reissue.audit.LookupResult.Reason;
import dev.reissue.audit.NumberLookup;
import dev.reissue.audit.NumberReport;
import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceDefinition;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a lookup shows of a number, over a ledger written by hand: batches 1..10 (sealed), 11..20 (open), 21..30 (closed). */
@SuppressWarnings("NullAway.Init")
class NumberLookupIT {
    private static final NumberFormat FORMAT = NumberFormat.parse("ORD-{seq:4}");
    private static final SequenceDefinition ORDER = new SequenceDefinition(
            1, "default", "order", FORMAT, 1, 5000, 10, 5000, 60_000, 120_000, true, 2, null, null, false, false, 1);

    private static Vertx vertx;
    private static PgDatabase database;
    private static Connection connection;
    private static NumberLookup lookup;

    @BeforeAll
    static void start() throws Exception {
        vertx = Vertx.vertx();
        String name = TestPostgres.freshDatabase();
        database = new PgDatabase(vertx, TestPostgres.uri(name), "query", 2, 256, 30_000);
        connection = TestPostgres.connect(name);
        lookup = new NumberLookup(new PgAuditStore(database), HandOutHint.NONE);
        execute("insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout,"
                + " safety_window, recycle, replay_cap, trace, forced) values ('order', 'ORD-{seq:4}', 1, 5000, 10, '5 s',"
                + " '60 s', '120 s', true, 2, false, false)");
        execute("insert into sequence_counter values (1, '', 101, 1, 1)");
        batch(1, 10, "10", "1000000000", 2);
        batch(11, 20, "null", "1000000000", 1);
        batch(21, 30, "30", "1111111110", 3);
        execute("insert into returned_range (sequence_id, period, lo, hi) values (1, '', 31, 40)");
        execute("insert into skipped_range (sequence_id, period, lo, hi) values (1, '', 41, 90)");
    }

    private static void batch(long lo, long hi, String issuedTo, String confirmed, int status) throws Exception {
        String ended = status == 1 ? "null, null" : "'2026-05-18 10:00:05Z', '2026-05-18 10:01:05Z'";
        execute(
                "insert into batch (sequence_id, period, lo, hi, owner, lease_id, opened_at, issued_to, sealed_at, due_at,"
                        + " confirmed, abandoned, status) values (1, '', " + lo + ", " + hi + ", gen_random_uuid(),"
                        + " gen_random_uuid(), '2026-05-18 10:00:00Z', " + issuedTo + ", " + ended + ", b'" + confirmed
                        + "', b'0000000000', " + status + ")");
    }

    @AfterAll
    static void stop() throws Exception {
        connection.close();
        await(database.close());
        await(vertx.close());
    }

    @ParameterizedTest
    @CsvSource({
        "ORD-0001, CONFIRMED",
        "ORD-0002, ALLOCATED",
        "ORD-0010, ALLOCATED",
        "ORD-0011, CONFIRMED",
        "ORD-0012, LEASED",
        "ORD-0029, CONFIRMED",
        "ORD-0030, UNACCOUNTED",
    })
    void withoutARowTheBatchDecides(String number, Fate state) throws Exception {
        NumberReport report = found(number);

        assertThat(report.state()).isEqualTo(state);
        assertThat(report.generation()).isZero();
        assertThat(report.issuedAt()).hasToString("2026-05-18T10:00:00Z");
    }

    @ParameterizedTest
    @CsvSource({
        "ORD-0000, OUT_OF_RANGE",
        "ORD-0031, RETURNED",
        "ORD-0041, SKIPPED",
        "ORD-0091, LOST",
        "ORD-0101, NOT_YET",
        "ORD-5001, OUT_OF_RANGE",
    })
    void whatNobodyGotIsToldWithItsReason(String number, Reason reason) throws Exception {
        assertThat(await(lookup.find(ORDER, number)))
                .isEqualTo(new LookupResult.NeverIssued(number, FORMAT.parseValue(number), reason));
    }

    @Test
    void textThatIsNoNumberOfTheSequenceIsToldApart() throws Exception {
        assertThat(await(lookup.find(ORDER, "0001"))).isEqualTo(new LookupResult.NotANumber("0001"));
    }

    @Test
    void theOwnerOfAnOpenBatchKnowsWhatItHandedOut() throws Exception {
        NumberLookup owner = new NumberLookup(new PgAuditStore(database), (id, value) -> id == 1 && value <= 12);

        assertThat(((LookupResult.Found) await(owner.find(ORDER, "ORD-0012")))
                        .report()
                        .state())
                .isEqualTo(Fate.ALLOCATED);
        assertThat(((LookupResult.Found) await(owner.find(ORDER, "ORD-0013")))
                        .report()
                        .state())
                .isEqualTo(Fate.LEASED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"LEASED", "RETURNED", "NEVER_ISSUED", "UNACCOUNTED"})
    void aRowDecidesOverTheBatch(Fate state) throws Exception {
        execute(
                "insert into issue_log (sequence_id, period, seq_no, batch_id, status, generation) values (1, '', 9, 1, "
                        + state.code()
                        + ", 3) on conflict (sequence_id, period, seq_no) do update set status = excluded.status");

        NumberReport report = found("ORD-0009");

        assertThat(report.state()).isEqualTo(state);
        assertThat(report.generation()).isEqualTo(3);
        assertThat(report.issuedAt()).hasToString("2026-05-18T10:00:00Z");
    }

    @Test
    void theWholeStoryOfANumberIsShown() throws Exception {
        execute(
                "insert into issue_log (id, sequence_id, period, seq_no, batch_id, status, generation, holder_generation,"
                        + " biz_key, explicit, abandon_reason, issued_time, abandoned_time, replay_deadline, replay_times, changed_at)"
                        + " overriding system value values (77, 1, '', 5, 1, 8, 1, 0, 'INV-1', true, 'cancelled',"
                        + " '2026-05-18 10:00:01Z', '2026-05-18 10:00:02Z', '2026-05-18 10:02:02Z', 1, '2026-05-18 10:09:00Z')");
        execute(
                "insert into issue_dead (id, sequence_id, period, seq_no, batch_id, generation, holder_generation, version,"
                        + " push_attempts, probe_attempts, dead_reason, dead_time) values (77, 1, '', 5, 1, 1, 0, 9, 4, 0,"
                        + " 'push-failed', '2026-05-18 10:09:00Z')");
        execute(
                "insert into issue_event (at, sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)"
                        + " values ('2026-05-18 10:00:02Z', 1, '', 5, null, 3, 0, 'cancelled', 'req-1'),"
                        + " ('2026-05-18 10:02:03Z', 1, '', 5, 3, 4, 0, null, 'release'),"
                        + " ('2026-05-18 10:09:00Z', 1, '', 5, 4, 8, 0, 'push-failed', 'repush')");

        Map<String, ?> shown = found("ORD-0005").toMap();

        assertThat(shown.keySet())
                .containsExactly(
                        "number",
                        "value",
                        "state",
                        "generation",
                        "issuedAt",
                        "holderGeneration",
                        "bizKey",
                        "reason",
                        "abandonedAt",
                        "abandonedBy",
                        "replayDeadline",
                        "replayTimes",
                        "changedAt",
                        "deadReason",
                        "deadSince",
                        "batch",
                        "history");
        assertThat(shown.get("number")).isEqualTo("ORD-0005");
        assertThat(shown.get("value")).isEqualTo("5");
        assertThat(shown.get("state")).isEqualTo("DEAD");
        assertThat(shown.get("issuedAt")).isEqualTo("2026-05-18T10:00:01Z");
        assertThat(shown.get("abandonedBy")).isEqualTo("holder");
        assertThat(shown.get("deadReason")).isEqualTo("push-failed");
        assertThat(shown.get("batch"))
                .isEqualTo(Map.of(
                        "id",
                        "1",
                        "lo",
                        "1",
                        "hi",
                        "10",
                        "issuedTo",
                        "10",
                        "status",
                        "SEALED",
                        "openedAt",
                        "2026-05-18T10:00:00Z",
                        "sealedAt",
                        "2026-05-18T10:00:05Z",
                        "dueAt",
                        "2026-05-18T10:01:05Z"));
        assertThat(shown.get("history"))
                .isEqualTo(List.of(
                        Map.of(
                                "at",
                                "2026-05-18T10:00:02Z",
                                "to",
                                "ABANDONED",
                                "generation",
                                0,
                                "reason",
                                "cancelled",
                                "actor",
                                "req-1"),
                        Map.of(
                                "at",
                                "2026-05-18T10:02:03Z",
                                "from",
                                "ABANDONED",
                                "to",
                                "REPLAYABLE",
                                "generation",
                                0,
                                "actor",
                                "release"),
                        Map.of(
                                "at",
                                "2026-05-18T10:09:00Z",
                                "from",
                                "REPLAYABLE",
                                "to",
                                "DEAD",
                                "generation",
                                0,
                                "reason",
                                "push-failed",
                                "actor",
                                "repush")));
    }

    @Test
    void ofALongHistoryTheNewestEventsAreShownInOrder() throws Exception {
        execute("insert into issue_log (sequence_id, period, seq_no, batch_id, status) values (1, '', 6, 1, 4)");
        execute("insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, actor)"
                + " select 1, '', 6, 3, 4, n, 'x' from generate_series(1, 500) n");

        NumberReport report = found("ORD-0006");

        assertThat(report.facts().history()).hasSize(200);
        assertThat(report.facts().history().get(0).generation()).isEqualTo(301);
        assertThat(report.facts().history().get(199).generation()).isEqualTo(500);
    }

    private static NumberReport found(String number) throws Exception {
        LookupResult result = await(lookup.find(ORDER, number));
        assertThat(result).isInstanceOf(LookupResult.Found.class);
        return ((LookupResult.Found) result).report();
    }

    private static void execute(String sql) throws Exception {
        connection.createStatement().execute(sql);
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
