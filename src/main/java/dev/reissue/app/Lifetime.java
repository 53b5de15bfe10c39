package dev.reissue.app;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of the process: start, run until TERM or Ctrl-C, tear down in order. A second signal ends it at once, and a teardown that
 * hangs is not waited for. One per process.
 */
final class Lifetime {
    private static final Logger LOG = LoggerFactory.getLogger(Lifetime.class);
    /** Steps get a little time each after the deadline, to close what is open. */
    private static final long SLACK_MS = 2_000;

    private final Teardown teardown = new Teardown(System::nanoTime);
    private final CountDownLatch startEnded = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    private final long deadlineMs;

    /** Starts everything, and adds the undoing of each part as soon as that part is there. */
    @FunctionalInterface
    interface Start {
        void run(Teardown teardown);
    }

    /**
     * Creates a life.
     *
     * @param deadlineMs how long the teardown may take
     */
    Lifetime(long deadlineMs) {
        this.deadlineMs = deadlineMs;
    }

    /**
     * Runs to the end of the process.
     *
     * @return the exit code where the start failed; after a good start the end comes by a signal and this does not return before
     */
    int run(Start start) {
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "shutdown"));
        try {
            start.run(teardown);
        } catch (StartException e) {
            LOG.atError().log(e.getMessage());
            LOG.atDebug().setCause(e).log("why");
            return failed();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("the start failed");
            return failed();
        } finally {
            startEnded.countDown();
        }
        await(over, Long.MAX_VALUE);
        return ExitCode.OK;
    }

    private int failed() {
        teardown.run(deadlineMs);
        return ExitCode.FAILED;
    }

    private void end() {
        if (teardown.hasRun()) {
            return;
        }
        SecondSignal.haltsFromNowOn();
        LastResort.after(deadlineMs + SLACK_MS, () -> Runtime.getRuntime().halt(ExitCode.FAILED));
        LOG.atInfo().addKeyValue("deadlineMs", deadlineMs).log("shutting down");
        long began = System.nanoTime();
        teardown.run(deadlineMs);
        // A start under way notices the end at its next part, and undoes that.
        await(startEnded, deadlineMs);
        over.countDown();
        LOG.atInfo()
                .addKeyValue("ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                .log("ended");
    }

    private static void await(CountDownLatch latch, long ms) {
        try {
            boolean unused = latch.await(ms, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
