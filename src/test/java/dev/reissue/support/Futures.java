package dev.reissue.support;

import io.vertx.core.Future;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for futures in the threads of tests. */
public final class Futures {
    private Futures() {}

    /** Returns the result; fails with the future's own exception, or after 60 s. */
    public static <T> T get(Future<T> future) {
        return get(future, 60);
    }

    /** Returns the result; fails with the future's own exception, or after {@code seconds}. */
    public static <T> T get(Future<T> future, long seconds) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no result", e);
        }
    }
}
