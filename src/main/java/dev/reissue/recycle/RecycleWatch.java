package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.function.LongSupplier;

/**
 * Looks at the ledger from outside the passes, so that a scan that is stuck is noticed: on every instance, whether it scans or not. Any
 * thread.
 */
public final class RecycleWatch {
    private final WatchStore store;
    private final RecycleMeter meter;
    private final RecycleAlerts alerts;
    private final long overdueMaxMs;
    private final long repeatNanos;
    private final LongSupplier nanoClock;
    private volatile long quietUntilNanos;

    /**
     * Creates the watch.
     *
     * @param overdueMaxMs from which age on an overdue number is worth an alert
     * @param repeatMs how often the alert is repeated while it lasts
     */
    public RecycleWatch(
            WatchStore store,
            RecycleMeter meter,
            RecycleAlerts alerts,
            long overdueMaxMs,
            long repeatMs,
            LongSupplier nanoClock) {
        this.store = store;
        this.meter = meter;
        this.alerts = alerts;
        this.overdueMaxMs = overdueMaxMs;
        this.repeatNanos = repeatMs * 1_000_000;
        this.nanoClock = nanoClock;
        this.quietUntilNanos = nanoClock.getAsLong();
    }

    /** Looks once; tells metrics what it saw and raises an alert where something has been due for too long. */
    public Future<WatchStore.View> look() {
        return store.look(1_000_000).onSuccess(view -> {
            meter.ledger(view.overdueMs(), view.cooling(), view.replayable(), view.dead());
            long now = nanoClock.getAsLong();
            if (view.overdueMs() >= overdueMaxMs && now - quietUntilNanos >= 0) {
                quietUntilNanos = now + repeatNanos;
                alerts.overdue(view.overdueMs());
            }
        });
    }
}
