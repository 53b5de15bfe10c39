package dev.reissue.app;

import dev.reissue.api.Drain;
import dev.reissue.config.Config;
import dev.reissue.metrics.Health;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * Whether the process takes part in the traffic, and its way out: not ready any more, a pause in which all is still answered and
 * callers are asked to come back elsewhere, then refusing. Any thread.
 */
final class Traffic {
    /** How long requests that come in spite of all that are still answered: a moment in which none is under way ends it. */
    private static final long STRAGGLERS_MS = 1_000;

    private final Vertx vertx;
    private final long pauseMs;
    private final Drain drain = new Drain();
    private volatile boolean accepting;

    Traffic(Vertx vertx, long pauseMs) {
        this.vertx = vertx;
        this.pauseMs = pauseMs;
    }

    /**
     * Returns how long requests under way may take to be answered once the port is closed: what the shutdown has, less what it takes
     * to return the numbers.
     */
    static long finishMs(Config config) {
        long restMs = config.shutdown().deadlineMs() - config.postgres().lease().deadlineMs() - STRAGGLERS_MS;
        return Math.max(restMs, config.settle().deadlineMs());
    }

    Drain drain() {
        return drain;
    }

    /** From now on the process is ready, if nothing else is in the way. */
    void join() {
        accepting = true;
    }

    /** Not ready any more; goes on serving for the pause in which load balancers notice. */
    Future<?> leave() {
        accepting = false;
        drain.announce();
        return pauseMs == 0 ? Future.succeededFuture() : vertx.timer(pauseMs);
    }

    /** Refuses new requests as soon as none is under way, or a second later. */
    Future<?> refuse() {
        return drain.idle(vertx, STRAGGLERS_MS).onComplete(done -> drain.refuse());
    }

    /** Tells readiness whether traffic is wanted. */
    Health.Check check() {
        boolean wanted = accepting;
        return new Health.Check("accepting", wanted, wanted ? "serving" : "starting or shutting down");
    }
}
