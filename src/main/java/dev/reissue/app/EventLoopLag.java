package dev.reissue.app;

import io.micrometer.core.instrument.Timer;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures how much later than planned a periodic timer of its event loop runs: the time for which the loop was busy with something
 * else. One instance an event loop.
 */
final class EventLoopLag extends VerticleBase {
    private static final long PERIOD_MS = 50;
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);

    private final Timer lag;
    private final LongSupplier nanoClock;
    private long last;

    EventLoopLag(Timer lag, LongSupplier nanoClock) {
        this.lag = lag;
        this.nanoClock = nanoClock;
    }

    @Override
    public Future<?> start() {
        last = nanoClock.getAsLong();
        vertx.setPeriodic(PERIOD_MS, id -> tick());
        return Future.succeededFuture();
    }

    private void tick() {
        long now = nanoClock.getAsLong();
        lag.record(Math.max(0, now - last - PERIOD_NANOS), TimeUnit.NANOSECONDS);
        last = now;
    }
}
