package dev.reissue.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.BatchStore.LeaseRequest;
import dev.reissue.support.FakeBatchStore;
import dev.reissue.support.FakeBatchStore.Trouble;
import dev.reissue.support.FakeInstanceStore;
import dev.reissue.support.LedgerProbe.Range;
import dev.reissue.support.ManualTime;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SealQueueTest {
    private final ManualTime time = new ManualTime();
    private final FakeBatchStore store = new FakeBatchStore();
    private final LeaseKeeper keeper = new LeaseKeeper(
            new FakeInstanceStore(time),
            "host",
            new LeaseKeeper.Timing(15_000, 2_000, 5_000, 2_000),
            UUID::randomUUID,
            time,
            time,
            LedgerMeter.NOOP);
    private final SealQueue queue = new SealQueue(store, keeper, time, time, 2_000, LedgerMeter.NOOP);
    private final int sequenceId = store.sequence(10);

    @BeforeEach
    void start() {
        keeper.start();
    }

    @Test
    void sealsAtOnceAndReturnsTheRest() {
        BatchRange batch = lease(1).get(0);

        assertThat(queue.seal(batch.batchId(), 4).succeeded()).isTrue();

        assertThat(store.returned(sequenceId)).containsExactly(new Range(5, 10));
        assertThat(queue.size()).isZero();
    }

    @Test
    void whatComesWhileAStatementIsUnderWayGoesIntoTheNextOne() {
        List<BatchRange> batches = lease(5);
        int before = store.calls();
        store.trouble(Trouble.ANSWER_HELD);
        batches.forEach(batch -> queue.seal(batch.batchId(), batch.hi()));
        assertThat(store.calls()).isEqualTo(before + 1);
        assertThat(queue.size()).isEqualTo(5);
        store.trouble(Trouble.NONE);

        store.releaseAnswers();
        time.advance(30);

        assertThat(store.calls()).isEqualTo(before + 2);
        assertThat(queue.size()).isZero();
    }

    @Test
    void statementsThatFollowEachOtherCloselyBecomeOne() {
        List<BatchRange> batches = lease(5);
        int before = store.calls();

        batches.forEach(batch -> queue.seal(batch.batchId(), batch.hi()));
        assertThat(store.calls()).isEqualTo(before + 1);
        assertThat(queue.size()).isEqualTo(4);
        time.advance(30);

        assertThat(store.calls()).isEqualTo(before + 2);
        assertThat(queue.size()).isZero();
    }

    @Test
    void aFlushDoesNotWaitForMore() {
        List<BatchRange> batches = lease(2);
        batches.forEach(batch -> queue.seal(batch.batchId(), batch.hi()));
        assertThat(queue.size()).isEqualTo(1);

        assertThat(queue.flush(1_000).result()).isZero();

        assertThat(queue.size()).isZero();
    }

    @Test
    void repeatsUntilTheOutcomeIsKnown() {
        BatchRange batch = lease(1).get(0);
        store.trouble(Trouble.UNKNOWN);
        Future<Void> seal = queue.seal(batch.batchId(), 4);
        time.advance(60_000);
        assertThat(seal.isComplete()).isFalse();
        store.trouble(Trouble.NONE);

        time.advance(2_000);

        assertThat(seal.succeeded()).isTrue();
        assertThat(store.returned(sequenceId)).containsExactly(new Range(5, 10));
    }

    @Test
    void aSealThatIsNeverAnsweredIsRepeatedAfterItsDeadline() {
        BatchRange batch = lease(1).get(0);
        store.trouble(Trouble.CALL_HELD);
        Future<Void> seal = queue.seal(batch.batchId(), 4);
        store.trouble(Trouble.NONE);
        time.advance(2_100);

        assertThat(seal.succeeded()).isTrue();
        store.releaseAnswers();
        assertThat(store.returned(sequenceId)).containsExactly(new Range(5, 10));
    }

    @Test
    void aBatchThatWasReapedMeanwhileIsDone() {
        LeaseRequest others = new LeaseRequest(sequenceId, "", UUID.randomUUID(), UUID.randomUUID(), 1);
        BatchRange batch = store.lease(others).result().batches().get(0);

        assertThat(queue.seal(batch.batchId(), 4).succeeded()).isTrue();
        assertThat(store.returned(sequenceId)).isEmpty();
    }

    @Test
    void flushWaitsForEverythingAndSaysWhatIsLeft() {
        BatchRange batch = lease(1).get(0);
        assertThat(queue.flush(1_000).result()).isZero();
        store.trouble(Trouble.UNAVAILABLE);
        queue.seal(batch.batchId(), 4);
        Future<Integer> tooShort = queue.flush(1_000);
        Future<Integer> longEnough = queue.flush(10_000);

        time.advance(1_000);
        assertThat(tooShort.result()).isEqualTo(1);
        assertThat(longEnough.isComplete()).isFalse();
        store.trouble(Trouble.NONE);
        time.advance(2_000);

        assertThat(longEnough.result()).isZero();
    }

    private List<BatchRange> lease(int batches) {
        return store.lease(new LeaseRequest(sequenceId, "", keeper.current(), UUID.randomUUID(), batches))
                .result()
                .batches();
    }
}
