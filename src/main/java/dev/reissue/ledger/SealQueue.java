package dev.reissue.ledger;

import dev.reissue.ledger.BatchStore.Seal;
import dev.reissue.segment.SegmentSink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Closed cursors on their way into the ledger: collected while a statement is under way, sealed in groups, repeated until the
 * outcome is known. Any thread; a lock is held for moments only, never around a call. No longer than there are open batches.
 *
 * <p>Where the guard of a seal fails, an earlier try or a reaper has sealed the batch, and there is nothing left to do.
 */
public final class SealQueue implements SegmentSink {
    private static final Logger LOG = LoggerFactory.getLogger(SealQueue.class);
    private static final int GROUP_MAX = 500;

    /** Between the starts of two statements: a transaction costs the same for one batch and for a few. A flush does not wait. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    private final BatchStore store;
    private final LeaseKeeper keeper;
    private final LongSupplier nanoClock;
    private final Scheduler scheduler;
    private final long deadlineMs;
    private final LedgerMeter meter;
    private final Backoff backoff = new Backoff(20, 2_000);
    private final Deque<Entry> waiting = new ArrayDeque<>();
    private final List<Promise<Integer>> flushes = new ArrayList<>();
    private List<Entry> underWay = List.of();
    private boolean busy;
    private boolean pausing;
    private long mayStartNanos;

    /** Shrinks when a group is refused, so that one bad seal does not hold up the others. */
    private int groupMax = GROUP_MAX;

    private record Entry(UUID owner, Seal seal, Promise<Void> done) {}

    /**
     * Creates an empty queue.
     *
     * @param deadlineMs how long one statement may take before it is repeated
     */
    public SealQueue(
            BatchStore store,
            LeaseKeeper keeper,
            LongSupplier nanoClock,
            Scheduler scheduler,
            long deadlineMs,
            LedgerMeter meter) {
        this.store = store;
        this.keeper = keeper;
        this.nanoClock = nanoClock;
        this.scheduler = scheduler;
        this.deadlineMs = deadlineMs;
        this.meter = meter;
        this.mayStartNanos = nanoClock.getAsLong();
    }

    @Override
    public Future<Void> seal(long batchId, long issuedTo) {
        Entry entry = new Entry(keeper.current(), new Seal(batchId, issuedTo), Promise.promise());
        synchronized (this) {
            waiting.addLast(entry);
        }
        pump();
        return entry.done.future();
    }

    /** Returns how many seals have no known outcome yet. */
    public synchronized int size() {
        return waiting.size() + underWay.size();
    }

    /** Waits until every outcome is known, at most {@code flushMs}. Completes with the number of seals that are left. */
    public Future<Integer> flush(long flushMs) {
        Promise<Integer> flush = Promise.promise();
        synchronized (this) {
            if (size() == 0) {
                return Future.succeededFuture(0);
            }
            flushes.add(flush);
        }
        pump();
        Scheduler.Timer timer = scheduler.after(flushMs, () -> flush.tryComplete(size()));
        return flush.future().onComplete(done -> timer.cancel());
    }

    private void pump() {
        List<Entry> group;
        synchronized (this) {
            if (busy || waiting.isEmpty() || pause()) {
                return;
            }
            busy = true;
            mayStartNanos = nanoClock.getAsLong() + PAUSE_NANOS;
            group = takeGroup();
            underWay = group;
        }
        send(group);
    }

    /** Tells whether it is too early for a statement, and comes back when it is not. */
    private boolean pause() {
        long left = mayStartNanos - nanoClock.getAsLong();
        if (left <= 0 || !flushes.isEmpty()) {
            return false;
        }
        if (!pausing) {
            pausing = true;
            scheduler.after(TimeUnit.NANOSECONDS.toMillis(left) + 1, () -> {
                synchronized (this) {
                    pausing = false;
                }
                pump();
            });
        }
        return true;
    }

    /** Takes what stands at the head and belongs to one owner. */
    private List<Entry> takeGroup() {
        UUID owner = waiting.getFirst().owner;
        List<Entry> group = new ArrayList<>();
        while (!waiting.isEmpty()
                && group.size() < groupMax
                && waiting.getFirst().owner.equals(owner)) {
            group.add(waiting.removeFirst());
        }
        return group;
    }

    private void send(List<Entry> group) {
        long sentNanos = nanoClock.getAsLong();
        List<Seal> seals = group.stream().map(Entry::seal).toList();
        Deadline.within(deadlineMs, scheduler, "a seal", store.seal(group.get(0).owner, seals))
                .onComplete(done -> {
                    if (done.succeeded()) {
                        meter.sealed(done.result().size(), nanoClock.getAsLong() - sentNanos);
                        finished(group);
                    } else {
                        repeat(group, (StoreException) done.cause());
                    }
                });
    }

    private void finished(List<Entry> group) {
        List<Promise<Integer>> flushed = List.of();
        synchronized (this) {
            backoff.reset();
            groupMax = Math.min(GROUP_MAX, 2 * groupMax);
            underWay = List.of();
            busy = false;
            if (waiting.isEmpty()) {
                flushed = List.copyOf(flushes);
                flushes.clear();
            }
        }
        group.forEach(entry -> entry.done.complete());
        flushed.forEach(flush -> flush.tryComplete(0));
        pump();
    }

    private void repeat(List<Entry> group, StoreException e) {
        meter.sealFailed();
        long delayMs;
        boolean first;
        synchronized (this) {
            first = backoff.isReset();
            delayMs = backoff.nextMs();
            underWay = List.of();
            if (e.passing()) {
                for (int i = group.size() - 1; i >= 0; i--) {
                    waiting.addFirst(group.get(i));
                }
            } else {
                groupMax = Math.max(1, group.size() / 2);
                waiting.addAll(group);
            }
        }
        if (first || !e.passing()) {
            LOG.atLevel(e.passing() ? Level.WARN : Level.ERROR)
                    .addKeyValue("batches", group.size())
                    .addKeyValue("firstBatch", group.get(0).seal.batchId())
                    .addKeyValue("why", e.getMessage())
                    .log("could not seal, will try until it works");
        }
        scheduler.after(delayMs, () -> {
            synchronized (this) {
                busy = false;
            }
            pump();
        });
    }
}
