package dev.reissue.api;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The switch by which a process leaves the traffic, and the count of the requests under way. Any thread. A process goes from
 * serving over {@link #announce()} (everything is answered, connections are asked to close) to {@link #refuse()} (new requests
 * get 503).
 */
public final class Drain {
    private static final long LOOK_EVERY_MS = 5;

    private final List<Counter> counters = new CopyOnWriteArrayList<>();
    private volatile Phase phase = Phase.SERVING;

    /** How far the process is on its way out. */
    enum Phase {
        SERVING,
        ANNOUNCED,
        REFUSING
    }

    /** Asks clients to close their connections; requests are still answered. */
    public void announce() {
        if (phase == Phase.SERVING) {
            phase = Phase.ANNOUNCED;
        }
    }

    /** Answers new requests with 503. */
    public void refuse() {
        phase = Phase.REFUSING;
    }

    /** Returns the number of requests that are not answered yet. */
    public long inFlight() {
        long sum = 0;
        for (Counter counter : counters) {
            sum += counter.value.getAcquire();
        }
        return sum;
    }

    /**
     * Completes when no request is under way, or after the time given.
     *
     * @return true if none is under way any more
     */
    public Future<Boolean> idle(Vertx vertx, long timeoutMs) {
        Promise<Boolean> promise = Promise.promise();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        look(vertx, deadline, promise);
        return promise.future();
    }

    Phase phase() {
        return phase;
    }

    /** Returns a counter for one event loop. */
    Counter counter() {
        Counter counter = new Counter();
        counters.add(counter);
        return counter;
    }

    private void look(Vertx vertx, long deadline, Promise<Boolean> promise) {
        if (inFlight() == 0) {
            promise.complete(true);
        } else if (System.nanoTime() - deadline >= 0) {
            promise.complete(false);
        } else {
            vertx.setTimer(LOOK_EVERY_MS, id -> look(vertx, deadline, promise));
        }
    }

    /** Counts the requests of one event loop, which alone writes it. */
    static final class Counter {
        private final AtomicLong value = new AtomicLong();

        void up() {
            value.setRelease(value.getPlain() + 1);
        }

        void down() {
            value.setRelease(value.getPlain() - 1);
        }
    }
}
