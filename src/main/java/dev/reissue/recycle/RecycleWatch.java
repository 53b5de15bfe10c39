package dev.reissue.recycle;

import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the ledger and the pool from outside the passes and on a timer of its own, so that a scan that is stuck is noticed: on every
 * instance, whether it scans or not. One look at a time, any thread.
 */
public final class RecycleWatch {
    private static final Logger LOG = LoggerFactory.getLogger(RecycleWatch.class);
    private static final String NAME = "watch";
    private static final long COUNT_MAX = 1_000_000;

    private final WatchStore store;
    private final NumberPool pool;
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
            NumberPool pool,
            RecycleMeter meter,
            RecycleAlerts alerts,
            long overdueMaxMs,
            long repeatMs,
            LongSupplier nanoClock) {
        this.store = store;
        this.pool = pool;
        this.meter = meter;
        this.alerts = alerts;
        this.overdueMaxMs = overdueMaxMs;
        this.repeatNanos = repeatMs * 1_000_000;
        this.nanoClock = nanoClock;
        this.quietUntilNanos = nanoClock.getAsLong();
    }

    /**
     * Looks once; tells metrics what it saw and raises an alert where something has been due for too long. Fails with a {@link
     * StoreException} where the ledger cannot be read, which is counted and logged.
     */
    public Future<WatchStore.View> look() {
        long start = nanoClock.getAsLong();
        return store.look(COUNT_MAX)
                .onFailure(this::blind)
                .onSuccess(this::tell)
                .compose(view -> depth(view).map(view))
                .onSuccess(view -> meter.pass(NAME, Map.of(), nanoClock.getAsLong() - start));
    }

    private void tell(WatchStore.View view) {
        meter.ledger(view.overdueMs(), view.cooling(), view.replayable(), view.dead());
        long now = nanoClock.getAsLong();
        if (view.overdueMs() >= overdueMaxMs && now - quietUntilNanos >= 0) {
            quietUntilNanos = now + repeatNanos;
            alerts.overdue(view.overdueMs());
        }
    }

    /** Asks the pool how much it has; a pool that does not answer leaves the last figure. */
    private Future<Void> depth(WatchStore.View view) {
        return pool.depths(view.pooled())
                .onSuccess(depths -> meter.poolDepth(
                        depths.values().stream().mapToLong(Long::longValue).sum()))
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    private void blind(Throwable e) {
        String kind = e instanceof StoreException s ? s.kind().name().toLowerCase(Locale.ROOT) : "bug";
        meter.passFailed(NAME, kind);
        LOG.atWarn().addKeyValue("kind", kind).log("Recycling cannot be watched: {}", e.getMessage());
    }
}
