package dev.reissue.ledger;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals, now and then, the batches of instances whose lease is over. Every process may run one; they do not get into each other's
 * way. Any thread.
 */
public final class Reaper {
    private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);

    /** Instances in one statement. */
    private static final int PAGE = 50;

    private final InstanceStore store;
    private final Scheduler scheduler;
    private final long intervalMs;
    private final long deadlineMs;
    private final LedgerMeter meter;
    private Scheduler.@Nullable Timer timer;
    private boolean running;
    private boolean failing;

    /**
     * Creates a reaper that does nothing until {@link #start}.
     *
     * @param intervalMs the time between two passes
     * @param deadlineMs how long a pass may take
     */
    public Reaper(InstanceStore store, Scheduler scheduler, long intervalMs, long deadlineMs, LedgerMeter meter) {
        this.store = store;
        this.scheduler = scheduler;
        this.intervalMs = intervalMs;
        this.deadlineMs = deadlineMs;
        this.meter = meter;
    }

    /** Begins with a pass at once. */
    public void start() {
        synchronized (this) {
            running = true;
        }
        loop();
    }

    /** Ends after the pass under way. */
    public synchronized void stop() {
        running = false;
        if (timer != null) {
            timer.cancel();
        }
    }

    /** One pass over a page of instances. */
    public Future<InstanceStore.Reaped> pass() {
        return Deadline.within(deadlineMs, scheduler, "a reap", store.reap(PAGE))
                .onSuccess(reaped -> {
                    meter.reaped(reaped.instances(), reaped.batches());
                    // One that ended in order has nothing left.
                    if (reaped.batches() > 0) {
                        LOG.atWarn()
                                .addKeyValue("instances", reaped.instances())
                                .addKeyValue("batches", reaped.batches())
                                .log("sealed the batches of instances whose lease was over");
                    }
                });
    }

    private void loop() {
        pass().onComplete(done -> {
            boolean firstFailure;
            synchronized (this) {
                firstFailure = done.failed() && !failing;
                failing = done.failed();
                if (running) {
                    timer = scheduler.after(intervalMs, this::loop);
                }
            }
            if (firstFailure) {
                LOG.atWarn()
                        .addKeyValue("why", done.cause().getMessage())
                        .log("could not reap, will try until it works");
            }
        });
    }
}
