package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lease ids whose answers are not used any more, however late they come: what was committed under them is returned whole. Bounded,
 * any thread.
 *
 * <p>An id is looked up again and again until a look-up that was sent after its statement can no longer commit has been answered.
 * One look-up is under way at a time.
 */
public final class LostLeases {
    private static final Logger LOG = LoggerFactory.getLogger(LostLeases.class);

    private final BatchStore store;
    private final Scheduler scheduler;
    private final LongSupplier nanoClock;
    private final Timing timing;
    private final LedgerMeter meter;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private boolean busy;

    /**
     * How lost leases are looked up.
     *
     * @param horizonMs how long after it was given up a statement may still commit
     * @param pauseMs the time between two rounds
     * @param deadlineMs how long one look-up may take
     * @param capacity how many ids may be waiting; with more, nothing new is leased
     */
    public record Timing(long horizonMs, long pauseMs, long deadlineMs, int capacity) {
        /** Checks the values. */
        public Timing {
            if (horizonMs < 1 || pauseMs < 1 || deadlineMs < 1 || capacity < 1) {
                throw new IllegalArgumentException("all of these must be 1 or more: horizonMs " + horizonMs
                        + ", pauseMs " + pauseMs + ", deadlineMs " + deadlineMs + ", capacity " + capacity);
            }
        }
    }

    private record Entry(UUID owner, UUID leaseId, String sequence, long overNanos) {}

    /** Creates an empty list. */
    public LostLeases(BatchStore store, Scheduler scheduler, LongSupplier nanoClock, Timing timing, LedgerMeter meter) {
        this.store = store;
        this.scheduler = scheduler;
        this.nanoClock = nanoClock;
        this.timing = timing;
        this.meter = meter;
    }

    /** Tells whether no more leases may be sent. */
    public synchronized boolean full() {
        return entries.size() >= timing.capacity;
    }

    /** Returns how many lost leases are not settled yet. */
    public synchronized int size() {
        return entries.size();
    }

    /** Takes a lease id that is lost for good, and looks it up. */
    void add(UUID owner, UUID leaseId, String sequence) {
        long overNanos = nanoClock.getAsLong() + timing.horizonMs * 1_000_000;
        synchronized (this) {
            entries.addLast(new Entry(owner, leaseId, sequence, overNanos));
            if (busy) {
                return;
            }
            busy = true;
        }
        round(1);
    }

    /** Looks up {@code left} ids, oldest first, then pauses; those that are not settled go to the end. */
    private void round(int left) {
        Entry entry;
        synchronized (this) {
            entry = entries.peekFirst();
            if (entry == null) {
                busy = false;
                return;
            }
        }
        if (left == 0) {
            scheduler.after(timing.pauseMs, () -> round(size()));
            return;
        }
        long sentNanos = nanoClock.getAsLong();
        lookUp(entry).onComplete(done -> {
            boolean settled = done.succeeded() && sentNanos - entry.overNanos >= 0;
            synchronized (this) {
                entries.removeFirst();
                if (!settled) {
                    entries.addLast(entry);
                }
            }
            round(left - 1);
        });
    }

    private Future<Integer> lookUp(Entry entry) {
        return Deadline.within(
                        timing.deadlineMs,
                        scheduler,
                        "the look-up of a lost lease",
                        store.returnLost(entry.owner, entry.leaseId))
                .onSuccess(batches -> {
                    meter.lostLeaseSettled(batches);
                    if (batches > 0) {
                        LOG.atInfo()
                                .addKeyValue("sequence", entry.sequence)
                                .addKeyValue("leaseId", entry.leaseId)
                                .addKeyValue("batches", batches)
                                .log("returned a lease whose answer was lost");
                    }
                });
    }
}
