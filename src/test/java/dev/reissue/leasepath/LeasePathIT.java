package dev.reissue.leasepath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reissue.ledger.BatchLeaser;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.LeaseKeeper;
import dev.reissue.ledger.LedgerMeter;
import dev.reissue.ledger.LostLeases;
import dev.reissue.ledger.MarkStore;
import dev.reissue.ledger.ProcessMarks;
import dev.reissue.ledger.RegressionGuard;
import dev.reissue.ledger.SealQueue;
import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import dev.reissue.postgres.PgBatchStore;
import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgInstanceStore;
import dev.reissue.recycle.ReapPass;
import dev.reissue.redis.RedisClient;
import dev.reissue.redis.RedisMarkStore;
import dev.reissue.segment.SegmentSource;
import dev.reissue.support.Await;
import dev.reissue.support.CutProxy;
import dev.reissue.support.FakeMarkStore;
import dev.reissue.support.Futures;
import dev.reissue.support.LedgerProbe.BatchRow;
import dev.reissue.support.LedgerProbe.Range;
import dev.reissue.support.LedgerProbe.Status;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import dev.reissue.support.VertxTime;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The whole way from an instance to the database and back, with what can go wrong on it. */
class LeasePathIT {
    private static final long STATEMENT_MS = 5_000;

    /** How long lost leases are looked up; no statement of these tests takes longer. */
    private static final long HORIZON_MS = 1_000;

    /** Renewals do not come between a test and the connection that it cuts. */
    private static final LeaseKeeper.Timing STEADY = new LeaseKeeper.Timing(300_000, 2_000, 120_000, 10_000);

    private static final LeaseKeeper.Timing BUSY = new LeaseKeeper.Timing(60_000, 2_000, 200, 10_000);

    private static final Vertx VERTX = Vertx.vertx();
    private static final String DATABASE = TestPostgres.freshDatabase();

    private final CutProxy proxy = new CutProxy(TestPostgres.port());
    private final PgProbe ledger = new PgProbe(DATABASE);
    private final List<Instance> instances = new ArrayList<>();

    /** A process. */
    private final class Instance {
        final PgDatabase database = PgDatabase.keyed(
                VERTX,
                "postgresql://postgres:postgres@127.0.0.1:" + proxy.port() + "/" + DATABASE,
                "lease",
                1,
                100,
                STATEMENT_MS);
        final AtomicInteger regressions = new AtomicInteger();
        final LedgerMeter meter = new LedgerMeter() {
            @Override
            public void regression(String sequence) {
                regressions.incrementAndGet();
            }
        };
        final VertxTime time = new VertxTime(VERTX);
        final PgBatchStore store = new PgBatchStore(database);
        final LeaseKeeper keeper;
        final LostLeases lost = new LostLeases(
                store, time, System::nanoTime, new LostLeases.Timing(HORIZON_MS, 100, 2 * STATEMENT_MS, 100), meter);
        final SealQueue seals;
        final BatchLeaser leaser;

        Instance() {
            this(new FakeMarkStore(), STEADY);
        }

        Instance(MarkStore marks, LeaseKeeper.Timing timing) {
            keeper = new LeaseKeeper(
                    new PgInstanceStore(database), "pod-0", timing, UUID::randomUUID, System::nanoTime, time, meter);
            seals = new SealQueue(store, keeper, System::nanoTime, time, 2 * STATEMENT_MS, meter);
            RegressionGuard guard = new RegressionGuard(store, new ProcessMarks(), marks, meter);
            leaser = new BatchLeaser(
                    store, keeper, guard, lost, UUID::randomUUID, System::nanoTime, time, 2 * STATEMENT_MS, meter);
            instances.add(this);
            Futures.get(keeper.start());
        }

        SegmentSource source(int sequenceId) {
            return leaser.source(sequenceId, "", "order");
        }
    }

    @AfterEach
    void stop() throws Exception {
        proxy.pass();
        for (Instance instance : instances) {
            Futures.get(instance.keeper.stop());
            Futures.get(instance.database.close());
        }
        proxy.close();
    }

    @Test
    void twentySevenTakenOfTwoThousandThenACleanStopThenTwentyEight() {
        int s = ledger.sequence(2000);
        Instance first = new Instance();
        List<BatchRange> leased = Futures.get(first.source(s).lease(2));
        first.seals.seal(leased.get(0).batchId(), 27);
        first.seals.seal(leased.get(1).batchId(), 2000);
        assertThat(Futures.get(first.seals.flush(10_000))).isZero();
        Futures.get(first.keeper.stop());

        Instance second = new Instance();

        assertThat(ranges(second.source(s).lease(1))).containsExactly(new Range(28, 2027));
    }

    @Test
    void twoInstancesWithBatchesOfAHundredGetRangesSideBySide() {
        int s = ledger.sequence(1001, 1_000_000, 100);
        Instance a = new Instance();
        Instance b = new Instance();

        List<Range> both = new ArrayList<>(ranges(a.source(s).lease(1)));
        both.addAll(ranges(b.source(s).lease(1)));

        assertThat(both).containsExactly(new Range(1001, 1100), new Range(1101, 1200));
    }

    @Test
    void sizesComeFromTheRowOfTheSequenceWhateverAnInstanceHasSeenBefore() {
        int s = ledger.sequence(100);
        Instance old = new Instance();
        assertThat(ranges(old.source(s).lease(1))).containsExactly(new Range(1, 100));
        ledger.resize(s, 500);
        Instance fresh = new Instance();

        assertThat(ranges(fresh.source(s).lease(1))).containsExactly(new Range(101, 600));
        assertThat(ranges(old.source(s).lease(1))).containsExactly(new Range(601, 1100));
    }

    @Test
    void anAnswerLostAtTheCommitLeavesNoBatchBehindAndItsNumbersComeNext() throws Exception {
        int s = ledger.sequence(100);
        Instance instance = new Instance();
        assertThat(ranges(instance.source(s).lease(1))).containsExactly(new Range(1, 100));
        proxy.loseNextAnswer();

        Future<List<BatchRange>> lease = instance.source(s).lease(1);
        assertThat(fault(lease)).isEqualTo(Kind.UNKNOWN);
        proxy.awaitCut();

        awaitSettled(instance);
        assertThat(ledger.batches(s)).hasSize(1);
        assertThat(ledger.returned(s)).containsExactly(new Range(101, 200));
        assertThat(ranges(instance.source(s).lease(1))).containsExactly(new Range(101, 200));
    }

    /** Where the cut falls (behind the lease, behind its preparation, behind the greeting) is up to the client. */
    @Test
    void aCutRightBehindARequestLeavesOneBatchOrNoneAndLosesNothing() throws Exception {
        int s = ledger.sequence(100);
        Instance instance = new Instance();
        List<Range> leased = new ArrayList<>(ranges(instance.source(s).lease(1)));
        List<Kind> faults = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            proxy.cutBehindNextRequest();
            try {
                leased.addAll(ranges(instance.source(s).lease(1)));
            } catch (StoreException e) {
                faults.add(e.kind());
            }
            proxy.awaitCut();
        }
        awaitSettled(instance);

        assertThat(faults).contains(Kind.UNKNOWN).doesNotContain(Kind.REFUSED);
        assertThat(ledger.batches(s).stream().map(b -> new Range(b.lo(), b.hi())))
                .containsExactlyElementsOf(leased);
        long returned =
                ledger.returned(s).stream().mapToLong(r -> r.hi() - r.lo() + 1).sum();
        assertThat(returned + 100L * leased.size()).isEqualTo(ledger.mark(s).nextValue() - 1);
    }

    @Test
    void aLostRequestLeasesNothing() throws Exception {
        int s = ledger.sequence(100);
        Instance instance = new Instance();
        Futures.get(instance.source(s).lease(1));
        proxy.loseNextRequest();
        Future<List<BatchRange>> lease = instance.source(s).lease(1);
        proxy.awaitCut();

        assertThat(fault(lease)).isEqualTo(Kind.UNKNOWN);
        awaitSettled(instance);
        assertThat(ledger.mark(s).nextValue()).isEqualTo(101);
    }

    @Test
    void aSealWhoseAnswerIsLostIsDoneOnce() throws Exception {
        int s = ledger.sequence(100);
        Instance instance = new Instance();
        List<BatchRange> leased = Futures.get(instance.source(s).lease(2));
        Futures.get(instance.seals.seal(leased.get(0).batchId(), 100));
        proxy.loseNextAnswer();
        Future<Void> seal = instance.seals.seal(leased.get(1).batchId(), 142);
        proxy.awaitCut();

        Futures.get(seal);

        assertThat(ledger.returned(s)).containsExactly(new Range(143, 200));
        assertThat(ledger.batches(s)).extracting(BatchRow::issuedTo).containsExactly(100L, 142L);
    }

    @Test
    void aDatabaseThatLostCommitsIsNoticedByTheProcessThatSawThem() {
        int s = ledger.sequence(100);
        Instance instance = new Instance();
        CounterMark old = ledger.mark(s);
        Futures.get(instance.source(s).lease(5));
        ledger.regress(s, old);

        assertThat(ranges(instance.source(s).lease(1))).containsExactly(new Range(501, 600));

        assertThat(instance.regressions).hasValue(1);
        assertSuspect(s, 1, 500);
    }

    @Test
    void aDatabaseThatLostCommitsIsNoticedThroughRedisAlone() {
        int s = ledger.sequence(100);
        RedisClient redis = new RedisClient(
                VERTX, new RedisClient.Settings(TestRedis.uri(2), 5_000, 0, 100, false), System::nanoTime);
        MarkStore marks = new RedisMarkStore(redis, UUID.randomUUID().toString());
        CounterMark old = ledger.mark(s);
        Futures.get(new Instance(marks, STEADY).source(s).lease(5));
        Await.until(
                "the mark is in Redis",
                Duration.ofSeconds(10),
                () -> Futures.get(marks.highest(s, "")).nextValue() == 501);
        ledger.regress(s, old);
        Instance restarted = new Instance(marks, STEADY);

        assertThat(ranges(restarted.source(s).lease(1))).containsExactly(new Range(501, 600));

        assertThat(restarted.regressions).hasValue(1);
        assertSuspect(s, 1, 500);
        Futures.get(redis.close());
    }

    @Test
    void withRedisDownOrStuckLeasesGoOn() throws Exception {
        int s = ledger.sequence(100);
        CutProxy stuck = new CutProxy(URI.create(TestRedis.uri(2)).getPort());
        stuck.silent();
        for (int port : new int[] {TestRedis.freePort(), stuck.port()}) {
            RedisClient redis =
                    new RedisClient(VERTX, RedisClient.Settings.of("redis://127.0.0.1:" + port), System::nanoTime);
            SegmentSource source = new Instance(new RedisMarkStore(redis, "x"), STEADY).source(s);
            for (int i = 0; i < 20; i++) {
                assertThat(ranges(source.lease(1))).hasSize(1);
            }
            assertThat(redis.available()).isFalse();
            Futures.get(redis.close());
        }
        assertThat(ledger.mark(s).nextValue()).isEqualTo(4001);
        stuck.close();
    }

    @Test
    void aReapedInstanceGoesOnUnderAnotherIdAndWhatItHeldTakesTheSlowWay() {
        int s = ledger.sequence(100);
        Instance instance = new Instance(new FakeMarkStore(), BUSY);
        UUID id = instance.keeper.current();
        Futures.get(instance.source(s).lease(1));
        ledger.update("update instance set lease_until = clock_timestamp() where instance_id = ?", id);
        Instance other = new Instance();
        ReapPass reaper = new ReapPass(new PgInstanceStore(other.database), 50);
        assertThat(Futures.get(reaper.run()).batches()).isPositive();
        assertThat(ledger.batches(s)).extracting(BatchRow::status).containsExactly(Status.SEALED);

        Await.until(
                "the instance has another id",
                Duration.ofSeconds(20),
                () -> instance.keeper.valid() && !instance.keeper.current().equals(id));

        assertThat(ranges(instance.source(s).lease(1))).containsExactly(new Range(101, 200));
        assertThat(ledger.batches(s)).extracting(BatchRow::status).containsExactly(Status.SEALED, Status.OPEN);
    }

    private void assertSuspect(int sequenceId, long lo, long hi) {
        assertThat(ledger.batches(sequenceId))
                .filteredOn(BatchRow::suspect)
                .extracting(BatchRow::lo, BatchRow::issuedTo, BatchRow::status)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(lo, hi, Status.SEALED));
    }

    private static void awaitSettled(Instance instance) {
        Await.until("lost leases are settled", Duration.ofSeconds(30), () -> instance.lost.size() == 0);
    }

    private static List<Range> ranges(Future<List<BatchRange>> lease) {
        return Futures.get(lease).stream().map(b -> new Range(b.lo(), b.hi())).toList();
    }

    private static Kind fault(Future<?> future) {
        return catchThrowableOfType(StoreException.class, () -> Futures.get(future))
                .kind();
    }

    @AfterAll
    static void close() {
        Futures.get(VERTX.close());
    }
}
