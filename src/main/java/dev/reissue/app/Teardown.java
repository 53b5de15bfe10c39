package dev.reissue.app;

import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be undone at the end: steps in the reverse order of their start, all under one deadline. A step that fails or takes
 * too long does not keep the others from running. Any thread; only the first {@link #run} does anything.
 */
final class Teardown {
    private static final Logger LOG = LoggerFactory.getLogger(Teardown.class);
    /** What is left to a step when the deadline is over: enough for closing, not for waiting. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Deque<Step> steps = new ArrayDeque<>();
    private final LongSupplier nanoClock;
    private boolean ended;

    Teardown(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Adds the undoing of something that has just started.
     *
     * @throws StartException where the end has come already; the step has then run
     */
    void add(String name, Supplier<Future<?>> undo) {
        Step step = new Step(name, undo);
        synchronized (this) {
            if (!ended) {
                steps.push(step);
                return;
            }
        }
        run(step, LEAST_NANOS);
        throw new StartException("the process was told to end while it started");
    }

    /** Adds a step that blocks; it cannot be cut short by the deadline. */
    void addBlocking(String name, Runnable undo) {
        add(name, () -> {
            undo.run();
            return Future.succeededFuture();
        });
    }

    /** Runs all steps, the last added first, and returns when the last of them has ended or was given up. */
    void run(long deadlineMs) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        long end = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(deadlineMs);
        // Nothing is added any more, so the queue is this thread's own.
        for (Step step : steps) {
            run(step, Math.max(LEAST_NANOS, end - nanoClock.getAsLong()));
        }
    }

    synchronized boolean hasRun() {
        return ended;
    }

    private static void run(Step step, long nanos) {
        try {
            step.undo.get().toCompletionStage().toCompletableFuture().get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            LOG.atWarn()
                    .addKeyValue("step", step.name)
                    .addKeyValue("ms", TimeUnit.NANOSECONDS.toMillis(nanos))
                    .log("a step of the shutdown took too long and was left");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.atWarn().addKeyValue("step", step.name).setCause(e).log("a step of the shutdown failed");
        }
    }

    private record Step(String name, Supplier<Future<?>> undo) {}
}
