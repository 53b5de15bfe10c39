package dev.reissue.issuance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reissue.ledger.Ask;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Time stands still until a test moves it; the store answers when a test says so. */
class GroupCommitTest {
    private static final FlushSettings SETTINGS = new FlushSettings(3, 10, 2, 25, 1_000);
    private static final Answer DONE = new Answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0);

    private final SlowStore store = new SlowStore();
    private final ManualTimer timer = new ManualTimer();
    private final Counts counts = new Counts();
    private final GroupCommit<Item, Answer> commit =
            new GroupCommit<>(store::settle, timer, timer::nanos, counts, SETTINGS);

    @Test
    void theFirstCallAfterAnIdleTimeIsSentAtOnce() {
        commit.submit(items(1));
        assertThat(store.sizes()).containsExactly(1);
        store.answer(0);
        timer.advance(1_000);
        commit.submit(items(1));
        assertThat(store.sizes()).containsExactly(1, 1);
    }

    @Test
    void callsThatComeInQuickSuccessionShareOneStatement() {
        commit.submit(items(1));
        for (int i = 0; i < 5; i++) {
            commit.submit(items(1));
        }
        assertThat(store.sizes()).containsExactly(1);
        timer.advance(3);
        assertThat(store.sizes()).containsExactly(1, 5);
    }

    @Test
    void callsThatComeInOneTurnOfTheEventLoopShareTheFirstStatement() {
        timer.turn(() -> {
            commit.submit(items(1));
            commit.submit(items(2));
            assertThat(store.sizes()).isEmpty();
        });
        assertThat(store.sizes()).containsExactly(3);
    }

    @Test
    void whatWaitsIsSentAsSoonAsNothingIsInFlight() {
        commit.submit(items(1));
        commit.submit(items(4));
        assertThat(store.sizes()).containsExactly(1);
        store.answer(0);
        assertThat(store.sizes()).containsExactly(1, 4);
    }

    @Test
    void afterAFlushOfManyTheNextOneWaitsForMoreThoughNothingIsInFlight() {
        commit.submit(items(9));
        store.answer(0);
        commit.submit(items(1));
        commit.submit(items(1));
        assertThat(store.sizes()).containsExactly(9);
        timer.advance(3);
        assertThat(store.sizes()).containsExactly(9, 2);
        store.answer(1);
        commit.submit(items(1));
        assertThat(store.sizes()).as("few again").containsExactly(9, 2, 1);
    }

    @Test
    void aFullFlushDoesNotWait() {
        commit.submit(items(1));
        commit.submit(items(4));
        commit.submit(items(6));
        assertThat(store.sizes()).containsExactly(1, 10);
    }

    @Test
    void aCallIsNeverSplit() {
        commit.submit(items(1));
        commit.submit(items(9));
        commit.submit(items(9));
        assertThat(store.sizes()).containsExactly(1, 18);
    }

    @Test
    void eachCallerGetsItsOwnAnswersAndOnlyAfterTheCommit() {
        Future<List<Answer>> first = commit.submit(items(1));
        Future<List<Answer>> second = commit.submit(items(2));
        Future<List<Answer>> third = commit.submit(items(1));
        timer.advance(3);
        assertThat(first.isComplete()).isFalse();
        store.answer(0);
        assertThat(first.result()).containsExactly(DONE);
        assertThat(second.isComplete()).isFalse();
        Answer refused = new Answer(SettleOutcome.SUPERSEDED, NumberState.REPLAYED, 1);
        store.answer(1, List.of(DONE, refused, DONE));
        assertThat(second.result()).containsExactly(DONE, refused);
        assertThat(third.result()).containsExactly(DONE);
    }

    @Test
    void noMoreFlushesAreInFlightThanAllowed() {
        for (int i = 0; i < 3; i++) {
            commit.submit(items(8));
            timer.advance(3);
        }
        assertThat(store.sizes()).containsExactly(8, 8);
        timer.advance(50);
        assertThat(store.sizes()).containsExactly(8, 8);
        store.answer(1);
        assertThat(store.sizes()).containsExactly(8, 8, 8);
    }

    @Test
    void aFullQueueRefusesAndKeepsNothingOfTheCall() {
        commit.submit(items(1));
        timer.advance(3);
        commit.submit(items(1));
        commit.submit(items(9));
        commit.submit(items(15));
        Future<List<Answer>> tooMany = commit.submit(items(2));
        assertThat(tooMany.cause()).isInstanceOf(OverloadedException.class);
        assertThat(counts.overloaded).isEqualTo(2);
        assertThat(commit.submit(items(1)).isComplete()).isFalse();
        store.answer(0);
        store.answer(1);
        timer.advance(3);
        assertThat(store.sizes().stream().mapToInt(n -> n).sum()).isEqualTo(1 + 1 + 9 + 15 + 1);
    }

    @Test
    void aCallThatWaitedTooLongLeavesTheQueueUnsent() {
        commit.submit(items(1));
        timer.advance(3);
        commit.submit(items(1));
        Future<List<Answer>> waiting = commit.submit(items(5));
        timer.advance(999);
        assertThat(waiting.isComplete()).isFalse();
        timer.advance(1);
        assertThat(waiting.cause()).isInstanceOf(OverloadedException.class);
        store.answer(0);
        store.answer(1);
        timer.advance(10);
        assertThat(store.sizes()).containsExactly(1, 1);
    }

    @Test
    void aCallInFlightAtItsDeadlineHasAnUnknownOutcomeAndItsLateAnswerIsDropped() {
        Future<List<Answer>> call = commit.submit(items(1));
        timer.advance(1_000);
        assertThat(kind(call)).isEqualTo(Kind.UNKNOWN);
        store.answer(0);
        assertThat(call.failed()).isTrue();
        commit.submit(items(1));
        assertThat(store.sizes()).containsExactly(1, 1);
    }

    @Test
    void aFailedFlushIsTriedOnceMore() {
        Future<List<Answer>> call = commit.submit(items(2));
        store.fail(0, Kind.UNKNOWN);
        assertThat(store.sizes()).containsExactly(2, 2);
        assertThat(call.isComplete()).isFalse();
        store.answer(1);
        assertThat(call.result()).hasSize(2);
        assertThat(counts.ends).containsExactly(FlushMeter.FlushEnd.REPEATED);
    }

    @Test
    void afterTwoTriesTheCallerLearnsWhatIsKnown() {
        Future<List<Answer>> nothing = commit.submit(items(1));
        store.fail(0, Kind.UNAVAILABLE);
        store.fail(1, Kind.UNAVAILABLE);
        assertThat(kind(nothing)).isEqualTo(Kind.UNAVAILABLE);
        timer.advance(5);
        Future<List<Answer>> perhaps = commit.submit(items(1));
        store.fail(2, Kind.UNKNOWN);
        store.fail(3, Kind.UNAVAILABLE);
        assertThat(kind(perhaps)).isEqualTo(Kind.UNKNOWN);
        assertThat(counts.ends).containsExactly(FlushMeter.FlushEnd.FAILED, FlushMeter.FlushEnd.FAILED);
        assertThat(store.sizes()).hasSize(4);
    }

    @Test
    void whatNobodyWaitsForIsNotTriedAgain() {
        commit.submit(items(1));
        timer.advance(1_000);
        store.fail(0, Kind.UNKNOWN);
        assertThat(store.sizes()).containsExactly(1);
    }

    @Test
    void aStoreThatThrowsIsAFailureLikeAnyOther() {
        store.broken = true;
        Future<List<Answer>> call = commit.submit(items(1));
        assertThat(call.cause()).hasMessage("broken");
        store.broken = false;
        timer.advance(5);
        assertThat(commit.submit(items(1)).isComplete()).isFalse();
        assertThat(store.sizes()).hasSize(1);
    }

    @Test
    void tooFewAnswersAreAFaultOfTheStore() {
        Future<List<Answer>> call = commit.submit(items(2));
        store.answer(0, List.of(DONE));
        assertThat(call.cause()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void drainingSendsWhatWaitsAndEndsWithTheLastAnswer() {
        commit.submit(items(1));
        Future<List<Answer>> waiting = commit.submit(items(1));
        Future<Void> drained = commit.drain();
        assertThat(store.sizes()).containsExactly(1, 1);
        store.answer(0);
        assertThat(drained.isComplete()).isFalse();
        store.answer(1);
        assertThat(waiting.succeeded()).isTrue();
        assertThat(drained.succeeded()).isTrue();
        assertThat(commit.drain().succeeded()).isTrue();
    }

    @Test
    void whoAsksAgainFromWithinAnAnswerIsServed() {
        List<Future<List<Answer>>> second = new ArrayList<>();
        commit.submit(items(1)).onSuccess(a -> second.add(commit.submit(items(1))));
        timer.advance(5);
        store.answer(0);
        assertThat(store.sizes()).containsExactly(1, 1);
        store.answer(1);
        assertThat(second.get(0).succeeded()).isTrue();
    }

    @Test
    void timersDoNotPileUp() {
        for (int i = 0; i < 500; i++) {
            commit.submit(items(1));
            timer.advance(1);
            store.answerAll();
        }
        assertThat(timer.pending()).isLessThanOrEqualTo(2);
    }

    @Test
    void anEmptyCallNeedsNoStatement() {
        assertThat(commit.submit(List.of()).result()).isEmpty();
        assertThat(store.sizes()).isEmpty();
    }

    @Test
    void boundsThatMakeNoSenseAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FlushSettings(3, 100, 2, 50, 1_000))
                .withMessageContaining("queueItems 50");
    }

    private static List<Item> items(int n) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            items.add(Ask.confirm(1, i + 1L).ticket(1, 0).item());
        }
        return items;
    }

    private static Kind kind(Future<?> failed) {
        assertThat(failed.cause()).isInstanceOf(StoreException.class);
        return ((StoreException) failed.cause()).kind();
    }

    /** A store whose commits take as long as a test wants. */
    private static final class SlowStore implements SettleStore {
        private final List<List<Item>> calls = new ArrayList<>();
        private final List<Promise<List<Answer>>> promises = new ArrayList<>();
        private boolean broken;

        @Override
        public Future<List<Answer>> settle(List<Item> items) {
            if (broken) {
                throw new IllegalStateException("broken");
            }
            calls.add(items);
            promises.add(Promise.promise());
            return promises.get(promises.size() - 1).future();
        }

        List<Integer> sizes() {
            return calls.stream().map(List::size).toList();
        }

        void answer(int call) {
            answer(call, calls.get(call).stream().map(i -> DONE).toList());
        }

        void answer(int call, List<Answer> answers) {
            promises.get(call).complete(answers);
        }

        void answerAll() {
            for (int i = 0; i < promises.size(); i++) {
                if (!promises.get(i).future().isComplete()) {
                    answer(i);
                }
            }
        }

        void fail(int call, Kind kind) {
            promises.get(call).fail(new StoreException(kind, "test", new IllegalStateException()));
        }
    }

    /** A clock that tests move, and what is to be run by it. */
    private static final class ManualTimer implements GroupCommit.Timer {
        private final PriorityQueue<Entry> entries = new PriorityQueue<>();
        private final List<Runnable> turnEnd = new ArrayList<>();
        private boolean inTurn;
        private long nowMs = 50;

        private record Entry(long atMs, Runnable task) implements Comparable<Entry> {
            @Override
            public int compareTo(Entry other) {
                return Long.compare(atMs, other.atMs);
            }
        }

        @Override
        public void after(long delayMs, Runnable task) {
            assertThat(delayMs).isNotNegative();
            if (delayMs > 0) {
                entries.add(new Entry(nowMs + delayMs, task));
            } else if (inTurn) {
                turnEnd.add(task);
            } else {
                task.run();
            }
        }

        long nanos() {
            return TimeUnit.MILLISECONDS.toNanos(nowMs);
        }

        /** Runs something as one turn of the event loop. */
        void turn(Runnable work) {
            inTurn = true;
            work.run();
            inTurn = false;
            List<Runnable> last = List.copyOf(turnEnd);
            turnEnd.clear();
            last.forEach(Runnable::run);
        }

        int pending() {
            return entries.size();
        }

        void advance(long ms) {
            long end = nowMs + ms;
            for (Entry next = entries.peek(); next != null && next.atMs() <= end; next = entries.peek()) {
                entries.remove(next);
                nowMs = next.atMs();
                next.task().run();
            }
            nowMs = end;
        }
    }

    /** A meter that remembers. */
    private static final class Counts implements SettleMeter {
        private final List<FlushEnd> ends = new ArrayList<>();
        private int overloaded;

        @Override
        public void flushed(int items, long durationNanos, FlushEnd end) {
            ends.add(end);
        }

        @Override
        public void overloaded(int items) {
            overloaded += items;
        }
    }
}
