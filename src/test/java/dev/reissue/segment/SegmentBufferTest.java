package dev.reissue.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.BatchStore.Seal;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SegmentBufferTest {
    private static final Duration OPEN_MAX = Duration.ofSeconds(5);
    private static final Duration TICK = SegmentSettings.DEFAULTS.tick();

    private final ManualClock clock = new ManualClock();
    private FakeLedger ledger = new FakeLedger(1000);
    private SegmentBuffer buffer = buffer(SegmentSettings.DEFAULTS);

    private SegmentBuffer buffer(SegmentSettings settings) {
        return new SegmentBuffer(
                1, ledger, ledger, settings, OPEN_MAX, ledger.batchSize(), clock, () -> 1, SegmentMeter.NOOP);
    }

    private void useLedger(FakeLedger other, SegmentSettings settings) {
        ledger = other;
        buffer = buffer(settings);
    }

    /** Takes numbers, waiting where it has to; fails where they do not come at once. */
    private List<Long> next(int count) {
        Taken into = new Taken(count);
        if (!buffer.take(count, into)) {
            assertThat(buffer.await(count, into, Runnable::run).result()).isEqualTo(TakeResult.TAKEN);
        }
        return values(into);
    }

    private static List<Long> values(Taken taken) {
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < taken.size(); i++) {
            values.add(taken.value(i));
        }
        return values;
    }

    private static List<Long> range(long lo, long hi) {
        return LongStream.rangeClosed(lo, hi).boxed().toList();
    }

    private void pass(Duration time) {
        pass(time, nanos -> {});
    }

    /** Lets time pass in ticks and does something before each. */
    private void pass(Duration time, LongConsumer each) {
        for (long t = 0; t < time.toNanos(); t += TICK.toNanos()) {
            each.accept(t);
            clock.advance(TICK);
            buffer.tick();
        }
    }

    @Nested
    class Taking {
        @Test
        void leasesOnDemandAndHandsOutInOrder() {
            assertThat(buffer.take(new Taken(1))).isFalse();
            assertThat(ledger.asked()).isEmpty();
            assertThat(next(1)).containsExactly(1L);
            assertThat(next(1)).containsExactly(2L);
            assertThat(ledger.asked()).containsExactly(1);
        }

        @Test
        void severalComeAcrossTheEndOfASegment() {
            useLedger(new FakeLedger(10), SegmentSettings.DEFAULTS);
            next(7);
            assertThat(next(10)).isEqualTo(range(8, 17));
        }

        @Test
        void namesTheBatchOfEachNumber() {
            useLedger(new FakeLedger(2), SegmentSettings.DEFAULTS);
            Taken into = new Taken(3);
            buffer.await(3, into, Runnable::run);
            assertThat(List.of(into.batchId(0), into.batchId(1), into.batchId(2)))
                    .containsExactly(1L, 1L, 2L);
        }

        @Test
        void takesNothingWhereTheStockIsNotEnough() {
            useLedger(new FakeLedger(10), SegmentSettings.DEFAULTS);
            next(8);
            Taken into = new Taken(3);
            assertThat(buffer.take(3, into)).isFalse();
            assertThat(into.size()).isZero();
            assertThat(next(2)).containsExactly(9L, 10L);
        }

        @Test
        void asksForAsManyBatchesAsOneRequestNeeds() {
            useLedger(new FakeLedger(100), SegmentSettings.DEFAULTS);
            assertThat(next(1000)).hasSize(1000);
            assertThat(ledger.asked()).containsExactly(10);
        }

        @Test
        void aUsedUpSegmentIsSealedAtOnce() {
            useLedger(new FakeLedger(10), SegmentSettings.DEFAULTS);
            next(9);
            assertThat(ledger.seals()).isEmpty();
            next(1);
            assertThat(ledger.seals()).containsExactly(new Seal(1, 10));
        }
    }

    @Nested
    class Waiting {
        @Test
        void waitsInOrderUntilTheLeaseIsAnswered() {
            ledger.holdLeases(true);
            Taken a = new Taken(2);
            Taken b = new Taken(1);
            Future<TakeResult> first = buffer.await(2, a, Runnable::run);
            Future<TakeResult> second = buffer.await(1, b, Runnable::run);
            assertThat(first.isComplete()).isFalse();
            assertThat(buffer.waiting()).isEqualTo(2);
            ledger.answerNext();
            assertThat(first.result()).isEqualTo(TakeResult.TAKEN);
            assertThat(second.result()).isEqualTo(TakeResult.TAKEN);
            assertThat(values(a)).containsExactly(1L, 2L);
            assertThat(values(b)).containsExactly(3L);
            assertThat(ledger.asked()).as("one lease under way at a time").hasSize(1);
            assertThat(buffer.waiting()).isZero();
        }

        @Test
        void timesOutAtItsDeadlineHoldingNothing() {
            ledger.holdLeases(true);
            Taken into = new Taken(1);
            Future<TakeResult> waiting = buffer.await(1, into, Runnable::run);
            pass(Duration.ofMillis(900));
            assertThat(waiting.isComplete()).isFalse();
            pass(Duration.ofMillis(100));
            assertThat(waiting.result()).isEqualTo(TakeResult.TIMED_OUT);
            ledger.answerNext();
            assertThat(next(1)).containsExactly(1L);
        }

        @Test
        void refusesWhoFindsTheLineFull() {
            useLedger(new FakeLedger(1000), SegmentSettings.DEFAULTS.withWaiting(Duration.ofSeconds(1), 2));
            ledger.holdLeases(true);
            List<Future<TakeResult>> waiting = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                waiting.add(buffer.await(1, new Taken(1), Runnable::run));
            }
            assertThat(waiting.get(2).result()).isEqualTo(TakeResult.OVERLOADED);
            ledger.answerNext();
            assertThat(waiting.get(0).result()).isEqualTo(TakeResult.TAKEN);
            assertThat(waiting.get(1).result()).isEqualTo(TakeResult.TAKEN);
        }

        @Test
        void completesWhereTheCallerSays() {
            List<Runnable> tasks = new ArrayList<>();
            Future<TakeResult> waiting = buffer.await(1, new Taken(1), tasks::add);
            assertThat(waiting.isComplete()).isFalse();
            tasks.forEach(Runnable::run);
            assertThat(waiting.result()).isEqualTo(TakeResult.TAKEN);
        }

        @Test
        void theMomentOfTakingIsNotTheMomentOfAsking() {
            ledger.holdLeases(true);
            Taken into = new Taken(1);
            buffer.await(1, into, Runnable::run);
            clock.advance(Duration.ofMillis(500));
            ledger.answerNext();
            assertThat(into.takenNanos()).isEqualTo(clock.getAsLong());
        }
    }

    @Nested
    class Exhausted {
        @Test
        void refusesWhatIsNotThereAndServesWhatIs() {
            useLedger(new FakeLedger(10, 14), SegmentSettings.DEFAULTS);
            next(10);
            Future<TakeResult> tooMany = buffer.await(5, new Taken(5), Runnable::run);
            assertThat(tooMany.result()).isEqualTo(TakeResult.EXHAUSTED);
            assertThat(next(4)).isEqualTo(range(11, 14));
            assertThat(buffer.await(1, new Taken(1), Runnable::run).result()).isEqualTo(TakeResult.EXHAUSTED);
        }

        @Test
        void isAskedAgainAfterAWhile() {
            useLedger(new FakeLedger(10, 10), SegmentSettings.DEFAULTS);
            next(10);
            buffer.await(1, new Taken(1), Runnable::run);
            int asked = ledger.asked().size();
            buffer.await(1, new Taken(1), Runnable::run);
            assertThat(ledger.asked()).hasSize(asked);
            clock.advance(Duration.ofSeconds(1));
            buffer.await(1, new Taken(1), Runnable::run);
            assertThat(ledger.asked()).hasSize(asked + 1);
        }

        @Test
        void isAskedAgainAtOnceWhenTheDefinitionChanges() {
            useLedger(new FakeLedger(10, 10), SegmentSettings.DEFAULTS);
            next(10);
            buffer.await(1, new Taken(1), Runnable::run);
            ledger.extendTo(20);
            buffer.redefined(OPEN_MAX, 10);
            assertThat(next(1)).containsExactly(11L);
        }
    }

    @Nested
    class Failing {
        @Test
        void pausesLongerAfterEachFailureAndRecoversByItself() {
            ledger.failLeases(new IllegalStateException("no database"));
            Future<TakeResult> waiting = buffer.await(1, new Taken(1), Runnable::run);
            assertThat(ledger.asked()).hasSize(1);
            pass(Duration.ofMillis(900));
            assertThat(ledger.asked()).as("at 0, 100, 200, 400, 800 ms").hasSize(5);
            ledger.failLeases(null);
            pass(Duration.ofMillis(100));
            assertThat(waiting.result()).isEqualTo(TakeResult.TIMED_OUT);
            Future<TakeResult> later = buffer.await(1, new Taken(1), Runnable::run);
            pass(Duration.ofMillis(600));
            assertThat(later.result()).isEqualTo(TakeResult.TAKEN);
        }

        @Test
        void servesFromTheStockMeanwhile() {
            next(1);
            ledger.failLeases(new IllegalStateException("no database"));
            assertThat(next(999)).isEqualTo(range(2, 1000));
        }

        @Test
        void aSourceThatThrowsIsAFailureToo() {
            SegmentSource throwing = batches -> {
                throw new IllegalStateException("closed");
            };
            SegmentBuffer b = new SegmentBuffer(
                    1, throwing, ledger, SegmentSettings.DEFAULTS, OPEN_MAX, 10, clock, () -> 1, SegmentMeter.NOOP);
            Future<TakeResult> waiting = b.await(1, new Taken(1), Runnable::run);
            clock.advance(Duration.ofSeconds(1));
            b.tick();
            assertThat(waiting.result()).isEqualTo(TakeResult.TIMED_OUT);
        }
    }

    @Nested
    class LeasingAhead {
        @Test
        void aSteadyLoadNeverWaits() {
            for (int i = 0; i < 20; i++) {
                next(100);
                clock.advance(TICK);
                buffer.tick();
            }
            for (int i = 0; i < 200; i++) {
                assertThat(buffer.take(100, new Taken(100))).as("request %d", i).isTrue();
                clock.advance(TICK);
                buffer.tick();
            }
            assertThat(ledger.asked().stream().mapToInt(b -> b).sum())
                    .as("22,000 numbers and what is ahead")
                    .isBetween(22, 22 + 3);
        }

        @Test
        void aFasterLoadLeasesMoreAtOnceWithinTheBound() {
            useLedger(new FakeLedger(10), SegmentSettings.DEFAULTS.withLeasing(64, 1_000_000));
            pass(Duration.ofSeconds(3), t -> next(1000));
            assertThat(ledger.asked()).contains(64).allMatch(batches -> batches <= 64);
        }

        @Test
        void theStockIsBounded() {
            useLedger(new FakeLedger(10), SegmentSettings.DEFAULTS.withLeasing(256, 500));
            pass(Duration.ofSeconds(3), t -> {
                next(400);
                assertThat(buffer.stock()).isLessThanOrEqualTo(500);
            });
        }

        @Test
        void anIdleSequenceDoesNotLeaseAhead() {
            useLedger(new FakeLedger(100), SegmentSettings.DEFAULTS);
            next(100);
            pass(Duration.ofSeconds(3));
            assertThat(ledger.asked()).as("one burst is no load").hasSize(1);
            assertThat(buffer.stock()).isZero();
        }
    }

    @Nested
    class Ageing {
        @Test
        void aQuietSequenceIsSealedAndGoesOnWithTheNextNumber() {
            next(3);
            pass(OPEN_MAX.minus(TICK));
            assertThat(ledger.seals()).isEmpty();
            pass(TICK);
            assertThat(ledger.seals()).containsExactly(new Seal(1, 3));
            assertThat(ledger.asked()).hasSize(1);
            assertThat(next(1)).containsExactly(4L);
        }

        @Test
        void aQuietSequenceWaitsForItsOwnNumbersToComeBack() {
            next(3);
            ledger.holdSeals(true);
            pass(OPEN_MAX);
            Taken into = new Taken(1);
            Future<TakeResult> waiting = buffer.await(1, into, Runnable::run);
            assertThat(waiting.isComplete()).isFalse();
            ledger.answerNext();
            assertThat(waiting.result()).isEqualTo(TakeResult.TAKEN);
            assertThat(values(into)).containsExactly(4L);
        }

        @Test
        void butNotForLong() {
            next(3);
            ledger.holdSeals(true);
            pass(OPEN_MAX);
            Taken into = new Taken(1);
            Future<TakeResult> waiting = buffer.await(1, into, Runnable::run);
            pass(Duration.ofMillis(300));
            assertThat(waiting.result()).isEqualTo(TakeResult.TAKEN);
            assertThat(values(into)).containsExactly(1001L);
        }

        @Test
        void aBusySequenceIsReplacedBeforeItIsClosed() {
            useLedger(new FakeLedger(100_000), SegmentSettings.DEFAULTS);
            next(1);
            pass(Duration.ofSeconds(30), t -> {
                assertThat(buffer.take(10, new Taken(10))).isTrue();
            });
            assertThat(ledger.seals()).hasSizeBetween(4, 6);
            buffer.eachOpen((batch, lo, issuedTo, firstTaken) -> assertThat(clock.getAsLong() - firstTaken)
                    .isLessThan(Duration.ofSeconds(7).toNanos()));
        }

        @Test
        void openBatchesAreShownWithHowFarTheyAreHandedOut() {
            List<String> open = new ArrayList<>();
            next(3);
            buffer.eachOpen((batch, lo, issuedTo, firstTaken) -> open.add(lo + ".." + issuedTo));
            assertThat(open).containsExactly("1..3");
        }

        @Test
        void aBusySequenceIsClosedInTheEndThoughNoReplacementCame() {
            useLedger(new FakeLedger(100_000), SegmentSettings.DEFAULTS);
            next(1);
            ledger.holdLeases(true);
            pass(Duration.ofSeconds(7), t -> buffer.take(10, new Taken(10)));
            assertThat(ledger.seals()).hasSize(1);
            assertThat(buffer.stock()).isZero();
        }

        @Test
        void anUntouchedSegmentDoesNotAgeButIdleStockIsReturned() {
            useLedger(new FakeLedger(1000), SegmentSettings.DEFAULTS);
            pass(Duration.ofSeconds(2), t -> next(1000));
            long ahead = buffer.stock();
            assertThat(ahead).isGreaterThan(2000);
            int before = ledger.seals().size();
            pass(Duration.ofSeconds(50));
            assertThat(ledger.seals()).hasSize(before);
            pass(Duration.ofSeconds(11));
            assertThat(ledger.seals().size()).isGreaterThan(before);
            assertThat(buffer.stock()).isZero();
            assertThat(ledger.openBatches()).isZero();
            assertThat(next(1)).as("nothing was skipped").containsExactly(20_001L);
        }

        @Test
        void whatABurstLeftBehindIsReturnedOnceTheSequenceIsQuiet() {
            useLedger(new FakeLedger(1000), SegmentSettings.DEFAULTS);
            pass(Duration.ofSeconds(2), t -> next(1000));
            assertThat(buffer.stock()).isGreaterThan(2000);
            List<Long> quiet = new ArrayList<>();
            pass(Duration.ofSeconds(60), t -> {
                if (t % 1_000_000_000 == 0) {
                    quiet.addAll(next(1));
                }
            });
            List<Long> late = quiet.subList(30, 60);
            assertThat(late).isEqualTo(range(late.get(0), late.get(0) + 29));
            assertThat(buffer.stock()).isLessThan(1000);
        }

        @Test
        void followsTheDefinition() {
            next(1);
            buffer.redefined(Duration.ofSeconds(1), 1000);
            pass(Duration.ofSeconds(1));
            assertThat(ledger.seals()).containsExactly(new Seal(1, 1));
        }
    }

    @Nested
    class Cutting {
        @Test
        void drainSealsEverythingAndRefusesFromThenOn() {
            useLedger(new FakeLedger(10), SegmentSettings.DEFAULTS);
            pass(Duration.ofSeconds(1), t -> next(10));
            int leased = ledger.asked().stream().mapToInt(b -> b).sum();
            assertThat(buffer.stock()).isPositive();
            assertThat(buffer.drain().succeeded()).isTrue();
            assertThat(ledger.openBatches()).isZero();
            assertThat(ledger.seals()).hasSize(leased);
            assertThat(ledger.seals())
                    .as("an untouched one ends before its first value")
                    .contains(new Seal(leased, 10L * leased - 10));
            assertThat(buffer.take(new Taken(1))).isFalse();
            assertThat(buffer.await(1, new Taken(1), Runnable::run).result()).isEqualTo(TakeResult.STOPPED);
        }

        @Test
        void drainGivesBackALeaseThatIsStillUnderWay() {
            ledger.holdLeases(true);
            Future<TakeResult> waiting = buffer.await(1, new Taken(1), Runnable::run);
            Future<Void> drained = buffer.drain();
            assertThat(waiting.result()).isEqualTo(TakeResult.STOPPED);
            assertThat(drained.isComplete()).isFalse();
            ledger.answerNext();
            assertThat(drained.succeeded()).isTrue();
            assertThat(ledger.seals()).containsExactly(new Seal(1, 0));
        }

        @Test
        void drainWaitsForTheOutcomeOfItsSeals() {
            next(1);
            ledger.holdSeals(true);
            Future<Void> drained = buffer.drain();
            assertThat(drained.isComplete()).isFalse();
            ledger.answerNext();
            assertThat(drained.succeeded()).isTrue();
        }

        @Test
        void dropAllClosesWithoutSealing() {
            next(3);
            buffer.dropAll();
            assertThat(ledger.seals()).isEmpty();
            assertThat(buffer.take(new Taken(1))).isFalse();
            assertThat(buffer.batchOf(3)).isZero();
            assertThat(next(1)).as("from a batch leased since").containsExactly(1001L);
        }

        @Test
        void whatWasLeasedBeforeADropIsNotHandedOut() {
            ledger.holdLeases(true);
            Taken into = new Taken(1);
            Future<TakeResult> waiting = buffer.await(1, into, Runnable::run);
            buffer.dropAll();
            ledger.answerNext();
            assertThat(waiting.isComplete()).isFalse();
            ledger.answerNext();
            assertThat(waiting.result()).isEqualTo(TakeResult.TAKEN);
            assertThat(into.batchId(0)).isEqualTo(2);
        }

        @Test
        void restockSealsAndGoesOnWithTheRaisedCounter() {
            next(3);
            ledger.raiseTo(5001);
            buffer.restock();
            assertThat(ledger.seals()).containsExactly(new Seal(1, 3));
            ledger.raiseTo(5001);
            assertThat(next(1)).containsExactly(5001L);
        }

        @Test
        void whatWasLeasedBeforeARestockIsGivenBack() {
            ledger.holdLeases(true);
            Taken into = new Taken(1);
            Future<TakeResult> waiting = buffer.await(1, into, Runnable::run);
            buffer.restock();
            ledger.answerNext();
            assertThat(ledger.seals()).containsExactly(new Seal(1, 0));
            assertThat(waiting.isComplete()).isFalse();
            ledger.answerNext();
            assertThat(waiting.result()).isEqualTo(TakeResult.TAKEN);
            assertThat(into.batchId(0)).isEqualTo(2);
        }
    }

    @Nested
    class Owning {
        @Test
        void namesTheBatchOfAHandedOutValueOnly() {
            next(3);
            assertThat(buffer.batchOf(0)).isZero();
            assertThat(buffer.batchOf(1)).isEqualTo(1);
            assertThat(buffer.batchOf(3)).isEqualTo(1);
            assertThat(buffer.batchOf(4)).isZero();
            assertThat(buffer.batchOf(5000)).isZero();
        }

        @Test
        void untilTheOutcomeOfTheSealIsKnown() {
            useLedger(new FakeLedger(3), SegmentSettings.DEFAULTS);
            ledger.holdSeals(true);
            next(3);
            assertThat(buffer.batchOf(3)).isEqualTo(1);
            assertThat(buffer.openBatches()).isEqualTo(1);
            ledger.answerNext();
            assertThat(buffer.batchOf(3)).isZero();
            assertThat(buffer.openBatches()).isZero();
        }
    }
}
