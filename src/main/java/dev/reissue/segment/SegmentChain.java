package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The leased segments of a buffer in the order in which they are handed out: a singly linked list that only grows at its end, and
 * a pointer to the current one that only moves forward. Any thread takes and advances; one at a time links.
 *
 * <pre>
 *   done --> done --> current --> following --> following --> null
 *                     (read by every taker)     (tail, where the refill links)
 * </pre>
 *
 * A segment that is used up or closed stays in its place; whoever meets it there moves the pointer on by compare-and-set, so no
 * thread ever waits for another, and segments left behind are garbage. Each segment knows how many numbers the chain has held up
 * to its end, so the stock is a subtraction, and no counter can drift.
 */
final class SegmentChain {
    private static final VarHandle CURRENT;

    static {
        try {
            CURRENT = MethodHandles.lookup().findVarHandle(SegmentChain.class, "current", Segment.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AtomicLong issuedBefore = new AtomicLong();
    private volatile long end;
    private Segment tail;

    private volatile Segment current;

    SegmentChain() {
        Segment nothing = new Segment(new BatchRange(0, 0, 0), 0);
        nothing.close();
        this.current = nothing;
        this.tail = nothing;
    }

    /** Returns the segment to take from. */
    Segment current() {
        return current;
    }

    /**
     * Moves on from a segment that has nothing to give any more.
     *
     * @return the current segment, or null where none follows
     */
    @Nullable
    Segment advance(Segment done) {
        Segment next = done.next();
        if (next == null) {
            return null;
        }
        if (CURRENT.compareAndSet(this, done, next)) {
            issuedBefore.addAndGet(done.issued());
        }
        return current;
    }

    /** Moves on from everything that is closed. One thread at a time. */
    void skipClosed() {
        Segment s = current;
        while (s != null && s.isClosed()) {
            s = advance(s);
        }
    }

    /** Makes segments that are to be appended next, unseen by takers. */
    List<Segment> prepare(List<BatchRange> ranges) {
        List<Segment> made = new ArrayList<>(ranges.size());
        long position = end;
        for (BatchRange range : ranges) {
            position += range.size();
            Segment s = new Segment(range, position);
            if (!made.isEmpty()) {
                made.get(made.size() - 1).link(s);
            }
            made.add(s);
        }
        return made;
    }

    /** Appends segments just {@linkplain #prepare prepared}. One thread at a time. */
    void publish(List<Segment> made) {
        if (made.isEmpty()) {
            return;
        }
        Segment last = made.get(made.size() - 1);
        tail.link(made.get(0));
        tail = last;
        end = last.end();
    }

    /** Returns how many numbers can be taken now; a moment later it may be less. */
    long stock() {
        Segment s = current;
        return s.remaining() + following(s);
    }

    /** Returns how many numbers the segments behind the current one have. */
    long following() {
        return following(current);
    }

    private long following(Segment s) {
        return Math.max(0, end - s.end());
    }

    /** Returns how many numbers were handed out in all; off by a segment while another thread moves on. */
    long issuedTotal() {
        return issuedBefore.get() + current.issued();
    }
}
