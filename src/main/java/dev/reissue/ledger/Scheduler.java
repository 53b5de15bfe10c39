package dev.reissue.ledger;

/** Port: runs something once, later. Any thread. */
@FunctionalInterface
public interface Scheduler {

    /**
     * Runs a task after a delay, on a thread of the scheduler's choice.
     *
     * @param delayMs 1 or more
     */
    Timer after(long delayMs, Runnable task);

    /** A task that has not run yet. */
    @FunctionalInterface
    interface Timer {
        /** Keeps the task from running; harmless when it has run. */
        void cancel();
    }
}
