package dev.reissue.recycle;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many entries the pool has for each sequence, as whoever scans it saw lately, so that not every process has to look. What is
 * older than {@value #FRESH_MS} ms counts as unknown: a process that stopped telling starves nobody. Any thread.
 */
public final class PoolDepths {
    /** What stands for a depth that nobody told lately. */
    public static final long UNKNOWN = -1;

    private static final long FRESH_MS = 1_500;

    private final ConcurrentMap<Integer, Told> told = new ConcurrentHashMap<>();
    private final LongSupplier nanoClock;

    private record Told(long depth, long atNanos) {}

    /** Creates an empty table. */
    public PoolDepths(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Notes depths that were seen just now. */
    public void tell(Map<Integer, Long> depths) {
        long now = nanoClock.getAsLong();
        depths.forEach((sequenceId, depth) -> told.put(sequenceId, new Told(depth, now)));
    }

    /** Returns the entries of a sequence, {@link #UNKNOWN} where nobody told lately. */
    public long lately(int sequenceId) {
        Told seen = told.get(sequenceId);
        return seen == null || nanoClock.getAsLong() - seen.atNanos > TimeUnit.MILLISECONDS.toNanos(FRESH_MS)
                ? UNKNOWN
                : seen.depth;
    }

    /** Returns the entries of a sequence as they were told last, however long ago; null where nobody told. */
    public @Nullable Long last(int sequenceId) {
        Told seen = told.get(sequenceId);
        return seen == null ? null : seen.depth;
    }
}
