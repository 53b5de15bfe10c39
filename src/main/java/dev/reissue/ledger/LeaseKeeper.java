package dev.reissue.ledger;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * This process's lease on its own batches: registered under a fresh id, renewed, and, once lost, given up for good and followed
 * by a lease under another fresh id. Any thread; {@link #valid} and {@link #covers} are for the hot path.
 *
 * <p>The database counts the lease from when it executes a renewal, this class from before it sent it, less a margin. So whenever
 * {@link #valid} holds, the database has not let the lease run out, and nobody else has touched the batches:
 *
 * <pre>
 *   sent        executed                            untilNanos       overNanos        lease_until
 *    |-------------|-------------------------------------|----------------|----------------|
 *    |&lt;---------------- leaseMs - marginMs ------------&gt;|&lt;- marginMs --&gt;|   others may reap after this
 * </pre>
 *
 * <p>There is one call under way or one timer pending at any time, so the steps never overlap.
 */
public final class LeaseKeeper {
    /** The id while there is no lease; nothing is ever leased under it. */
    public static final UUID NOBODY = new UUID(0, 0);

    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final long RETRY_MAX_MS = 1_000;

    private final InstanceStore store;
    private final String host;
    private final Timing timing;
    private final Supplier<UUID> ids;
    private final LongSupplier nanoClock;
    private final Scheduler scheduler;
    private final LedgerMeter meter;
    private final List<Consumer<UUID>> lostListeners = new CopyOnWriteArrayList<>();
    private final Promise<Void> started = Promise.promise();
    private final Backoff backoff;

    private volatile Lease lease;
    private Scheduler.@Nullable Timer timer;
    private boolean running;

    /**
     * How the lease is kept, in milliseconds.
     *
     * @param leaseMs how long a lease is valid
     * @param marginMs how much earlier this process stops trusting it
     * @param renewMs the time between two renewals
     * @param deadlineMs how long one call to the database may take
     */
    public record Timing(long leaseMs, long marginMs, long renewMs, long deadlineMs) {
        /** Checks that a renewal that takes as long as it may still comes in time. */
        public Timing {
            if (marginMs < 1 || renewMs < 1 || deadlineMs < 1 || renewMs + deadlineMs + marginMs >= leaseMs) {
                throw new IllegalArgumentException("a lease of " + leaseMs + " ms is too short for a renewal every "
                        + renewMs + " ms that may take " + deadlineMs + " ms, and a margin of " + marginMs + " ms");
            }
        }
    }

    private record Lease(UUID id, long fromNanos, long untilNanos, long overNanos) {}

    /** Creates a keeper that does nothing until {@link #start}. */
    public LeaseKeeper(
            InstanceStore store,
            String host,
            Timing timing,
            Supplier<UUID> ids,
            LongSupplier nanoClock,
            Scheduler scheduler,
            LedgerMeter meter) {
        this.store = store;
        this.host = host;
        this.timing = timing;
        this.ids = ids;
        this.nanoClock = nanoClock;
        this.scheduler = scheduler;
        this.meter = meter;
        this.backoff = new Backoff(Math.min(50, timing.renewMs), Math.min(RETRY_MAX_MS, timing.renewMs));
        this.lease = none();
    }

    /** Registers, however long the database is away, and keeps the lease from then on. Completes at the first lease. */
    public Future<Void> start() {
        synchronized (this) {
            if (running) {
                throw new IllegalStateException("the keeper runs already");
            }
            running = true;
        }
        register();
        return started.future();
    }

    /** Adds a listener that is told a lost id, before there is a new one: whatever belongs to the old id has to be dropped. */
    public void onLost(Consumer<UUID> listener) {
        lostListeners.add(listener);
    }

    /** Returns the id under which batches are leased now, {@link #NOBODY} while there is none. */
    public UUID current() {
        return lease.id;
    }

    /** Tells whether the lease is known to be valid: one volatile read and one reading of the clock. */
    public boolean valid() {
        return nanoClock.getAsLong() - lease.untilNanos < 0;
    }

    /**
     * Tells whether a number taken at {@code takenNanos} was taken under the lease of now, and that lease is known to be valid. A
     * number that was taken under a lease since lost must not leave.
     */
    public boolean covers(long takenNanos) {
        Lease now = lease;
        return takenNanos - now.fromNanos > 0 && nanoClock.getAsLong() - now.untilNanos < 0;
    }

    /** Ends the lease: not valid from now on, and others may reap at once. Completes when that is done or given up. */
    public Future<Void> stop() {
        UUID id;
        synchronized (this) {
            running = false;
            if (timer != null) {
                timer.cancel();
            }
            id = lease.id;
            lease = none();
        }
        started.tryFail(new IllegalStateException("stopped before there was a lease"));
        return id.equals(NOBODY) ? Future.succeededFuture() : release(id);
    }

    private void step() {
        Lease held = lease;
        if (held.id.equals(NOBODY)) {
            register();
        } else if (nanoClock.getAsLong() - held.overNanos >= 0) {
            lose(held, "no renewal came through in time");
            register();
        } else {
            renew(held);
        }
    }

    private void register() {
        UUID id = ids.get();
        long sentNanos = nanoClock.getAsLong();
        call("register", () -> store.register(id, host, timing.leaseMs)).onComplete(done -> {
            meter.renewed(done.succeeded());
            if (done.succeeded()) {
                registered(id, sentNanos);
            } else {
                retry("register", done.cause());
            }
        });
    }

    private void registered(UUID id, long sentNanos) {
        boolean stopped;
        synchronized (this) {
            stopped = !running;
            if (!stopped) {
                lease = lease(id, sentNanos, sentNanos);
            }
        }
        if (stopped) {
            release(id);
            return;
        }
        LOG.atInfo().addKeyValue("instance", id).log("instance registered");
        started.tryComplete();
        backoff.reset();
        schedule(timing.renewMs);
    }

    private void renew(Lease held) {
        long sentNanos = nanoClock.getAsLong();
        call("renew", () -> store.renew(held.id, timing.leaseMs)).onComplete(done -> {
            meter.renewed(done.succeeded() && done.result());
            if (done.failed()) {
                retry("renew", done.cause());
            } else if (done.result()) {
                renewed(lease(held.id, held.fromNanos, sentNanos));
            } else if (lose(held, "the database says that it is over")) {
                register();
            }
        });
    }

    private void renewed(Lease next) {
        synchronized (this) {
            if (running) {
                lease = next;
            }
        }
        backoff.reset();
        schedule(timing.renewMs);
    }

    private boolean lose(Lease held, String why) {
        synchronized (this) {
            if (!running) {
                return false;
            }
            lease = none();
        }
        meter.instanceLost();
        LOG.atError().addKeyValue("instance", held.id).addKeyValue("why", why).log("instance lost its lease");
        for (Consumer<UUID> listener : lostListeners) {
            try {
                listener.accept(held.id);
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).addKeyValue("instance", held.id).log("a listener failed");
            }
        }
        return true;
    }

    private void retry(String what, Throwable e) {
        LOG.atLevel(backoff.isReset() ? Level.WARN : Level.DEBUG)
                .addKeyValue("why", e.getMessage())
                .log("could not {} the instance, will try until it works", what);
        schedule(backoff.nextMs());
    }

    private synchronized void schedule(long delayMs) {
        if (running) {
            timer = scheduler.after(delayMs, this::step);
        }
    }

    private Future<Void> release(UUID id) {
        return call("release", () -> store.release(id)).otherwise(e -> {
            LOG.atWarn()
                    .addKeyValue("instance", id)
                    .addKeyValue("why", e.getMessage())
                    .log("lease left to run out");
            return null;
        });
    }

    private <T> Future<T> call(String what, Supplier<Future<T>> call) {
        return Deadline.within(timing.deadlineMs, scheduler, what, call.get());
    }

    private Lease lease(UUID id, long fromNanos, long sentNanos) {
        long overNanos = sentNanos + timing.leaseMs * 1_000_000;
        return new Lease(id, fromNanos, overNanos - timing.marginMs * 1_000_000, overNanos);
    }

    private Lease none() {
        long now = nanoClock.getAsLong();
        return new Lease(NOBODY, now, now, now);
    }
}
