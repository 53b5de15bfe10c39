package dev.reissue.issuance;

import dev.reissue.issuance.FlushMeter.FlushEnd;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Collects what the requests of one event loop ask of a store and sends it many items at once, so that a commit is shared by all who
 * wait for it: confirms and abandons, records of idempotency keys. Confined to its event loop, which the timer and the store's futures
 * have to use too. No locks, no blocking.
 *
 * <p>A flush starts when {@code flushItems} are waiting. Otherwise it starts at the end of the event loop's turn, so that what came in
 * together is sent together, {@code flushMs} after the last one started; at once where that one has ended and was small. So few
 * callers do not wait, and many share a commit, which costs the database the same for one item as for a hundred. Answers are given
 * after the commit. What fails is tried once more, since every such statement may be repeated; then the callers learn what is known: a
 * {@link StoreException} (of kind UNKNOWN: perhaps done), or an {@link OverloadedException}: nothing was sent.
 *
 * @param <I> what is asked for one item
 * @param <A> what the store says about it
 */
public final class GroupCommit<I, A> {
    private final Store<I, A> store;
    private final Timer timer;
    private final LongSupplier nanoClock;
    private final FlushMeter meter;
    private final FlushSettings settings;
    private final long flushNanos;
    private final long deadlineNanos;
    private final ArrayDeque<Call<I, A>> queue = new ArrayDeque<>();
    private final List<Flush<I, A>> inFlight = new ArrayList<>();
    private int waitingItems;
    private long lastFlushNanos;
    private int lastFlushItems;
    private boolean turnEndSet;
    private boolean flushTimerSet;
    private boolean deadlineTimerSet;
    private final List<Promise<Void>> drains = new ArrayList<>();

    /** What the items are sent to. */
    @FunctionalInterface
    public interface Store<I, A> {
        /**
         * Commits all items in one transaction; a repeat of the same call is harmless.
         *
         * @return the answers in the order of the items, after the commit; fails with a {@link StoreException}
         */
        Future<List<A>> commit(List<I> items);
    }

    /** Runs a task on the event loop after a while. */
    @FunctionalInterface
    public interface Timer {
        /** Runs {@code task} once, {@code delayMs} from now; 0: at the end of this turn of the event loop. */
        void after(long delayMs, Runnable task);
    }

    /** Creates a group commit for one event loop. */
    public GroupCommit(
            Store<I, A> store, Timer timer, LongSupplier nanoClock, FlushMeter meter, FlushSettings settings) {
        this.store = store;
        this.timer = timer;
        this.nanoClock = nanoClock;
        this.meter = meter;
        this.settings = settings;
        this.flushNanos = TimeUnit.MILLISECONDS.toNanos(settings.flushMs());
        this.deadlineNanos = TimeUnit.MILLISECONDS.toNanos(settings.deadlineMs());
        this.lastFlushNanos = nanoClock.getAsLong() - flushNanos;
    }

    /** A caller's items, answered together. */
    private static final class Call<I, A> {
        final List<I> items;
        final Promise<List<A>> promise = Promise.promise();
        final long deadline;

        Call(List<I> items, long deadline) {
            this.items = items;
            this.deadline = deadline;
        }
    }

    /** Calls that share a commit. */
    private static final class Flush<I, A> {
        final List<Call<I, A>> calls = new ArrayList<>();
        final List<I> items = new ArrayList<>();
        long started;
        boolean repeated;
        boolean perhapsDone;
    }

    /**
     * Sends items together with those of others; the answers stand in the order of the items.
     *
     * @return fails with an {@link OverloadedException} or a {@link StoreException}
     */
    public Future<List<A>> submit(List<I> items) {
        if (items.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        if (waitingItems + items.size() > settings.queueItems()) {
            meter.overloaded(items.size());
            return Future.failedFuture(new OverloadedException(waitingItems + " items wait for their commit"));
        }
        Call<I, A> call = new Call<>(items, nanoClock.getAsLong() + deadlineNanos);
        queue.add(call);
        waitingItems += items.size();
        pump();
        return call.promise.future();
    }

    /** Completes when nothing waits and nothing is in flight any more; what waits now is not held back. */
    public Future<Void> drain() {
        Promise<Void> drained = Promise.promise();
        drains.add(drained);
        pump();
        return drained.future();
    }

    /** Sends what is due, and sees to it that this is called again in time. */
    private void pump() {
        while (mayFlush() && full()) {
            send(nextFlush());
        }
        if (queue.isEmpty() && inFlight.isEmpty()) {
            List<Promise<Void>> drained = List.copyOf(drains);
            drains.clear();
            drained.forEach(Promise::tryComplete);
            return;
        }
        if (mayFlush()) {
            if (!turnEndSet && due()) {
                turnEndSet = true;
                timer.after(0, this::onTurnEnd);
            } else if (!turnEndSet && !flushTimerSet) {
                flushTimerSet = true;
                timer.after(msUntil(lastFlushNanos + flushNanos), () -> {
                    flushTimerSet = false;
                    pump();
                });
            }
        }
        if (!deadlineTimerSet) {
            // Later calls have later deadlines, so one timer for the oldest is enough.
            deadlineTimerSet = true;
            timer.after(msUntil(oldestDeadline()), this::onDeadlineTimer);
        }
    }

    private boolean mayFlush() {
        return !queue.isEmpty() && inFlight.size() < settings.flushesInFlight();
    }

    /** Tells whether to wait for no more items at all. */
    private boolean full() {
        return waitingItems >= settings.flushItems() || !drains.isEmpty();
    }

    /** Tells whether to wait for those items only that have come in already. */
    private boolean due() {
        boolean few = inFlight.isEmpty() && lastFlushItems <= FlushSettings.FEW_ITEMS;
        return few || nanoClock.getAsLong() - lastFlushNanos >= flushNanos;
    }

    private void onTurnEnd() {
        turnEndSet = false;
        if (mayFlush() && due()) {
            send(nextFlush());
        }
        pump();
    }

    private void onDeadlineTimer() {
        deadlineTimerSet = false;
        long now = nanoClock.getAsLong();
        while (!queue.isEmpty() && queue.peek().deadline - now <= 0) {
            Call<I, A> late = queue.remove();
            waitingItems -= late.items.size();
            meter.overloaded(late.items.size());
            late.promise.tryFail(new OverloadedException("waited " + settings.deadlineMs() + " ms for a commit"));
        }
        for (Flush<I, A> flush : List.copyOf(inFlight)) {
            for (Call<I, A> call : flush.calls) {
                if (call.deadline - now <= 0) {
                    call.promise.tryFail(unknown(new TimeoutException("in flight at the deadline")));
                }
            }
        }
        pump();
    }

    private long oldestDeadline() {
        long oldest = nanoClock.getAsLong() + deadlineNanos;
        if (!queue.isEmpty() && queue.peek().deadline - oldest < 0) {
            oldest = queue.peek().deadline;
        }
        for (Flush<I, A> flush : inFlight) {
            for (Call<I, A> call : flush.calls) {
                if (call.deadline - oldest < 0 && !call.promise.future().isComplete()) {
                    oldest = call.deadline;
                }
            }
        }
        return oldest;
    }

    private long msUntil(long nanos) {
        long left = nanos - nanoClock.getAsLong();
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(left + 999_999));
    }

    private Flush<I, A> nextFlush() {
        Flush<I, A> flush = new Flush<>();
        while (!queue.isEmpty() && flush.items.size() < settings.flushItems()) {
            Call<I, A> call = queue.remove();
            flush.calls.add(call);
            flush.items.addAll(call.items);
        }
        waitingItems -= flush.items.size();
        meter.waiting(waitingItems);
        lastFlushNanos = nanoClock.getAsLong();
        flush.started = lastFlushNanos;
        lastFlushItems = flush.items.size();
        return flush;
    }

    private void send(Flush<I, A> flush) {
        inFlight.add(flush);
        attempt(flush);
    }

    private void attempt(Flush<I, A> flush) {
        Future<List<A>> sent;
        try {
            sent = store.commit(flush.items);
        } catch (RuntimeException e) {
            sent = Future.failedFuture(e);
        }
        sent.onComplete(done -> {
            List<A> answers = done.result();
            if (answers != null) {
                end(flush, flush.repeated ? FlushEnd.REPEATED : FlushEnd.COMMITTED);
                answer(flush, answers);
                pump();
            } else {
                onFailure(flush, done.cause());
            }
        });
    }

    private void onFailure(Flush<I, A> flush, Throwable cause) {
        flush.perhapsDone |= !(cause instanceof StoreException known) || known.kind() == StoreException.Kind.UNKNOWN;
        if (!flush.repeated && anyoneWaits(flush)) {
            flush.repeated = true;
            attempt(flush);
            return;
        }
        end(flush, FlushEnd.FAILED);
        // "Nothing has changed" of the second try says nothing about the first.
        fail(flush, flush.perhapsDone && cause instanceof StoreException ? unknown(cause) : cause);
        pump();
    }

    private boolean anyoneWaits(Flush<I, A> flush) {
        Call<I, A> youngest = flush.calls.get(flush.calls.size() - 1);
        return youngest.deadline - nanoClock.getAsLong() > 0;
    }

    private void end(Flush<I, A> flush, FlushEnd end) {
        inFlight.remove(flush);
        meter.flushed(flush.items.size(), nanoClock.getAsLong() - flush.started, end);
    }

    private static <I, A> void answer(Flush<I, A> flush, List<A> answers) {
        if (answers.size() != flush.items.size()) {
            fail(flush, new IllegalStateException(answers.size() + " answers to " + flush.items.size() + " items"));
            return;
        }
        int from = 0;
        for (Call<I, A> call : flush.calls) {
            int to = from + call.items.size();
            call.promise.tryComplete(answers.subList(from, to));
            from = to;
        }
    }

    private static <I, A> void fail(Flush<I, A> flush, Throwable cause) {
        flush.calls.forEach(call -> call.promise.tryFail(cause));
    }

    private static StoreException unknown(Throwable cause) {
        return new StoreException(StoreException.Kind.UNKNOWN, "not known whether the items were committed", cause);
    }
}
