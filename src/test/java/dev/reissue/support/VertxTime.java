package dev.reissue.support;

import dev.reissue.ledger.Scheduler;
import io.vertx.core.Vertx;

/** The scheduler of a test that runs on real time. */
public final class VertxTime implements Scheduler {
    private final Vertx vertx;

    /** Schedules on the event loops of {@code vertx}. */
    public VertxTime(Vertx vertx) {
        this.vertx = vertx;
    }

    @Override
    public Timer after(long delayMs, Runnable task) {
        long id = vertx.setTimer(delayMs, x -> task.run());
        return () -> vertx.cancelTimer(id);
    }
}
