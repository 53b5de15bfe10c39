package dev.reissue.recycle;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The loop around passes: runs them, rests for the interval give or take a fifth, or a hundredth of it while there is more to do, and runs
 * them again. Deploy it on a worker; at the end it waits for the run under way.
 */
public final class RecycleVerticle extends VerticleBase {
    private final Supplier<Future<Boolean>> run;
    private final long intervalMs;
    private final RandomGenerator random;
    private Future<Boolean> underWay = Future.succeededFuture(false);
    private boolean stopping;

    /**
     * Creates the loop.
     *
     * @param run runs once and tells whether there is more to do, for example {@link Recycler#runOnce()}; never fails
     * @param intervalMs the rest between two runs, so that instances that started together do not stay in step
     */
    public RecycleVerticle(Supplier<Future<Boolean>> run, long intervalMs, RandomGenerator random) {
        if (intervalMs < 1) {
            throw new IllegalArgumentException("intervalMs must be positive: " + intervalMs);
        }
        this.run = run;
        this.intervalMs = intervalMs;
        this.random = random;
    }

    @Override
    public Future<?> start() {
        rest(false);
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        stopping = true;
        return underWay.otherwise(false);
    }

    private void rest(boolean more) {
        long jitter = Math.max(1, intervalMs / 5);
        long delay = intervalMs - jitter + random.nextLong(2 * jitter + 1);
        vertx.setTimer(Math.max(1, more ? delay / 100 : delay), timer -> turn());
    }

    private void turn() {
        if (stopping) {
            return;
        }
        underWay = run.get();
        underWay.otherwise(false).onSuccess(this::rest);
    }
}
