package dev.reissue.support;

import static dev.reissue.support.LedgerProbe.Status.OPEN;
import static dev.reissue.support.LedgerProbe.Status.SEALED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore;
import dev.reissue.ledger.BatchStore.LeaseAnswer;
import dev.reissue.ledger.BatchStore.LeaseRequest;
import dev.reissue.ledger.BatchStore.Seal;
import dev.reissue.ledger.CounterMark;
import dev.reissue.support.LedgerProbe.BatchRow;
import dev.reissue.support.LedgerProbe.Range;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link BatchStore} has to do. */
public abstract class BatchStoreContract {
    /** The instance that leases. */
    protected final UUID me = UUID.randomUUID();

    private BatchStore store;
    private LedgerProbe ledger;

    /** Creates the contract. */
    @SuppressWarnings("NullAway.Init")
    protected BatchStoreContract() {}

    /** Returns the store to be tested. */
    protected abstract BatchStore store();

    /** Returns what is behind the store. */
    protected abstract LedgerProbe ledger();

    @BeforeEach
    void open() {
        store = store();
        ledger = ledger();
    }

    @Test
    void leasesOpenBatchesOfTheSequencesSizeFromTheCounter() {
        int s = ledger.sequence(1001, 1_000_000, 100);

        LeaseAnswer answer = lease(s, 3);

        assertThat(ranges(answer)).containsExactly(new Range(1001, 1100), new Range(1101, 1200), new Range(1201, 1300));
        assertThat(answer.mark()).isEqualTo(ledger.mark(s));
        assertThat(answer.mark().nextValue()).isEqualTo(1301);
        assertThat(ledger.batches(s)).extracting(BatchRow::status).containsOnly(OPEN);
    }

    @Test
    void everyLeaseAndEveryReturnRaisesTheRevision() {
        int s = ledger.sequence(10);
        long before = ledger.mark(s).revision();

        BatchRange batch = lease(s, 1).batches().get(0);
        assertThat(ledger.mark(s).revision()).isEqualTo(before + 1);
        seal(me, batch, 4);
        assertThat(ledger.mark(s).revision()).isEqualTo(before + 2);
        lease(s, 1);
        assertThat(ledger.mark(s).revision()).isEqualTo(before + 3);
    }

    @Test
    void afterASealTheNextNumberIsTheNextNumber() {
        int s = ledger.sequence(2000);
        BatchRange batch = lease(s, 1).batches().get(0);

        assertThat(seal(me, batch, 27)).containsExactly(batch.batchId());

        assertThat(ranges(lease(s, 1))).containsExactly(new Range(28, 2000));
        BatchRow sealed = ledger.batches(s).get(0);
        assertThat(sealed.status()).isEqualTo(SEALED);
        assertThat(sealed.issuedTo()).isEqualTo(27);
        assertThat(sealed.dueInMs()).isBetween(30_000L, 60_000L);
    }

    @Test
    void aFullyIssuedBatchReturnsNothing() {
        int s = ledger.sequence(10);
        BatchRange batch = lease(s, 1).batches().get(0);

        seal(me, batch, 10);

        assertThat(ledger.returned(s)).isEmpty();
        assertThat(ledger.batches(s).get(0).issuedTo()).isEqualTo(10);
    }

    @Test
    void anUntouchedBatchIsReturnedWholeAndLeavesNoTrace() {
        int s = ledger.sequence(10);
        List<BatchRange> batches = lease(s, 2).batches();

        seal(me, batches.get(1), 10);

        assertThat(ledger.returned(s)).containsExactly(new Range(11, 20));
        assertThat(ledger.batches(s)).hasSize(1);
    }

    @Test
    void manyBatchesAreSealedAtOnce() {
        int s = ledger.sequence(10);
        int t = ledger.sequence(10);
        List<BatchRange> a = lease(s, 2).batches();
        List<BatchRange> b = lease(t, 1).batches();

        Set<Long> sealed = get(store.seal(
                me,
                List.of(
                        new Seal(b.get(0).batchId(), 3),
                        new Seal(a.get(1).batchId(), 15),
                        new Seal(a.get(0).batchId(), 10))));

        assertThat(sealed).hasSize(3);
        assertThat(ledger.returned(s)).containsExactly(new Range(16, 20));
        assertThat(ledger.returned(t)).containsExactly(new Range(4, 10));
    }

    @Test
    void aSealRepeatedOrByAnotherInstanceChangesNothing() {
        int s = ledger.sequence(10);
        BatchRange batch = lease(s, 1).batches().get(0);

        assertThat(seal(UUID.randomUUID(), batch, 4)).isEmpty();
        assertThat(ledger.batches(s).get(0).status()).isEqualTo(OPEN);
        assertThat(seal(me, batch, 4)).hasSize(1);
        assertThat(seal(me, batch, 2)).isEmpty();

        assertThat(ledger.batches(s).get(0).issuedTo()).isEqualTo(4);
        assertThat(ledger.returned(s)).containsExactly(new Range(5, 10));
    }

    @Test
    void aBatchWithABitAboveTheCursorKeepsAllOfItsValues() {
        int s = ledger.sequence(10);
        BatchRange batch = lease(s, 1).batches().get(0);
        ledger.confirm(batch.batchId(), 10);

        assertThat(seal(me, batch, 4)).hasSize(1);

        assertThat(ledger.returned(s)).isEmpty();
        assertThat(ledger.batches(s).get(0).issuedTo()).isEqualTo(10);
    }

    @Test
    void aBitBelowTheCursorDoesNotKeepTheRest() {
        int s = ledger.sequence(10);
        BatchRange batch = lease(s, 1).batches().get(0);
        ledger.confirm(batch.batchId(), 4);

        seal(me, batch, 4);

        assertThat(ledger.returned(s)).containsExactly(new Range(5, 10));
    }

    @Test
    void returnedRangesComeFirstFoldedAndCutToTheSizeOfNow() {
        int s = ledger.sequence(100);
        List<BatchRange> batches = lease(s, 3).batches();
        seal(me, batches.get(1), 100);
        seal(me, batches.get(2), 200);
        seal(me, batches.get(0), 40);
        ledger.resize(s, 150);

        assertThat(ranges(lease(s, 1))).containsExactly(new Range(41, 190));
        assertThat(ledger.returned(s)).containsExactly(new Range(191, 200), new Range(201, 300));
        assertThat(ranges(lease(s, 2))).containsExactly(new Range(191, 300), new Range(301, 450));
    }

    @Test
    void whatWasReturnedBelowTheFloorStaysThere() {
        int s = ledger.sequence(10);
        BatchRange batch = lease(s, 1).batches().get(0);
        seal(me, batch, 4);
        ledger.raiseFloor(s, 1000);

        assertThat(ranges(lease(s, 1))).containsExactly(new Range(1000, 1009));
        assertThat(ledger.returned(s)).containsExactly(new Range(5, 10));
    }

    @Test
    void aBoundedSequenceEndsWithAShortBatchAndThenWithNone() {
        int s = ledger.sequence(1, 25, 10);

        assertThat(ranges(lease(s, 5))).containsExactly(new Range(1, 10), new Range(11, 20), new Range(21, 25));
        assertThat(lease(s, 5).batches()).isEmpty();
        assertThat(ledger.mark(s).nextValue()).isEqualTo(26);
    }

    @Test
    void theHighestValuesDoNotOverflow() {
        long last = 1_000_000_000_000_000_000L;
        int s = ledger.sequence(last - 5, last, 1_000_000);

        assertThat(ranges(lease(s, 1000))).containsExactly(new Range(last - 5, last));
        assertThat(lease(s, 1000).batches()).isEmpty();
    }

    @Test
    void anExhaustedSequenceStillLeasesWhatWasReturned() {
        int s = ledger.sequence(1, 10, 10);
        BatchRange batch = lease(s, 1).batches().get(0);
        seal(me, batch, 7);

        assertThat(ranges(lease(s, 3))).containsExactly(new Range(8, 10));
    }

    @Test
    void aLostLeaseIsReturnedWholeOnce() {
        int s = ledger.sequence(10);
        UUID lost = UUID.randomUUID();
        get(store.lease(new LeaseRequest(s, "", me, lost, 3)));
        lease(s, 1);

        assertThat(get(store.returnLost(UUID.randomUUID(), lost))).isZero();
        assertThat(get(store.returnLost(me, UUID.randomUUID()))).isZero();
        assertThat(get(store.returnLost(me, lost))).isEqualTo(3);
        assertThat(get(store.returnLost(me, lost))).isZero();

        assertThat(ledger.returned(s)).containsExactly(new Range(1, 10), new Range(11, 20), new Range(21, 30));
        assertThat(ledger.batches(s)).hasSize(1);
    }

    @Test
    void aLostLeaseWithABitIsSealedAndNotReturned() {
        int s = ledger.sequence(10);
        UUID lost = UUID.randomUUID();
        LeaseAnswer answer = get(store.lease(new LeaseRequest(s, "", me, lost, 1)));
        ledger.confirm(answer.batches().get(0).batchId(), 1);

        get(store.returnLost(me, lost));

        assertThat(ledger.returned(s)).isEmpty();
        assertThat(ledger.batches(s).get(0).status()).isEqualTo(SEALED);
        assertThat(ledger.batches(s).get(0).issuedTo()).isEqualTo(10);
    }

    @Test
    void afterARegressionEverythingInDoubtTakesTheSlowWayAndIsNotIssuedAgain() {
        int s = ledger.sequence(100);
        BatchRange first = lease(s, 1).batches().get(0);
        seal(me, first, 60);
        CounterMark old = ledger.mark(s);
        CounterMark known = new CounterMark(old.revision() + 5, 701);
        LeaseRequest regressed = new LeaseRequest(s, "", me, UUID.randomUUID(), 2);
        assertThat(ranges(get(store.lease(regressed)))).containsExactly(new Range(61, 100), new Range(101, 200));
        BatchRange other = lease(s, 1).batches().get(0);
        seal(me, other, 250);

        CounterMark mark = get(store.raiseAbove(regressed, known));

        assertThat(mark).isEqualTo(ledger.mark(s)).isEqualTo(new CounterMark(known.revision() + 1, 701));
        assertThat(ledger.returned(s)).isEmpty();
        assertThat(ledger.batches(s))
                .extracting(BatchRow::lo, BatchRow::issuedTo, BatchRow::status, BatchRow::suspect)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(1L, 60L, SEALED, true),
                        org.assertj.core.groups.Tuple.tuple(61L, 200L, SEALED, true),
                        org.assertj.core.groups.Tuple.tuple(201L, 250L, SEALED, true),
                        org.assertj.core.groups.Tuple.tuple(251L, 700L, SEALED, true));
        assertThat(ranges(lease(s, 1))).containsExactly(new Range(701, 800));
    }

    @Test
    void aCounterUnderRepairLeasesNothingUntilSomebodyEndsTheRepair() {
        int s = ledger.sequence(100);
        BatchRange first = lease(s, 1).batches().get(0);
        seal(me, first, 60);
        ledger.beginRepair(s, 701);
        CounterMark before = ledger.mark(s);
        LeaseRequest knowsNothing = new LeaseRequest(s, "", me, UUID.randomUUID(), 1);

        LeaseAnswer answer = get(store.lease(knowsNothing));

        assertThat(answer.repairing()).isTrue();
        assertThat(answer.batches()).isEmpty();
        assertThat(answer.mark()).isEqualTo(before).isEqualTo(ledger.mark(s));
        get(store.raiseAbove(knowsNothing, answer.mark()));
        LeaseAnswer next = lease(s, 1);
        assertThat(next.repairing()).isFalse();
        assertThat(ranges(next)).containsExactly(new Range(701, 800));
        assertThat(ledger.batches(s).get(0).suspect()).isTrue();
    }

    @Test
    void aFenceOfAllCountersHoldsUntilEachIsRepaired() {
        int s = ledger.sequence(100);
        int t = ledger.sequence(100);
        BatchRange first = lease(s, 1).batches().get(0);
        lease(t, 1);

        get(store.fenceAll(Map.of(new CounterMark.Counter(s, ""), new CounterMark(9, 301))));

        for (int each : List.of(s, t)) {
            LeaseRequest request = new LeaseRequest(each, "", me, UUID.randomUUID(), 1);
            LeaseAnswer answer = get(store.lease(request));
            assertThat(answer.repairing()).isTrue();
            get(store.raiseAbove(request, answer.mark()));
        }
        assertThat(ranges(lease(s, 1))).containsExactly(new Range(301, 400));
        assertThat(ranges(lease(t, 1))).containsExactly(new Range(101, 200));
        assertThat(ledger.batches(s))
                .extracting(BatchRow::lo, BatchRow::suspect)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(first.lo(), true),
                        org.assertj.core.groups.Tuple.tuple(101L, true),
                        org.assertj.core.groups.Tuple.tuple(301L, false));
        assertThat(ledger.batches(t)).extracting(BatchRow::suspect).containsExactly(true, false);
    }

    @Test
    void raisingAboveWhatIsNotBelowAnyMoreChangesNoRange() {
        int s = ledger.sequence(100);
        lease(s, 1);
        LeaseRequest nothing = new LeaseRequest(s, "", me, UUID.randomUUID(), 1);

        CounterMark mark = get(store.raiseAbove(nothing, new CounterMark(1, 50)));

        assertThat(mark.nextValue()).isEqualTo(101);
        assertThat(ledger.batches(s)).hasSize(1);
    }

    private LeaseAnswer lease(int sequenceId, int batches) {
        return get(store.lease(new LeaseRequest(sequenceId, "", me, UUID.randomUUID(), batches)));
    }

    private Set<Long> seal(UUID owner, BatchRange batch, long issuedTo) {
        return get(store.seal(owner, List.of(new Seal(batch.batchId(), issuedTo))));
    }

    private static List<Range> ranges(LeaseAnswer answer) {
        return answer.batches().stream().map(b -> new Range(b.lo(), b.hi())).toList();
    }

    private static <T> T get(Future<T> future) {
        return Futures.get(future);
    }
}
