package dev.reissue.segment;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue of requests that wait for numbers. Any thread joins, one at a time serves. All wait equally long, so the first
 * one is the next to time out.
 */
final class WaitingLine {
    private final ConcurrentLinkedQueue<Waiter> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong numbers = new AtomicLong();
    private final int requestsMax;

    WaitingLine(int requestsMax) {
        this.requestsMax = requestsMax;
    }

    /** A request that waits; its future completes on the executor that it came with. */
    static final class Waiter {
        private final int count;
        private final Taken into;
        private final long sinceNanos;
        private final Executor context;
        private final Promise<TakeResult> promise = Promise.promise();

        Waiter(int count, Taken into, long sinceNanos, Executor context) {
            this.count = count;
            this.into = into;
            this.sinceNanos = sinceNanos;
            this.context = context;
        }

        int count() {
            return count;
        }

        Taken into() {
            return into;
        }

        long sinceNanos() {
            return sinceNanos;
        }

        Future<TakeResult> future() {
            return promise.future();
        }
    }

    /** Appends a request, unless too many wait already. */
    boolean join(Waiter waiter) {
        if (requests.incrementAndGet() > requestsMax) {
            requests.decrementAndGet();
            return false;
        }
        numbers.addAndGet(waiter.count());
        queue.add(waiter);
        return true;
    }

    /** Returns the request that waits longest. */
    @Nullable
    Waiter first() {
        return queue.peek();
    }

    /** Completes the first request and removes it. */
    void finishFirst(TakeResult result) {
        Waiter waiter = queue.remove();
        requests.decrementAndGet();
        numbers.addAndGet(-waiter.count());
        waiter.context.execute(() -> waiter.promise.complete(result));
    }

    /** Returns how many requests wait. */
    int requests() {
        return requests.get();
    }

    /** Returns how many numbers they wait for. */
    long numbers() {
        return numbers.get();
    }
}
