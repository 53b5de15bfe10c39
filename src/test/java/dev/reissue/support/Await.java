package dev.reissue.support;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for a state of something outside this process, with a deadline. */
public final class Await {
    private Await() {}

    /**
     * Asks until the condition holds; exceptions count as "not yet".
     *
     * @throws AssertionError with {@code what} when the deadline is over
     */
    public static void until(String what, Duration deadline, Callable<Boolean> condition) {
        long end = System.nanoTime() + deadline.toNanos();
        Throwable last = null;
        do {
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
            } catch (Exception e) {
                last = e;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        } while (System.nanoTime() - end < 0);
        throw new AssertionError("not within " + deadline + ": " + what, last);
    }
}
