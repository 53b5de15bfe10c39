package dev.reissue.app;

import dev.reissue.ledger.Scheduler;
import io.vertx.core.Vertx;

/** Vert.x's timers as the core's scheduler. Any thread. */
final class VertxScheduler {
    private VertxScheduler() {}

    static Scheduler of(Vertx vertx) {
        return (delayMs, task) -> {
            long id = vertx.setTimer(delayMs, timer -> task.run());
            return () -> vertx.cancelTimer(id);
        };
    }
}
