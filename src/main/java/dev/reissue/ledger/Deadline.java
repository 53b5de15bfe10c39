package dev.reissue.ledger;

import io.vertx.core.Future;
import io.vertx.core.Promise;

/** Puts a deadline on calls of stores, so that whatever waits for them goes on. */
final class Deadline {
    private Deadline() {}

    /**
     * Returns a future that completes like {@code call}, or fails as unknown after {@code deadlineMs}; an answer that comes later
     * is dropped. It fails with a {@link StoreException} only.
     */
    static <T> Future<T> within(long deadlineMs, Scheduler scheduler, String what, Future<T> call) {
        if (call.succeeded()) {
            return call;
        }
        Promise<T> promise = Promise.promise();
        Scheduler.Timer timer = scheduler.after(
                deadlineMs,
                () -> promise.tryFail(new StoreException(
                        StoreException.Kind.UNKNOWN, "no answer to " + what + " within " + deadlineMs + " ms")));
        call.onComplete(done -> {
            timer.cancel();
            if (done.succeeded()) {
                promise.tryComplete(done.result());
            } else {
                promise.tryFail(fault(done.cause(), what));
            }
        });
        return promise.future();
    }

    /** What is not a store's own report is a bug or a broken client: then anything may have happened. */
    private static StoreException fault(Throwable e, String what) {
        return e instanceof StoreException fault
                ? fault
                : new StoreException(StoreException.Kind.UNKNOWN, what + " failed: " + e, e);
    }
}
