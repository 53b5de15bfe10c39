package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A leased range with an atomic cursor that hands out each value once, until it is closed for good. Any thread; no lock, no
 * spinning, no allocation.
 *
 * <p><b>The cursor.</b> One word holds everything that a race could be about:
 *
 * <pre>
 *   open    0 | 0 ...................... | offset of the next value, may run past the size a little
 *   closed  0 | 1 | number handed out    | noise of takers that came too late
 *      bit 63   62  61                31   30                                                    0
 * </pre>
 *
 * A taker looks first whether anything is left, so that a used-up cursor does not run away, and then adds what it wants in one
 * fetch-and-add. What it gets is decided by the word it found: below the size, the values from there on are its own; otherwise
 * it has none, and has only added noise. The noise is at most one request for each thread that looked before and added after
 * the end, thousands where the low part has room for two billion.
 *
 * <p>{@link #close} replaces the word by compare-and-set, so the number handed out that it writes is exact: every addition is
 * ordered before the replacement (then it is counted) or after it (then it finds the closed word, which is above any size). A
 * failed compare-and-set means that a taker got something, so close tries at most as often as there are values left. A closed
 * word never becomes an open one: the bit is only ever set.
 *
 * <p><b>Memory ordering.</b> All accesses of the word are volatile, and the fields beside it are final, so whoever finds a
 * segment through {@link SegmentChain} (a volatile link) finds it complete. {@link #firstTakenNanos} is written by the taker of
 * the first value after its addition; a reader in between sees a cursor past 0 and no time yet, which {@link #touch} mends. The
 * time says only when the batch is due for closing, so it needs no more than to be seen at some time.
 */
final class Segment {
    /** What a taker gets where nothing is left; no value is negative. */
    static final long NONE = -1;

    /** What a closer gets that came second. */
    static final long CLOSED_BEFORE = Long.MIN_VALUE;

    private static final long UNTOUCHED = Long.MIN_VALUE;
    private static final int ISSUED_SHIFT = 31;
    private static final long CLOSED = 1L << 62;
    private static final long MAX_SIZE = 1L << 30;

    private static final VarHandle CURSOR;
    private static final VarHandle NEXT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CURSOR = lookup.findVarHandle(Segment.class, "cursor", long.class);
            NEXT = lookup.findVarHandle(Segment.class, "next", Segment.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long batchId;
    private final long lo;
    private final long hi;
    private final long size;
    private final long end;

    @SuppressWarnings("FieldMayBeFinal") // written through the handle
    private volatile long cursor;

    private volatile long firstTakenNanos = UNTOUCHED;
    private volatile @Nullable Segment next;

    /**
     * Creates an open segment.
     *
     * @param end how many numbers the chain has held up to and with this one
     * @throws IllegalArgumentException if the range has more than 2^30 values
     */
    Segment(BatchRange range, long end) {
        if (range.size() < 1 || range.size() > MAX_SIZE) {
            throw new IllegalArgumentException(
                    "batch " + range.batchId() + " has " + range.size() + " values, not 1 to " + MAX_SIZE);
        }
        this.batchId = range.batchId();
        this.lo = range.lo();
        this.hi = range.hi();
        this.size = range.size();
        this.end = end;
    }

    /** Takes the next value, or {@link #NONE}. */
    long take() {
        if (cursor < size) {
            long offset = (long) CURSOR.getAndAdd(this, 1L);
            if (offset < size) {
                return lo + offset;
            }
        }
        return NONE;
    }

    /**
     * Takes up to {@code count} consecutive values.
     *
     * @param count 1 to 1,000
     * @return the first of them, or {@link #NONE}; the caller has {@code min(count, hi - first + 1)} values
     */
    long take(int count) {
        if (cursor < size) {
            long offset = (long) CURSOR.getAndAdd(this, (long) count);
            if (offset < size) {
                return lo + offset;
            }
        }
        return NONE;
    }

    /**
     * Closes the segment for good.
     *
     * @return the last value handed out ({@code lo - 1} where none was), or {@link #CLOSED_BEFORE} to all but the first closer
     */
    long close() {
        long seen = cursor;
        while (seen < CLOSED) {
            long issued = Math.min(seen, size);
            long found = (long) CURSOR.compareAndExchange(this, seen, CLOSED | issued << ISSUED_SHIFT);
            if (found == seen) {
                return lo + issued - 1;
            }
            seen = found;
        }
        return CLOSED_BEFORE;
    }

    /** Returns how many values were handed out so far; final once the segment is closed. */
    long issued() {
        long seen = cursor;
        return seen < CLOSED ? Math.min(seen, size) : (seen & ~CLOSED) >>> ISSUED_SHIFT;
    }

    /** Returns how many values can still be taken. */
    long remaining() {
        return Math.max(0, size - cursor);
    }

    /** Tells whether a value of this range was handed out. */
    boolean handedOut(long value) {
        return value >= lo && value - lo < issued();
    }

    boolean isClosed() {
        return cursor >= CLOSED;
    }

    /** Remembers when the first value was handed out, unless that is known. */
    void touch(long nanos) {
        if (firstTakenNanos == UNTOUCHED) {
            firstTakenNanos = nanos;
        }
    }

    /** Tells whether the time of the first hand-out is known. */
    boolean isTouched() {
        return firstTakenNanos != UNTOUCHED;
    }

    /** Returns when the first value was handed out; meaningless for a segment that is not touched. */
    long firstTakenNanos() {
        return firstTakenNanos;
    }

    long batchId() {
        return batchId;
    }

    long lo() {
        return lo;
    }

    long hi() {
        return hi;
    }

    /** Returns how many numbers the chain has held up to and with this segment. */
    long end() {
        return end;
    }

    /** Returns the following segment, null where none is leased yet. */
    @Nullable
    Segment next() {
        return next;
    }

    /** Links the following segment, once. */
    void link(Segment following) {
        if (!NEXT.compareAndSet(this, null, following)) {
            throw new IllegalStateException("batch " + batchId + " has a following one already");
        }
    }
}
