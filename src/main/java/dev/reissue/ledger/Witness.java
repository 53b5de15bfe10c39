package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the database has lost commits although no counter shows it: in the lost time nobody leased of a sequence, but its numbers
 * were handed out from memory and settled. It commits a beat again and again, and asks for the one before: a database that does not
 * remember what it has acknowledged was put back. Then all counters are fenced, and again until that has worked.
 *
 * <p>A loss that took less time than a beat may go unnoticed. One step at a time; any thread.
 */
public final class Witness {
    private static final Logger LOG = LoggerFactory.getLogger(Witness.class);

    private final WitnessStore store;
    private final Supplier<Future<Void>> fence;
    private final long everyMs;
    private final long deadlineMs;
    private final Scheduler scheduler;
    private final LedgerMeter meter;
    private final UUID id = UUID.randomUUID();
    private long sent;
    private long acknowledged;
    private boolean forgotten;
    private boolean stopped;
    private Scheduler.Timer timer = () -> {};

    /**
     * Creates a witness that says nothing until {@link #start}.
     *
     * @param fence begins the repair of all counters
     * @param everyMs the time between two beats
     * @param deadlineMs how long one call to the database may take
     */
    public Witness(
            WitnessStore store,
            Supplier<Future<Void>> fence,
            long everyMs,
            long deadlineMs,
            Scheduler scheduler,
            LedgerMeter meter) {
        this.store = store;
        this.fence = fence;
        this.everyMs = everyMs;
        this.deadlineMs = deadlineMs;
        this.scheduler = scheduler;
        this.meter = meter;
    }

    /** Begins. To be called once. */
    public void start() {
        step();
    }

    /** Ends; a beat that is under way is the last one. */
    public synchronized void stop() {
        stopped = true;
        timer.cancel();
    }

    private void step() {
        long beat;
        long known;
        synchronized (this) {
            beat = ++sent;
            known = acknowledged;
        }
        Deadline.within(deadlineMs, scheduler, "a beat", store.beat(id, beat, known))
                .compose(before -> heard(beat, before))
                // A database that is away is others' affair: what counts is what it remembers when it is back.
                .onComplete(done -> next());
    }

    private Future<Void> heard(long beat, long before) {
        boolean alarm;
        synchronized (this) {
            boolean behind = before < acknowledged;
            alarm = behind && !forgotten;
            forgotten |= behind;
            acknowledged = behind ? before : beat;
            if (!forgotten) {
                return Future.succeededFuture();
            }
        }
        if (alarm) {
            meter.regression("");
            LOG.atError()
                    .addKeyValue("beat", beat)
                    .addKeyValue("remembered", before)
                    .log(
                            "the database has forgotten what it acknowledged: all counters are fenced until they are repaired");
        }
        return Deadline.within(deadlineMs, scheduler, "the fence of all counters", fence.get())
                .onSuccess(fenced -> {
                    synchronized (this) {
                        forgotten = false;
                    }
                })
                .onFailure(e -> LOG.atWarn()
                        .addKeyValue("why", e.getMessage())
                        .log("the counters could not be fenced, will try until it works"));
    }

    private synchronized void next() {
        if (!stopped) {
            timer = scheduler.after(everyMs, this::step);
        }
    }
}
