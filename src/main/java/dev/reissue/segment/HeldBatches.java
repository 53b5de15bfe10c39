package dev.reissue.segment;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The batches of one sequence that this process owns: from before their first number can be taken until the outcome of their seal
 * is known. Any thread; lock-free.
 */
final class HeldBatches {
    /** What {@link #ownerOf} says of a value that was not handed out of an own batch. */
    static final long NO_BATCH = 0;

    private final ConcurrentSkipListMap<Long, Segment> byLo = new ConcurrentSkipListMap<>();
    private final AtomicInteger sealing = new AtomicInteger();
    private final AtomicInteger returning = new AtomicInteger();
    private final SegmentSink sink;
    private final SegmentMeter meter;
    private final Runnable sealed;
    private volatile boolean draining;

    /**
     * Creates an empty set.
     *
     * @param sealed called when the outcome of a seal that returns numbers is known, and of any once draining
     */
    HeldBatches(SegmentSink sink, SegmentMeter meter, Runnable sealed) {
        this.sink = sink;
        this.meter = meter;
        this.sealed = sealed;
    }

    /** Starts to hold a segment. */
    void hold(Segment segment) {
        byLo.put(segment.lo(), segment);
    }

    /** Closes a segment and hands it to the sink, unless another thread did. */
    void seal(Segment segment) {
        long issuedTo = segment.close();
        if (issuedTo == Segment.CLOSED_BEFORE) {
            return;
        }
        long unused = segment.hi() - issuedTo;
        meter.closed(unused);
        sealing.incrementAndGet();
        if (unused > 0) {
            returning.incrementAndGet();
        }
        sink.seal(segment.batchId(), issuedTo).onComplete(known -> settled(segment, unused > 0));
    }

    private void settled(Segment segment, boolean returned) {
        byLo.remove(segment.lo(), segment);
        sealing.decrementAndGet();
        if (returned) {
            returning.decrementAndGet();
        }
        if (returned || draining) {
            sealed.run();
        }
    }

    /** Asks to be told of every seal from now on. */
    void drain() {
        draining = true;
    }

    /** Closes all segments and hands them to the sink. */
    void sealAll() {
        for (Segment segment : byLo.values()) {
            seal(segment);
        }
    }

    /** Closes all segments and forgets them; others seal their batches. */
    void dropAll() {
        for (Segment segment : byLo.values()) {
            segment.close();
            byLo.remove(segment.lo(), segment);
        }
    }

    /** Returns the batch out of which a value was handed out, or {@link #NO_BATCH}. */
    long ownerOf(long value) {
        Map.Entry<Long, Segment> entry = byLo.floorEntry(value);
        return entry != null && entry.getValue().handedOut(value)
                ? entry.getValue().batchId()
                : NO_BATCH;
    }

    /** Returns how many seals are under way. */
    int sealing() {
        return sealing.get();
    }

    /** Returns how many seals are under way that return numbers. */
    int returning() {
        return returning.get();
    }

    /** Returns how many batches are held; takes time in proportion. */
    int count() {
        return byLo.size();
    }

    /** Shows each held batch of which numbers were handed out. */
    void each(OpenBatchVisitor visitor) {
        for (Segment segment : byLo.values()) {
            long issued = segment.isTouched() ? segment.issued() : 0;
            if (issued > 0) {
                visitor.open(segment.batchId(), segment.lo(), segment.lo() + issued - 1, segment.firstTakenNanos());
            }
        }
    }
}
