package dev.reissue.recycle;

import dev.reissue.ledger.Scheduler;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Reaps at once, and then quickly one time after the other for a while, when a process is known to be gone and its lease is not over
 * yet. Which leases are over is still the database's clock's to say: this only looks more often. Any thread.
 */
public final class EarlyReap {
    private static final long EVERY_MS = 250;

    private final Supplier<Future<Boolean>> reap;
    private final Scheduler scheduler;
    private final LongSupplier nanoClock;
    private final long forNanos;
    private boolean hurrying;
    private long untilNanos;

    /**
     * Creates it at rest.
     *
     * @param reap reaps once; never fails
     * @param forMs how long it hurries: as long as the lease of the one that is gone may last
     */
    public EarlyReap(Supplier<Future<Boolean>> reap, Scheduler scheduler, LongSupplier nanoClock, long forMs) {
        if (forMs < 1) {
            throw new IllegalArgumentException("forMs must be positive: " + forMs);
        }
        this.reap = reap;
        this.scheduler = scheduler;
        this.nanoClock = nanoClock;
        this.forNanos = TimeUnit.MILLISECONDS.toNanos(forMs + EVERY_MS);
    }

    /** Begins, or goes on for longer where it has begun. */
    public void begin() {
        synchronized (this) {
            untilNanos = nanoClock.getAsLong() + forNanos;
            if (hurrying) {
                return;
            }
            hurrying = true;
        }
        once();
    }

    private void once() {
        reap.get().onComplete(done -> {
            synchronized (this) {
                hurrying = nanoClock.getAsLong() - untilNanos < 0;
                if (!hurrying) {
                    return;
                }
            }
            scheduler.after(EVERY_MS, this::once);
        });
    }
}
