package dev.reissue.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.segment.SegmentSource;
import dev.reissue.support.FakeBatchStore;
import dev.reissue.support.FakeBatchStore.Trouble;
import dev.reissue.support.FakeInstanceStore;
import dev.reissue.support.FakeMarkStore;
import dev.reissue.support.LedgerProbe.BatchRow;
import dev.reissue.support.LedgerProbe.Range;
import dev.reissue.support.LedgerProbe.Status;
import dev.reissue.support.ManualTime;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchLeaserTest {
    private static final long DEADLINE_MS = 2_000;
    private static final long HORIZON_MS = 3_000;

    private final ManualTime time = new ManualTime();
    private final FakeBatchStore store = new FakeBatchStore();
    private final FakeInstanceStore instances = new FakeInstanceStore(time);
    private final FakeMarkStore shared = new FakeMarkStore();
    private final AtomicInteger regressions = new AtomicInteger();
    private final LedgerMeter meter = new LedgerMeter() {
        @Override
        public void regression(String sequence) {
            regressions.incrementAndGet();
        }
    };
    private final LeaseKeeper keeper = new LeaseKeeper(
            instances,
            "host",
            new LeaseKeeper.Timing(15_000, 2_000, 5_000, 2_000),
            UUID::randomUUID,
            time,
            time,
            meter);
    private final LostLeases lost =
            new LostLeases(store, time, time, new LostLeases.Timing(HORIZON_MS, 250, 1_000, 3), meter);
    private final int sequenceId = store.sequence(10);
    private final SegmentSource source = leaser().source(sequenceId, "", "order");

    /** A leaser as a process has it, with marks of its own. */
    private BatchLeaser leaser() {
        RegressionGuard guard = new RegressionGuard(store, new ProcessMarks(), shared, meter);
        return new BatchLeaser(store, keeper, guard, lost, UUID::randomUUID, time, time, DEADLINE_MS, meter);
    }

    @BeforeEach
    void start() {
        keeper.start();
    }

    @Test
    void leasesInOrder() {
        assertThat(ranges(source.lease(2))).containsExactly(new Range(1, 10), new Range(11, 20));
        assertThat(ranges(source.lease(1))).containsExactly(new Range(21, 30));
        assertThat(regressions).hasValue(0);
    }

    @Test
    void withoutAValidLeaseNothingIsAsked() {
        time.pause(14_000);

        assertThat(source.lease(1).failed()).isTrue();
        assertThat(store.calls()).isZero();
    }

    @Test
    void aRefusedLeaseIsNotLookedUp() {
        store.trouble(Trouble.REFUSED);

        assertThat(kind(source.lease(1))).isEqualTo(StoreException.Kind.REFUSED);
        assertThat(lost.size()).isZero();
    }

    @Test
    void anUnknownLeaseIsReturnedWhole() {
        store.trouble(Trouble.UNKNOWN);
        Future<List<BatchRange>> lease = source.lease(2);
        store.trouble(Trouble.NONE);
        time.advance(HORIZON_MS + 500);

        assertThat(kind(lease)).isEqualTo(StoreException.Kind.UNKNOWN);
        assertThat(store.batches(sequenceId)).isEmpty();
        assertThat(store.returned(sequenceId)).containsExactly(new Range(1, 10), new Range(11, 20));
        assertThat(lost.size()).isZero();
        assertThat(ranges(source.lease(1))).containsExactly(new Range(1, 10));
    }

    @Test
    void anAnswerThatComesTooLateIsNotUsedAndItsBatchesAreReturned() {
        store.trouble(Trouble.ANSWER_HELD);
        Future<List<BatchRange>> lease = source.lease(1);
        store.trouble(Trouble.NONE);
        time.advance(DEADLINE_MS);
        assertThat(kind(lease)).isEqualTo(StoreException.Kind.UNKNOWN);

        store.releaseAnswers();
        time.advance(HORIZON_MS + 500);

        assertThat(lease.failed()).isTrue();
        assertThat(store.batches(sequenceId)).isEmpty();
        assertThat(store.returned(sequenceId)).containsExactly(new Range(1, 10));
    }

    @Test
    void aLeaseThatCommitsAfterItWasGivenUpIsFoundAsLongAsItCanCommit() {
        store.trouble(Trouble.CALL_HELD);
        source.lease(1);
        store.trouble(Trouble.NONE);
        time.advance(DEADLINE_MS + HORIZON_MS - 100);
        assertThat(lost.size()).isEqualTo(1);
        store.releaseAnswers();
        assertThat(store.batches(sequenceId)).hasSize(1);

        time.advance(500);

        assertThat(store.batches(sequenceId)).isEmpty();
        assertThat(lost.size()).isZero();
    }

    @Test
    void aLookUpThatFailsIsRepeatedEvenBeyondTheHorizon() {
        store.trouble(Trouble.UNKNOWN);
        source.lease(1);
        store.trouble(Trouble.UNAVAILABLE);
        time.advance(60_000);
        assertThat(lost.size()).isEqualTo(1);

        store.trouble(Trouble.NONE);
        time.advance(500);

        assertThat(lost.size()).isZero();
        assertThat(store.returned(sequenceId)).containsExactly(new Range(1, 10));
    }

    @Test
    void withTooManyUnsettledLeasesNothingIsLeased() {
        store.trouble(Trouble.UNKNOWN);
        for (int i = 0; i < 3; i++) {
            source.lease(1);
        }
        int calls = store.calls();

        assertThat(kind(source.lease(1))).isEqualTo(StoreException.Kind.UNAVAILABLE);
        assertThat(store.calls()).isEqualTo(calls);
    }

    @Test
    void aLeaseForAnIdThatWasLostMeanwhileIsDropped() {
        store.trouble(Trouble.ANSWER_HELD);
        UUID old = keeper.current();
        time.pause(4_000);
        Future<List<BatchRange>> lease = source.lease(1);
        store.trouble(Trouble.NONE);
        instances.reap(old);
        time.advance(1_000);
        assertThat(keeper.current()).isNotEqualTo(old);

        store.releaseAnswers();
        time.advance(HORIZON_MS + 500);

        assertThat(lease.failed()).isTrue();
        assertThat(store.batches(sequenceId)).isEmpty();
    }

    @Test
    void aRegressionIsNoticedByTheMarksOfThisProcess() {
        CounterMark old = store.mark(sequenceId);
        source.lease(3);
        store.regress(sequenceId, old);
        FakeMarkStore flushed = new FakeMarkStore();
        assertThat(flushed.highest(sequenceId, "").result()).isEqualTo(CounterMark.NONE);

        assertThat(ranges(source.lease(1))).containsExactly(new Range(31, 40));

        assertThat(regressions).hasValue(1);
        assertThat(store.batches(sequenceId))
                .filteredOn(BatchRow::suspect)
                .extracting(BatchRow::lo, BatchRow::hi, BatchRow::status)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(1L, 30L, Status.SEALED));
    }

    @Test
    void aRegressionIsNoticedByTheSharedMarksAlone() {
        CounterMark old = store.mark(sequenceId);
        source.lease(3);
        store.regress(sequenceId, old);

        SegmentSource fresh = leaser().source(sequenceId, "", "order");

        assertThat(ranges(fresh.lease(1))).containsExactly(new Range(31, 40));
        assertThat(regressions).hasValue(1);
    }

    @Test
    void aRegressionIsNoticedWhereOnlyReturnedRangesAreLeased() {
        List<BatchRange> batch = source.lease(1).result();
        CounterMark old = store.mark(sequenceId);
        source.lease(2);
        store.regress(sequenceId, old);
        store.seal(keeper.current(), List.of(new BatchStore.Seal(batch.get(0).batchId(), 4)));

        assertThat(ranges(source.lease(1))).containsExactly(new Range(31, 40));
        assertThat(store.returned(sequenceId)).isEmpty();
    }

    @Test
    void aRepairThatADeadProcessBeganIsEndedByOneThatKnewNothing() {
        store.beginRepair(sequenceId, 31);

        assertThat(ranges(source.lease(1))).containsExactly(new Range(31, 40));
        assertThat(regressions).hasValue(1);
    }

    @Test
    void aRegressionThatCouldNotBeRepairedIsRepairedFirst() {
        CounterMark old = store.mark(sequenceId);
        source.lease(3);
        store.regress(sequenceId, old);
        store.trouble(Trouble.ANSWER_HELD);
        Future<List<BatchRange>> lease = source.lease(1);
        store.trouble(Trouble.UNAVAILABLE);
        store.releaseAnswers();
        assertThat(lease.failed()).isTrue();
        store.trouble(Trouble.NONE);

        assertThat(ranges(source.lease(1))).containsExactly(new Range(31, 40));
        assertThat(store.batches(sequenceId))
                .filteredOn(b -> b.status() == Status.OPEN)
                .hasSize(1);
    }

    private static List<Range> ranges(Future<List<BatchRange>> lease) {
        return lease.result().stream().map(b -> new Range(b.lo(), b.hi())).toList();
    }

    private static StoreException.Kind kind(Future<?> failed) {
        return ((StoreException) failed.cause()).kind();
    }
}
