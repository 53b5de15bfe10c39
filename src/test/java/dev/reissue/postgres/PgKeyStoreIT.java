package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.issuance.CallKey;
import dev.reissue.issuance.KeyedAnswerStore.Attempt;
import dev.reissue.issuance.KeyedAnswerStore.Ending;
import dev.reissue.issuance.KeyedAnswerStore.Stored;
import dev.reissue.issuance.KeyedAnswerStore.Turn;
import dev.reissue.issuance.KeyedNumberStore.Entry;
import dev.reissue.issuance.KeyedNumberStore.Found;
import dev.reissue.issuance.KeyedNumberStore.Gone;
import dev.reissue.issuance.KeyedNumberStore.Run;
import dev.reissue.ledger.NumberState;
import dev.reissue.support.Futures;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Idempotency keys on a real PostgreSQL: who wins, what is found again, and what is forgotten. */
@TestInstance(Lifecycle.PER_CLASS)
class PgKeyStoreIT {
    private static final long DAY_MS = 86_400_000;
    private static final int SEQUENCE = 1;

    private final String database = TestPostgres.freshDatabase();
    private final Vertx vertx = Vertx.vertx();
    private final PgDatabase pool = PgDatabase.keyed(vertx, TestPostgres.uri(database), "keys", 8, 100, 5_000);
    private final PgKeyStore store = new PgKeyStore(pool, DAY_MS, 60_000);
    private final PgKeyStore forgetful = new PgKeyStore(pool, 0, 0);

    @BeforeAll
    void sequence() throws SQLException {
        execute(
                "insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window, recycle,"
                        + " replay_cap, trace, forced) values ('s', '{seq}', 1, 1000000, 1000, '5 s', '60 s', '120 s', true, 2, false, false)");
    }

    @AfterAll
    void close() {
        Futures.get(pool.close());
        Futures.get(vertx.close());
    }

    @Test
    void aKeyIsFreeThenUsedByWhoeverRecordsFirst() {
        CallKey key = key(7);
        assertThat(find(key)).isEqualTo(new Found.Free());
        Entry first =
                new Entry(key, SEQUENCE, List.of(new Run(5, 100, 3, 0), new Run(6, 500, 1, 2), new Run(7, 9, 2, 0)));
        assertThat(record(first)).isTrue();
        assertThat(record(new Entry(new CallKey(key.id(), 8, CallKey.NO_END), SEQUENCE, runs(200))))
                .isFalse();
        assertThat(find(key)).isEqualTo(new Found.Used(7, first.runs(), null));
    }

    @Test
    void anEntryThatAnEarlierTryHasCommittedIsKeptAndTheOthersOfItsCallAreToldApart() {
        Entry mine = new Entry(key(1), SEQUENCE, runs(21));
        Entry taken = new Entry(key(1), SEQUENCE, runs(22));
        record(mine);
        record(new Entry(taken.key(), SEQUENCE, runs(23)));
        assertThat(Futures.get(store.record(List.of(taken, mine, new Entry(key(1), SEQUENCE, runs(24))))))
                .containsExactly(false, true, true);
    }

    @Test
    void ofManyAtOnceOneWinsEachKey() {
        List<CallKey> keys = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            keys.add(key(1));
        }
        List<Future<List<Boolean>>> calls = new ArrayList<>();
        for (int caller = 0; caller < 8; caller++) {
            // Every caller in an order of its own: they must not wait for each other in a circle.
            Collections.shuffle(keys, new Random(caller));
            int value = 1_000 * caller + 1;
            List<Entry> entries = new ArrayList<>();
            keys.forEach(k -> entries.add(new Entry(k, SEQUENCE, runs(value))));
            calls.add(store.record(entries));
        }
        long won = calls.stream()
                .mapToLong(c -> Futures.get(c).stream().filter(kept -> kept).count())
                .sum();
        assertThat(won).isEqualTo(50);
    }

    @Test
    void aNumberThatHasMovedOnIsTold() throws SQLException {
        CallKey key = key(1);
        record(new Entry(key, SEQUENCE, List.of(new Run(5, 3_000, 10, 0), new Run(6, 4_000, 1, 1))));
        row(3_004, NumberState.ABANDONED, 0);
        row(3_005, NumberState.CONFIRMED, 0);
        row(4_000, NumberState.REPLAYED, 1);
        assertThat(gone(key)).isNull();
        row(4_000, NumberState.REPLAYED, 2);
        assertThat(gone(key)).isEqualTo(new Gone(4_000, NumberState.REPLAYED, 2));
        for (NumberState state :
                List.of(NumberState.REPLAYABLE, NumberState.RETIRED, NumberState.VOID, NumberState.DEAD)) {
            row(3_009, state, 0);
            assertThat(gone(key)).isEqualTo(new Gone(3_009, state, 0));
        }
        row(3_009, NumberState.CONFIRMED, 1);
        assertThat(gone(key)).isEqualTo(new Gone(3_009, NumberState.CONFIRMED, 1));
    }

    @Test
    void anExpiredEntryIsFreeAndCanBeTakenAgain() {
        CallKey key = key(1);
        assertThat(Futures.get(forgetful.record(List.of(new Entry(key, SEQUENCE, runs(9))))))
                .containsExactly(true);
        assertThat(find(key)).isEqualTo(new Found.Free());
        assertThat(record(new Entry(key, SEQUENCE, runs(10)))).isTrue();
        assertThat(find(key)).isEqualTo(new Found.Used(1, runs(10), null));
    }

    @Test
    void anIssuedKeyEndsOnTheDatabasesClockUnlessItWasUsed() {
        long now = Futures.get(store.nowMs());
        CallKey over = new CallKey(UUID.randomUUID(), 1, now - 1_000);
        CallKey good = new CallKey(UUID.randomUUID(), 1, now + 60_000);
        assertThat(Futures.get(store.find(List.of(good, over)))).containsExactly(new Found.Free(), new Found.Over());
        record(new Entry(over, SEQUENCE, runs(11)));
        assertThat(find(over)).isInstanceOf(Found.Used.class);
        Attempt late = new Attempt(new CallKey(UUID.randomUUID(), 1, now - 1_000), UUID.randomUUID());
        assertThat(begin(store, late)).isEqualTo(new Turn.Over());
    }

    @Test
    void aCallRunsOnceAndIsAnsweredAgain() {
        Attempt first = attempt(key(3));
        assertThat(begin(store, first)).isEqualTo(new Turn.Run());
        assertThat(begin(store, first)).as("a repeated statement").isEqualTo(new Turn.Run());
        assertThat(begin(store, attempt(first.key()))).isEqualTo(new Turn.Busy());
        CallKey other = new CallKey(first.key().id(), 4, CallKey.NO_END);
        assertThat(begin(store, attempt(other))).isEqualTo(new Turn.Other());
        assertThat(end(first, answer("{}"))).isTrue();
        assertThat(end(first, answer("{}"))).as("a repeated statement").isTrue();
        assertThat(begin(store, attempt(first.key()))).isInstanceOfSatisfying(Turn.Answered.class, answered -> {
            assertThat(answered.answer().status()).isEqualTo(200);
            assertThat(answered.answer().request()).isEqualTo(3);
            assertThat(answered.answer().body()).isEqualTo("{}");
        });
        assertThat(begin(store, attempt(other))).isEqualTo(new Turn.Other());
    }

    @Test
    void aFailedCallFreesItsKey() {
        Attempt first = attempt(key(3));
        begin(store, first);
        assertThat(end(first, null)).isTrue();
        assertThat(begin(store, attempt(new CallKey(first.key().id(), 4, CallKey.NO_END))))
                .isEqualTo(new Turn.Run());
    }

    @Test
    void whatWasLeftRunningIsTakenOverByTheSameRequestOnly() {
        PgKeyStore impatient = new PgKeyStore(pool, DAY_MS, 0);
        Attempt dead = attempt(key(3));
        begin(impatient, dead);
        assertThat(begin(store, attempt(new CallKey(dead.key().id(), 4, CallKey.NO_END))))
                .isEqualTo(new Turn.Other());
        Attempt heir = attempt(dead.key());
        assertThat(begin(store, heir)).isEqualTo(new Turn.Run());
        assertThat(end(dead, answer("late"))).isFalse();
        assertThat(end(dead, null)).isFalse();
        assertThat(end(heir, answer("heir"))).isTrue();
    }

    @Test
    void theSweepDeletesWhatHasExpiredAPageAtATime() throws SQLException {
        PgKeyStore own = new PgKeyStore(pool, 0, 0);
        execute("delete from idempotent_next");
        execute("delete from idempotent_call");
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            entries.add(new Entry(key(i), SEQUENCE, runs(i)));
        }
        Futures.get(own.record(entries));
        begin(own, attempt(key(1)));
        CallKey kept = key(1);
        record(new Entry(kept, SEQUENCE, runs(1)));
        assertThat(Futures.get(own.sweep(10))).isEqualTo(11);
        assertThat(Futures.get(own.sweep(10))).isEqualTo(10);
        assertThat(Futures.get(own.sweep(10))).isEqualTo(5);
        assertThat(Futures.get(own.sweep(10))).isZero();
        assertThat(find(kept)).isInstanceOf(Found.Used.class);
    }

    @Test
    void keysAreFoundByTheirIndexesHoweverLargeTheTables() throws SQLException {
        execute(
                "insert into idempotent_next (key_id, request, sequence_id, batch_id, first, numbers, generation, expires_at)"
                        + " select gen_random_uuid(), 1, 1, 1, i, 1, 0, clock_timestamp() + interval '1 day'"
                        + " from generate_series(100000, 120000) as i");
        execute("analyze idempotent_next");
        String find = KeySql.FIND
                .replace("$1", "'{0,1}'")
                .replace("$2", "'{" + UUID.randomUUID() + "," + UUID.randomUUID() + "}'")
                .replace("$3", "'{0,0}'");
        assertThat(plan(find)).contains("idempotent_next_pkey").doesNotContain("Seq Scan");
        String any = KeySql.ANY_USED.replace("$1", "'{" + UUID.randomUUID() + "," + UUID.randomUUID() + "}'");
        assertThat(plan(any)).contains("idempotent_next_pkey").doesNotContain("Seq Scan");
        String kept = KeySql.KEPT.replace("$1", "'{" + UUID.randomUUID() + "}'").replaceAll("\\$[2-5]", "'{1}'");
        assertThat(plan(kept)).contains("idempotent_next_pkey").doesNotContain("Seq Scan on idempotent_next");
        String sweep = KeySql.SWEEP_NEXT.replace("$1", "'500'");
        assertThat(plan(sweep)).contains("Index Cond: (expires_at <= now())").doesNotContain("Seq Scan");
    }

    private CallKey key(long request) {
        return new CallKey(UUID.randomUUID(), request, CallKey.NO_END);
    }

    private static Attempt attempt(CallKey key) {
        return new Attempt(key, UUID.randomUUID());
    }

    private static Stored answer(String body) {
        return new Stored(3, 200, body);
    }

    private static List<Run> runs(long value) {
        return List.of(new Run(1, value, 1, 0));
    }

    private Found find(CallKey key) {
        return Futures.get(store.find(List.of(key))).get(0);
    }

    private @Nullable Gone gone(CallKey key) {
        return ((Found.Used) find(key)).gone();
    }

    private boolean record(Entry entry) {
        return Futures.get(store.record(List.of(entry))).get(0);
    }

    private static Turn begin(PgKeyStore in, Attempt attempt) {
        return Futures.get(in.begin(List.of(attempt))).get(0);
    }

    private boolean end(Attempt attempt, @Nullable Stored answer) {
        return Futures.get(store.end(List.of(new Ending(attempt, answer)))).get(0);
    }

    private void row(long value, NumberState state, int generation) throws SQLException {
        execute("insert into issue_log (sequence_id, period, seq_no, batch_id, status, generation) values (1, '', "
                + value + ", 5, "
                + state.code() + ", " + generation
                + ") on conflict (sequence_id, period, seq_no) do update set status = "
                + state.code() + ", generation = " + generation);
    }

    private void execute(String sql) throws SQLException {
        try (Connection c = TestPostgres.connect(database);
                Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    private String plan(String sql) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Connection c = TestPostgres.connect(database);
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery("explain " + sql)) {
            while (r.next()) {
                plan.append(r.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }
}
