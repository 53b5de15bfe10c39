package dev.reissue.recycle;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The claimed numbers of one sequence, oldest claim first. {@link #take} may be called by any thread; everything that is not final here
 * belongs to the one run of the {@link ClaimPass} under way.
 *
 * <p>A number is in at most one place: whoever polls an entry out of a queue owns it, and is the only one who may hand it out, renew its
 * claim or give it back.
 */
final class Shelf {
    /** Too old entries that one call to {@link #take} moves out of the way. */
    private static final int SKIPS = 64;

    final int sequenceId;
    final LongAdder asked = new LongAdder();
    final ConcurrentLinkedQueue<Entry> aged = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Entry> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    /** When a number was asked for last, as far as the runs of the pass noticed. */
    long lastAskedNanos;
    /** Numbers asked for a second, lately. */
    double ratePerSecond;
    /** Entries that the pool had when it was looked at; a hint. */
    long depth;
    /** The sequence's safety window, once a claim told. */
    long windowMs = 120_000;
    /** How old an entry may become here, once a claim told. */
    long maxAgeNanos;

    Shelf(int sequenceId, long maxAgeNanos, long nowNanos) {
        this.sequenceId = sequenceId;
        this.maxAgeNanos = maxAgeNanos;
        this.lastAskedNanos = nowNanos;
    }

    /** A claimed number, the instance that claimed it, and the age from which it may not be handed out. */
    record Entry(UUID owner, int sequenceId, Claimed claimed, long maxAgeNanos) {
        boolean olderThan(long ageNanos, long nowNanos) {
            return nowNanos - claimed.claimSentNanos() >= ageNanos;
        }

        PoolEntry held() {
            return new PoolEntry(claimed.row(), claimed.version());
        }
    }

    /** Notes how much was asked for in the seconds since the last call; a rise counts at once, a fall by and by. */
    void measure(double seconds, long nowNanos) {
        long n = asked.sumThenReset();
        if (n > 0) {
            lastAskedNanos = nowNanos;
        }
        double rate = n / seconds;
        ratePerSecond = Math.max(rate, ratePerSecond + (rate - ratePerSecond) * Math.min(1, seconds));
    }

    /** How many numbers it should have: what is asked for in a quarter of the time for which they keep. */
    int want(ClaimSettings settings) {
        double wanted = ratePerSecond * maxAgeNanos / 4e9;
        return (int) Math.max(settings.idleHold(), Math.min(settings.claimMax(), Math.ceil(wanted)));
    }

    /** Takes the oldest number that may still be handed out; those that may not are left to the next run of the pass. */
    @Nullable
    Claimed take(UUID owner, long nowNanos) {
        for (int i = 0; i < SKIPS; i++) {
            Entry e = poll();
            if (e == null) {
                return null;
            }
            if (e.owner.equals(owner)) {
                if (!e.olderThan(e.maxAgeNanos, nowNanos)) {
                    return e.claimed;
                }
                aged.add(e);
            }
            // An entry of an instance that is no more is dropped: it times out.
        }
        return null;
    }

    /** Tells whether there is anything to take; cheap. */
    boolean isEmpty() {
        return ready.isEmpty();
    }

    void add(Entry e) {
        ready.add(e);
        size.incrementAndGet();
    }

    int size() {
        return size.get();
    }

    /** Takes out what is older than half of what it may become, and what takers left behind. */
    List<Entry> takeAged(long nowNanos) {
        List<Entry> out = new ArrayList<>();
        for (Entry head = ready.peek();
                head != null && head.olderThan(head.maxAgeNanos / 2, nowNanos);
                head = ready.peek()) {
            Entry e = poll();
            if (e != null) {
                out.add(e);
            }
        }
        for (Entry e = aged.poll(); e != null; e = aged.poll()) {
            out.add(e);
        }
        return out;
    }

    /** Takes out everything. */
    List<Entry> takeAll() {
        List<Entry> out = new ArrayList<>();
        for (Entry e = poll(); e != null; e = poll()) {
            out.add(e);
        }
        for (Entry e = aged.poll(); e != null; e = aged.poll()) {
            out.add(e);
        }
        return out;
    }

    private @Nullable Entry poll() {
        Entry e = ready.poll();
        if (e != null) {
            size.decrementAndGet();
        }
        return e;
    }
}
