package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.reissue.audit.AuditStore.Gap;
import dev.reissue.audit.ClosureReport;
import dev.reissue.audit.ClosureResult;
import dev.reissue.audit.Fate;
import dev.reissue.audit.HandOutHint;
import dev.reissue.audit.LookupResult;
import dev.reissue.audit.NumberLookup;
import dev.reissue.audit.RangeClosure;
import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceDefinition;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closures and lookups over ledgers that were made up at random, against a model that counts value by value. */
@SuppressWarnings("NullAway.Init")
class RangeClosureIT {
    private static final long SEED = Long.getLong("reissue.seed", 20260518L);
    private static final int LEDGERS = 30;

    private static Vertx vertx;
    private static PgDatabase database;
    private static Connection connection;
    private static PgAuditStore store;

    @BeforeAll
    static void start() throws Exception {
        vertx = Vertx.vertx();
        String name = TestPostgres.freshDatabase();
        database = new PgDatabase(vertx, TestPostgres.uri(name), "query", 4, 256, 60_000);
        connection = TestPostgres.connect(name);
        store = new PgAuditStore(database);
    }

    @AfterAll
    static void stop() throws Exception {
        connection.close();
        await(database.close());
        await(vertx.close());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void countsAndGapsAreThoseOfAModelThatCountsValueByValue(boolean faulty) throws Exception {
        Random random = new Random(SEED);
        long unaccounted = 0;
        for (int i = 0; i < LEDGERS; i++) {
            Ledger ledger = new Ledger(connection, (faulty ? "faulty" : "sound") + i, random, faulty);
            for (int j = 0; j < 12; j++) {
                long a = random.nextLong(ledger.nextValue + 5);
                long b = random.nextLong(ledger.nextValue + 5);
                long from = j == 0 ? 0 : Math.min(a, b);
                long to = j == 0 ? ledger.nextValue + 10 : Math.max(a, b);
                String what = "seed " + SEED + ", ledger " + i + ", " + from + ".." + to;

                ClosureReport report = close(ledger, from, to);

                Map<Fate, Long> expected = ledger.counts(from, to);
                for (Fate fate : Fate.values()) {
                    long found = fate == Fate.UNACCOUNTED
                            ? report.unaccounted()
                            : report.counts().get(fate);
                    assertThat(found).as("%s, %s", what, fate).isEqualTo(expected.getOrDefault(fate, 0L));
                }
                assertThat(report.gaps()).as(what).isEqualTo(ledger.gaps(from, to));
                assertThat(await(store.range(ledger.sequenceId, "", from, to, 3))
                                .gaps())
                        .as(what)
                        .isEqualTo(ledger.gaps(from, to).stream().limit(3).toList());
                assertThat(report.stillIssuable()).as(what).isEqualTo(ledger.stillIssuable(from, to));
                unaccounted += report.unaccounted();
            }
        }
        assertThat(unaccounted > 0).isEqualTo(faulty);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLookupTellsTheSameFateAsTheModel(boolean faulty) throws Exception {
        Random random = new Random(SEED);
        NumberLookup lookup = new NumberLookup(store, HandOutHint.NONE);
        for (int i = 0; i < 6; i++) {
            Ledger ledger = new Ledger(connection, (faulty ? "lost" : "kept") + i, random, faulty);
            for (long value = 0; value < ledger.nextValue + 3; value++) {
                LookupResult result = await(lookup.find(sequence(ledger), Long.toString(value)));

                assertThat(fate(result))
                        .as("seed %d, ledger %d, value %d", SEED, i, value)
                        .isEqualTo(ledger.fate(value));
            }
        }
    }

    private static Fate fate(LookupResult result) {
        if (result instanceof LookupResult.Found found) {
            return found.report().state();
        }
        return switch (((LookupResult.NeverIssued) result).reason()) {
            case RETURNED -> Fate.RETURNED;
            case LOST -> Fate.UNACCOUNTED;
            case NOT_YET, OUT_OF_RANGE, SKIPPED -> Fate.NEVER_ISSUED;
        };
    }

    @Test
    void aRangeIsClosedOnceNothingInItCanChange() throws Exception {
        int id = sequenceOf("closing", 1);
        execute(
                "insert into batch (sequence_id, period, lo, hi, owner, lease_id, issued_to, confirmed, abandoned, status)"
                        + " values (" + id
                        + ", '', 1, 8, gen_random_uuid(), gen_random_uuid(), 5, b'11010000', b'00101000', 2)");
        execute("insert into issue_log (sequence_id, period, seq_no, batch_id, status) values" + " (" + id
                + ", '', 3, 1, 7), (" + id + ", '', 5, 1, 4)");
        execute("insert into returned_range (sequence_id, period, lo, hi) values (" + id + ", '', 6, 8)");
        execute("insert into sequence_counter values (" + id + ", '', 9, 1, 1)");

        ClosureReport open = close(id, null, null);
        assertThat(open.closed()).isFalse();
        assertThat(open.gaps()).containsExactly(new Gap(5, 8, List.of(Fate.REPLAYABLE, Fate.RETURNED)));
        assertThat(close(id, "1", "4").closed()).isTrue();
        execute("update issue_log set status = 6 where seq_no = 5 and sequence_id = " + id);
        assertThat(close(id, "1", "8").closed()).isFalse();
        execute("update sequence_counter set issue_floor = 9 where sequence_id = " + id);

        ClosureReport closed = close(id, "1", "8");

        assertThat(closed.closed()).isTrue();
        assertThat(closed.toMap())
                .containsEntry("from", "1")
                .containsEntry("to", "8")
                .containsEntry("total", 8L)
                .containsEntry("unaccounted", 0L)
                .containsEntry("closed", true)
                .containsEntry(
                        "gaps",
                        List.of(Map.of(
                                "from",
                                "6",
                                "to",
                                "8",
                                "fromNumber",
                                "6",
                                "toNumber",
                                "8",
                                "states",
                                List.of("returned"))));
        assertThat(close(id, "1", "9").closed()).isFalse();
    }

    @Test
    void anEmptySequenceHasAnEmptyClosure() throws Exception {
        int id = sequenceOf("empty", 1);
        execute("insert into sequence_counter values (" + id + ", '', 1, 1, 1)");

        ClosureReport report = close(id, null, null);

        assertThat(report.toMap())
                .containsEntry("from", "1")
                .containsEntry("to", "0")
                .containsEntry("total", 0L);
        assertThat(report.unaccounted()).isZero();
    }

    @Test
    void rangesThatMakeNoSenseAreRefusedWithoutAQuery() throws Exception {
        SequenceDefinition sequence = sequence(1, "PAY-{seq:8}", 1);
        RangeClosure closure = new RangeClosure(store);

        assertThat(await(closure.close(sequence, "PAY-00000009", "8")))
                .asInstanceOf(type(ClosureResult.Invalid.class))
                .matches(invalid -> invalid.parameter().equals("to"));
        assertThat(await(closure.close(sequence, "PAY-9", "10")))
                .asInstanceOf(type(ClosureResult.Invalid.class))
                .matches(invalid -> invalid.parameter().equals("from"));
        assertThat(await(closure.close(sequence, "1", "-1"))).isInstanceOf(ClosureResult.Invalid.class);
        assertThat(await(closure.close(sequence, "1", "10000001"))).isInstanceOf(ClosureResult.Invalid.class);
    }

    private static ClosureReport close(Ledger ledger, long from, long to) throws Exception {
        return ((ClosureResult.Counted)
                        await(new RangeClosure(store).close(sequence(ledger), Long.toString(from), Long.toString(to))))
                .report();
    }

    private static ClosureReport close(int id, @Nullable String from, @Nullable String to) throws Exception {
        return ((ClosureResult.Counted) await(new RangeClosure(store).close(sequence(id, "{seq}", 1), from, to)))
                .report();
    }

    private static SequenceDefinition sequence(Ledger ledger) {
        return sequence(ledger.sequenceId, "{seq}", ledger.first);
    }

    private static SequenceDefinition sequence(int id, String pattern, long first) {
        NumberFormat format = NumberFormat.parse(pattern);
        return new SequenceDefinition(
                id,
                "default",
                "any",
                format,
                first,
                format.capacity(),
                100,
                5000,
                60_000,
                120_000,
                true,
                2,
                null,
                null,
                false,
                false,
                1);
    }

    private static int sequenceOf(String name, long first) throws Exception {
        var result = connection
                .createStatement()
                .executeQuery("insert into sequence (name, format, first, last, batch_size, batch_open_max,"
                        + " confirm_timeout, safety_window, recycle, replay_cap, trace, forced) values ('" + name
                        + "', '{seq}', " + first
                        + ", 999999999999999999, 100, '5 s', '60 s', '120 s', true, 2, false, false) returning id");
        result.next();
        return result.getInt(1);
    }

    private static void execute(String sql) throws Exception {
        connection.createStatement().execute(sql);
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
