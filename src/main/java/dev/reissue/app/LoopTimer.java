package dev.reissue.app;

import dev.reissue.issuance.GroupCommit;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** The timer of the event loop that asks for it. */
final class LoopTimer {
    private LoopTimer() {}

    /** Returns the timer of the current event loop. */
    static GroupCommit.Timer of(Vertx vertx) {
        Context loop = vertx.getOrCreateContext();
        return (delayMs, task) -> {
            if (delayMs == 0) {
                loop.runOnContext(turn -> task.run());
            } else {
                vertx.setTimer(delayMs, id -> task.run());
            }
        };
    }
}
