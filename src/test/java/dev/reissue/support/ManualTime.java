package dev.reissue.support;

import dev.reissue.ledger.Scheduler;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;

/** A clock and a scheduler that a test moves. Any thread; tasks run on the thread that moves the time. */
public final class ManualTime implements LongSupplier, Scheduler {
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::number));
    private long nowNanos;
    private long numbers;

    private record Task(long atNanos, long number, Runnable run) {}

    /** Starts near the end of the clock's range, so that comparisons which do not wrap show. */
    public ManualTime() {
        this.nowNanos = Long.MAX_VALUE - 1_000_000_000L;
    }

    @Override
    public synchronized long getAsLong() {
        return nowNanos;
    }

    @Override
    public synchronized Timer after(long delayMs, Runnable run) {
        // Relative to the start, so that the order of tasks survives the clock's overflow.
        Task task = new Task(nowNanos - Long.MAX_VALUE + delayMs * 1_000_000, numbers++, run);
        tasks.add(task);
        return () -> {
            synchronized (this) {
                tasks.remove(task);
            }
        };
    }

    /** Moves the time on, and runs what is due on the way, each task at its own time. */
    public void advance(long ms) {
        long endNanos = getAsLong() + ms * 1_000_000;
        for (Task task = due(endNanos); task != null; task = due(endNanos)) {
            task.run.run();
        }
        sleep(endNanos - getAsLong());
    }

    /** Moves the time on without running anything, as a process that is stopped does. */
    public void pause(long ms) {
        sleep(ms * 1_000_000);
    }

    private synchronized void sleep(long nanos) {
        nowNanos += nanos;
    }

    private synchronized @org.jspecify.annotations.Nullable Task due(long endNanos) {
        Task head = tasks.peek();
        if (head == null || head.atNanos > endNanos - Long.MAX_VALUE) {
            return null;
        }
        tasks.remove();
        nowNanos = Math.max(nowNanos - Long.MAX_VALUE, head.atNanos) + Long.MAX_VALUE;
        return head;
    }
}
