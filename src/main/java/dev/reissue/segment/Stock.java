package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The numbers at hand: takes from the leased segments, and cuts that end all of them at once. Any thread takes and cuts, one at a
 * time links and ages; no locks.
 *
 * <p><b>Cuts.</b> {@link #sealAll}, {@link #dropAll} and {@link #stop} work on the thread that calls them. A cut first raises a
 * counter and then closes what is held; {@link #link} first holds the segments and then looks at the counters. Either it finds them
 * raised, and closes the segments itself, or they are raised later, and then the cut finds the segments held. So no segment stays
 * open that was leased before a cut; those that a cut closed in between are published closed, and takers pass them by.
 */
final class Stock {
    private final SegmentChain chain = new SegmentChain();
    private final AtomicInteger drops = new AtomicInteger();
    private final AtomicInteger seals = new AtomicInteger();
    private final HeldBatches held;
    private final LongSupplier nanoClock;
    private final SegmentMeter meter;
    private final Runnable low;
    private volatile boolean stopped;
    private volatile long lowWater;

    /**
     * Creates an empty stock.
     *
     * @param low called when a taker leaves less than {@linkplain #lowWater(long) the low water}
     */
    Stock(HeldBatches held, LongSupplier nanoClock, SegmentMeter meter, Runnable low) {
        this.held = held;
        this.nanoClock = nanoClock;
        this.meter = meter;
        this.low = low;
    }

    /**
     * What was ended so far.
     *
     * @param drops how often all was closed without sealing
     * @param seals how often all was closed and sealed
     */
    record Cut(int drops, int seals) {}

    /** Takes one number; false where there is none. */
    boolean take(Taken into) {
        Segment s = chain.current();
        long value = s.take();
        if (value == Segment.NONE) {
            return takeOn(s, 1, into);
        }
        into.add(s.batchId(), value);
        took(s, value, value);
        return true;
    }

    /** Takes {@code count} numbers; false where there are not so many, and then it adds none. */
    boolean take(int count, Taken into) {
        if (count == 1) {
            return take(into);
        }
        return chain.stock() >= count && takeOn(chain.current(), count, into);
    }

    private boolean takeOn(Segment from, int count, Taken into) {
        int before = into.size();
        int left = count;
        Segment s = from;
        while (s != null) {
            long first = s.take(left);
            if (first == Segment.NONE) {
                s = moveOn(s);
                continue;
            }
            int got = (int) Math.min(left, s.hi() - first + 1);
            into.addRun(s.batchId(), first, got);
            took(s, first, first + got - 1);
            left -= got;
            if (left == 0) {
                return true;
            }
            s = chain.current();
        }
        if (left < count) {
            into.truncate(before);
            meter.burnt(count - left);
        }
        return false;
    }

    private void took(Segment s, long first, long last) {
        if (first == s.lo()) {
            s.touch(nanoClock.getAsLong());
        }
        if (last == s.hi()) {
            held.seal(s);
            moveOn(s);
        }
    }

    private @Nullable Segment moveOn(Segment done) {
        Segment next = chain.advance(done);
        if (chain.stock() < lowWater) {
            low.run();
        }
        return next;
    }

    /** Sets the level below which takers call for more when they come to the end of a segment. */
    void lowWater(long numbers) {
        lowWater = numbers;
    }

    /**
     * Adds what was leased. What was leased before a cut is not handed out but sealed untouched; where the lease of the process was
     * lost meanwhile, others have sealed it and the seal finds nothing to do.
     *
     * @param leasedUnder the cut when the lease was sent
     */
    void link(List<BatchRange> ranges, Cut leasedUnder) {
        List<Segment> segments = chain.prepare(ranges);
        segments.forEach(held::hold);
        if (stopped || !cut().equals(leasedUnder)) {
            segments.forEach(held::seal);
            return;
        }
        chain.publish(segments);
    }

    /** Returns what was ended so far. */
    Cut cut() {
        return new Cut(drops.get(), seals.get());
    }

    /** Closes and seals everything. */
    void sealAll() {
        seals.incrementAndGet();
        held.sealAll();
    }

    /** Closes everything without sealing it. */
    void dropAll() {
        drops.incrementAndGet();
        held.dropAll();
    }

    /** Closes and seals everything, for good; what is linked later is sealed untouched. */
    void stop() {
        stopped = true;
        sealAll();
    }

    boolean isStopped() {
        return stopped;
    }

    /** Closes and seals the current segment and moves on. One thread at a time. */
    void sealCurrent() {
        held.seal(chain.current());
        chain.skipClosed();
    }

    /** Moves on from everything that is closed. One thread at a time. */
    void skipClosed() {
        chain.skipClosed();
    }

    /** Returns how long ago the first number of the current segment was handed out; negative where none was. */
    long currentAgeNanos(long nowNanos) {
        Segment s = chain.current();
        if (s.isClosed() || s.issued() == 0) {
            return -1;
        }
        s.touch(nowNanos);
        return Math.max(0, nowNanos - s.firstTakenNanos());
    }

    /** Returns how many numbers can be taken now; a moment later it may be less. */
    long size() {
        return chain.stock();
    }

    /** Returns how many of them are in segments that nobody has taken from yet. */
    long following() {
        return chain.following();
    }

    /** Returns how many numbers were handed out in all; off by a segment while another thread moves on. */
    long issuedTotal() {
        return chain.issuedTotal();
    }
}
