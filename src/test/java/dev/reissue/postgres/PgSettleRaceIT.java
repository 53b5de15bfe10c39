package dev.reissue.postgres;

import static dev.reissue.ledger.Ask.abandon;
import static dev.reissue.ledger.Ask.confirm;
import static dev.reissue.ledger.Ask.voiding;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.Ask;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.support.Await;
import dev.reissue.support.Futures;
import io.vertx.core.Future;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Many callers on the same numbers: the first in wins, everyone is told the truth, nobody blocks anybody for good. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PgSettleRaceIT {
    private static final int THREADS = 8;

    private final SettleLedger ledger = SettleLedger.open(THREADS);
    private int sequence;

    @BeforeAll
    void createTheSequence() throws SQLException {
        sequence = ledger.sequence("race");
    }

    @AfterAll
    void close() throws SQLException {
        ledger.close();
    }

    /** What one caller was told about one number. */
    private record Told(Ask ask, Answer answer) {}

    @Test
    void callersOnOverlappingNumbersOfManyBatchesAgreeOnOneWinnerEach() throws Exception {
        List<BatchRange> batches = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            batches.add(i % 2 == 0 ? ledger.sealedBatch(sequence, 100) : ledger.openBatch(sequence, 100));
        }
        long deadlocksBefore = deadlocks();
        Map<Long, ConcurrentLinkedQueue<Told>> told = new ConcurrentHashMap<>();
        onManyThreads(thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (int call = 0; call < 40; call++) {
                List<Ask> asks = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    asks.add(randomAsk(batches.get(random.nextInt(batches.size())), random));
                }
                List<Answer> answers = ledger.settle(asks.toArray(Ask[]::new));
                for (int i = 0; i < asks.size(); i++) {
                    told.computeIfAbsent(asks.get(i).value(), v -> new ConcurrentLinkedQueue<>())
                            .add(new Told(asks.get(i), answers.get(i)));
                }
            }
        });
        assertThat(told).hasSize(600);
        int abandoned = 0;
        for (Map.Entry<Long, ConcurrentLinkedQueue<Told>> e : told.entrySet()) {
            abandoned += oneWinner(e.getKey(), List.copyOf(e.getValue())) ? 0 : 1;
        }
        assertThat(abandoned).isBetween(100, 500);
        assertThat(ledger.number(
                        "select count(*) from issue_log where seq_no between ? and ?",
                        batches.get(0).lo(),
                        batches.get(5).hi()))
                .isEqualTo(abandoned);
        assertThat(ledger.number(
                        "select count(*) from issue_event where seq_no between ? and ?",
                        batches.get(0).lo(),
                        batches.get(5).hi()))
                .isEqualTo(abandoned);
        assertThat(ledger.number("select count(*) from batch where bit_count(confirmed & abandoned) > 0"))
                .isZero();
        assertThat(deadlocks()).isEqualTo(deadlocksBefore);
    }

    private Ask randomAsk(BatchRange batch, SplittableRandom random) {
        long value = random.nextLong(batch.lo(), batch.hi() + 1);
        Ask ask = random.nextBoolean() ? confirm(sequence, value) : abandon(sequence, value);
        return ask.ticket(batch.batchId(), 0);
    }

    /** Checks all that was said about a number; returns whether it was confirmed. */
    private boolean oneWinner(long value, List<Told> told) throws SQLException {
        boolean confirmed = ledger.row(value, "status") == null;
        long firstAbandons = told.stream()
                .filter(t -> t.answer().outcome() == SettleOutcome.ABANDONED)
                .count();
        for (Told t : told) {
            boolean wantsConfirm = t.ask().kind() == SettleKind.CONFIRM;
            SettleOutcome truth = confirmed
                    ? (wantsConfirm ? SettleOutcome.CONFIRMED : SettleOutcome.ALREADY_CONFIRMED)
                    : SettleOutcome.ALREADY_ABANDONED;
            if (t.answer().outcome() != SettleOutcome.ABANDONED) {
                assertThat(t.answer().outcome())
                        .as("value %d, %s", value, t.ask())
                        .isEqualTo(truth);
            }
        }
        assertThat(firstAbandons)
                .as("abandons of %d that were the first", value)
                .isEqualTo(confirmed ? 0 : 1);
        return confirmed;
    }

    @Test
    void holdersOfAllGenerationsAndOperatorsNeverDeadlock() throws Exception {
        BatchRange b = ledger.sealedBatch(sequence, 60);
        for (long value = b.lo(); value < b.lo() + 40; value++) {
            ledger.timeOut(b, value);
            if (value < b.lo() + 20) {
                ledger.reissue(value);
            }
        }
        for (long value = b.lo() + 40; value < b.lo() + 50; value++) {
            ledger.settle(confirm(sequence, value).ticket(b.batchId(), 0));
        }
        long deadlocksBefore = deadlocks();
        Map<Long, ConcurrentLinkedQueue<Integer>> confirmedBy = new ConcurrentHashMap<>();
        onManyThreads(thread -> {
            SplittableRandom random = new SplittableRandom(100 + thread);
            for (int call = 0; call < 30; call++) {
                List<Ask> asks = new ArrayList<>();
                for (int i = 0; i < 30; i++) {
                    long value = random.nextLong(b.lo(), b.hi() + 1);
                    int generation = random.nextInt(2);
                    Ask ask = switch (random.nextInt(12)) {
                        case 0 -> voiding(sequence, value).operator();
                        case 1 -> voiding(sequence, value).ticket(b.batchId(), generation);
                        case 2, 3, 4 -> abandon(sequence, value).ticket(b.batchId(), generation);
                        case 5 -> confirm(sequence, value);
                        default -> confirm(sequence, value).ticket(b.batchId(), generation);
                    };
                    asks.add(ask);
                }
                List<Answer> answers = ledger.settle(asks.toArray(Ask[]::new));
                for (int i = 0; i < asks.size(); i++) {
                    if (answers.get(i).outcome() == SettleOutcome.CONFIRMED) {
                        confirmedBy
                                .computeIfAbsent(asks.get(i).value(), v -> new ConcurrentLinkedQueue<>())
                                .add(Math.max(0, asks.get(i).generation()));
                    }
                }
            }
        });
        assertThat(deadlocks()).isEqualTo(deadlocksBefore);
        assertThat(confirmedBy).isNotEmpty();
        confirmedBy.forEach(
                (value, generations) -> assertThat(generations.stream().distinct())
                        .as("generations of %d that were confirmed", value)
                        .hasSize(1));
    }

    @Test
    void aLateConfirmAndAClaimNeverBothWin() throws Exception {
        int numbers = 400;
        BatchRange b = ledger.sealedBatch(sequence, numbers);
        ledger.change("update batch set abandoned = ~abandoned where batch_id = ?", b.batchId());
        ledger.change("""
                insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, version)
                select ?::int4, '', v, ?::int8, 4, false, 2 from generate_series(?::int8, ?::int8) v""", sequence, b.batchId(), b.lo(), b.hi());
        Map<Long, Answer> answers = new ConcurrentHashMap<>();
        ConcurrentLinkedQueue<Long> claimed = new ConcurrentLinkedQueue<>();
        onManyThreads(thread -> {
            for (long value = b.lo(); value <= b.hi(); value += 20) {
                long from = value;
                if (thread % 2 == 0) {
                    Ask[] asks = new Ask[10];
                    for (int i = 0; i < asks.length; i++) {
                        asks[i] = confirm(sequence, from + 2L * i).ticket(b.batchId(), 0);
                    }
                    List<Answer> told = ledger.settle(asks);
                    for (int i = 0; i < asks.length; i++) {
                        Answer before = answers.put(asks[i].value(), told.get(i));
                        assertThat(before == null
                                        || before.outcome() == told.get(i).outcome())
                                .isTrue();
                    }
                } else {
                    claimed.addAll(ledger.numbers("""
                            with won as materialized (
                              select id from issue_log where seq_no between ? and ? and status = 4 order by id for update skip locked)
                            update issue_log r set status = 5, generation = generation + 1, version = version + 1
                            from won w where r.id = w.id and r.status = 4 returning r.seq_no""", from, from + 19));
                }
            }
        });
        assertThat(claimed).doesNotHaveDuplicates();
        answers.forEach((value, answer) -> assertThat(answer)
                .as("value %d", value)
                .isEqualTo(
                        claimed.contains(value)
                                ? new Answer(SettleOutcome.SUPERSEDED, NumberState.REPLAYED, 1)
                                : new Answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0)));
    }

    @Test
    void whoWaitsForABatchDecidesOnWhatItBecame() throws Exception {
        BatchRange b = ledger.sealedBatch(sequence, 10);
        long v = b.lo() + 1;
        try (Connection rival = ledger.connect();
                Statement s = rival.createStatement()) {
            rival.setAutoCommit(false);
            s.execute("update batch set abandoned = set_bit(abandoned, 1, 1) where batch_id = " + b.batchId());
            s.execute("insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit) values ("
                    + sequence + ", '', " + v + ", " + b.batchId() + ", 3, true)");
            Future<List<Answer>> waiting = ledger.store.settle(List.of(
                    confirm(sequence, v).ticket(b.batchId(), 0).item(),
                    confirm(sequence, v + 1).ticket(b.batchId(), 0).item()));
            Await.until("the store waits for the batch", Duration.ofSeconds(10), () -> ledger.blocked() == 1);
            rival.commit();
            assertThat(Futures.get(waiting))
                    .containsExactly(
                            new Answer(SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED, 0),
                            new Answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0));
        }
    }

    @Test
    void whoWaitsForOneBatchSettlesTheOthersToo() throws Exception {
        // The server's own fault in PostgreSQL 18.0 and 18.1: what stands behind the row that was waited for is
        // skipped.
        List<BatchRange> batches = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            batches.add(ledger.sealedBatch(sequence, 10));
        }
        try (Connection rival = ledger.connect();
                Statement s = rival.createStatement()) {
            rival.setAutoCommit(false);
            s.execute("update batch set confirmed = set_bit(confirmed, 9, 1) where batch_id = "
                    + batches.get(0).batchId());
            Future<List<Answer>> waiting = ledger.store.settle(batches.stream()
                    .map(b -> abandon(sequence, b.lo()).ticket(b.batchId(), 0).item())
                    .toList());
            Await.until("the store waits for the batch", Duration.ofSeconds(10), () -> ledger.blocked() == 1);
            rival.commit();
            assertThat(Futures.get(waiting))
                    .containsOnly(new Answer(SettleOutcome.ABANDONED, NumberState.ABANDONED, 0));
        }
        for (BatchRange b : batches) {
            assertThat(ledger.bit(b, b.lo())).isEqualTo("a");
            assertThat(ledger.row(b.lo(), "status")).isEqualTo("3");
        }
        assertThat(ledger.bit(batches.get(0), batches.get(0).hi())).isEqualTo("c");
    }

    @Test
    void whoWaitsForARowDecidesOnWhatItBecame() throws Exception {
        BatchRange b = ledger.sealedBatch(sequence, 10);
        long v = b.lo() + 1;
        ledger.timeOut(b, v);
        try (Connection rival = ledger.connect();
                Statement s = rival.createStatement()) {
            rival.setAutoCommit(false);
            s.execute("update issue_log set status = 4, version = version + 1 where seq_no = " + v);
            Future<List<Answer>> waiting = ledger.store.settle(
                    List.of(confirm(sequence, v).ticket(b.batchId(), 0).item()));
            Await.until("the store waits for the row", Duration.ofSeconds(10), () -> ledger.blocked() == 1);
            rival.commit();
            // Not skipped, though the row that the statement first saw had another version.
            assertThat(Futures.get(waiting))
                    .containsExactly(new Answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0));
        }
        assertThat(ledger.row(v, "status, version")).isEqualTo("2|3");
    }

    @Test
    void whoWaitsForARowThatIsClaimedMeanwhileIsRefused() throws Exception {
        BatchRange b = ledger.sealedBatch(sequence, 10);
        long v = b.lo() + 1;
        ledger.timeOut(b, v);
        ledger.setState(v, 4);
        try (Connection rival = ledger.connect();
                Statement s = rival.createStatement()) {
            rival.setAutoCommit(false);
            s.execute("update issue_log set status = 5, generation = 1, version = version + 1 where seq_no = " + v);
            Future<List<Answer>> waiting = ledger.store.settle(
                    List.of(confirm(sequence, v).ticket(b.batchId(), 0).item()));
            Await.until("the store waits for the row", Duration.ofSeconds(10), () -> ledger.blocked() == 1);
            rival.commit();
            assertThat(Futures.get(waiting))
                    .containsExactly(new Answer(SettleOutcome.SUPERSEDED, NumberState.REPLAYED, 1));
        }
        assertThat(ledger.row(v, "status, generation, version")).isEqualTo("5|1|3");
    }

    @Test
    void twoOperatorsWhoVoidTheSameConfirmedNumberAreBothRight() throws Exception {
        BatchRange b = ledger.sealedBatch(sequence, 10);
        long v = b.lo() + 1;
        ledger.settle(confirm(sequence, v).ticket(b.batchId(), 0));
        try (Connection rival = ledger.connect();
                Statement s = rival.createStatement()) {
            rival.setAutoCommit(false);
            s.execute("insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit) values ("
                    + sequence + ", '', " + v + ", " + b.batchId() + ", 7, true)");
            Future<List<Answer>> waiting =
                    ledger.store.settle(List.of(voiding(sequence, v).operator().item()));
            Await.until("the store waits for the rival's row", Duration.ofSeconds(10), () -> ledger.blocked() == 1);
            rival.commit();
            assertThat(Futures.get(waiting)).containsExactly(new Answer(SettleOutcome.VOIDED, NumberState.VOID, 0));
        }
        assertThat(ledger.history(v)).isNull();
    }

    private long deadlocks() throws SQLException {
        return ledger.number("select deadlocks from pg_stat_database where datname = current_database()");
    }

    /** Something that a thread does. */
    @FunctionalInterface
    private interface Work {
        void run(int thread) throws Exception;
    }

    private static void onManyThreads(Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<java.util.concurrent.Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            running.add(threads.submit(() -> {
                work.run(thread);
                return null;
            }));
        }
        for (java.util.concurrent.Future<?> one : running) {
            one.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
    }
}
