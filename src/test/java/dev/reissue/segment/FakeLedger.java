package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore.Seal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A ledger of one sequence in memory: leases ranges from a counter, returned ones first, and takes back what a seal did not hand
 * out. Answers at once, or when the test says so. Any thread.
 */
public final class FakeLedger implements SegmentSource, SegmentSink {
    private final long batchSize;
    private long last;
    private final PriorityQueue<BatchRange> returned = new PriorityQueue<>(Comparator.comparing(BatchRange::lo));
    private final Map<Long, BatchRange> open = new TreeMap<>();
    private final List<Seal> seals = new ArrayList<>();
    private final List<Integer> asked = new ArrayList<>();
    private final Deque<Runnable> held = new ArrayDeque<>();
    private long next = 1;
    private long batchIds;
    private boolean holdLeases;
    private boolean holdSeals;
    private @Nullable RuntimeException failure;

    /** Creates a ledger of an endless sequence that starts with 1. */
    public FakeLedger(long batchSize) {
        this(batchSize, Long.MAX_VALUE);
    }

    /** Creates a ledger of a sequence from 1 to {@code last}. */
    public FakeLedger(long batchSize, long last) {
        this.batchSize = batchSize;
        this.last = last;
    }

    @Override
    public synchronized Future<List<BatchRange>> lease(int batches) {
        asked.add(batches);
        Promise<List<BatchRange>> promise = Promise.promise();
        Runnable answer = () -> {
            RuntimeException f = failure;
            if (f != null) {
                promise.fail(f);
            } else {
                promise.complete(leaseNow(batches));
            }
        };
        return later(holdLeases, answer, promise);
    }

    private <T> Future<T> later(boolean hold, Runnable answer, Promise<T> promise) {
        if (hold) {
            held.add(answer);
        } else {
            answer.run();
        }
        return promise.future();
    }

    private synchronized List<BatchRange> leaseNow(int batches) {
        List<BatchRange> ranges = new ArrayList<>();
        while (ranges.size() < batches && (!returned.isEmpty() || next <= last)) {
            BatchRange r = returned.poll();
            long lo = r == null ? next : r.lo();
            long hi = r == null ? Math.min(last, next + batchSize - 1) : r.hi();
            next = Math.max(next, hi + 1);
            BatchRange leased = new BatchRange(++batchIds, lo, hi);
            open.put(leased.batchId(), leased);
            ranges.add(leased);
        }
        return ranges;
    }

    @Override
    public synchronized Future<Void> seal(long batchId, long issuedTo) {
        seals.add(new Seal(batchId, issuedTo));
        Promise<Void> promise = Promise.promise();
        return later(
                holdSeals,
                () -> {
                    sealNow(batchId, issuedTo);
                    promise.complete();
                },
                promise);
    }

    private synchronized void sealNow(long batchId, long issuedTo) {
        BatchRange range = open.remove(batchId);
        if (range == null) {
            throw new AssertionError("batch " + batchId + " is not open");
        }
        if (issuedTo < range.hi()) {
            returned.add(new BatchRange(0, issuedTo + 1, range.hi()));
        }
    }

    /** Makes leases wait for {@link #answerNext}, or no longer. */
    public synchronized void holdLeases(boolean hold) {
        holdLeases = hold;
    }

    /** Makes seals wait for {@link #answerNext}, or no longer. */
    public synchronized void holdSeals(boolean hold) {
        holdSeals = hold;
    }

    /** Lets the oldest lease or seal that waits be answered. */
    public void answerNext() {
        Runnable answer;
        synchronized (this) {
            answer = held.remove();
        }
        answer.run();
    }

    /** Makes leases fail from now on, or, with null, succeed again. */
    public synchronized void failLeases(@Nullable RuntimeException with) {
        failure = with;
    }

    /** Raises the last value. */
    public synchronized void extendTo(long newLast) {
        last = newLast;
    }

    /** Returns how many values a fresh batch has. */
    public long batchSize() {
        return batchSize;
    }

    /** Raises the counter. */
    public synchronized void raiseTo(long nextValue) {
        next = nextValue;
        returned.clear();
    }

    /** Returns how many batches each lease asked for. */
    public synchronized List<Integer> asked() {
        return List.copyOf(asked);
    }

    /** Returns all seals so far. */
    public synchronized List<Seal> seals() {
        return List.copyOf(seals);
    }

    /** Returns how many batches are leased and not sealed. */
    public synchronized int openBatches() {
        return open.size();
    }
}
