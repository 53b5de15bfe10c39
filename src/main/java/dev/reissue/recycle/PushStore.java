package dev.reissue.recycle;

import dev.reissue.ledger.NumberState;
import io.vertx.core.Future;
import java.util.List;

/** Port: what is known about the pool entries of replayable numbers. Each call is one statement for one page. Any thread. */
public interface PushStore {

    /**
     * A replayable number that nobody claimed in time.
     *
     * @param row the row
     * @param failures entries that the pool refused or lost so far
     * @param pushed whether the pool accepted the last entry
     * @param recycle whether the sequence recycles at the moment
     */
    record Unclaimed(LogRow row, int failures, boolean pushed, boolean recycle) {}

    /**
     * The next look at a row.
     *
     * @param entry the row, as it still has to be
     * @param failures the new count
     * @param pushed whether an entry is, or is about to be, in the pool
     * @param delayMs when to look
     */
    record Look(PoolEntry entry, int failures, boolean pushed, long delayMs) {}

    /** Returns up to {@code rows} replayable numbers that are due for a look, longest due first. */
    Future<List<Unclaimed>> unclaimed(ScanScope scope, int rows);

    /** Retires up to {@code rows} of those that belong to a suspect batch; tells how many. To be called before {@link #unclaimed}. */
    Future<Integer> retireSuspect(ScanScope scope, int rows);

    /** Stores the next looks, where the rows are still due, and returns the entries that this call changed. */
    Future<List<PoolEntry>> reschedule(List<Look> looks);

    /**
     * Notes that entries did not get into the pool.
     *
     * @param refused whether that counts as a failure of each row; an outage does not
     */
    Future<Integer> notPushed(List<PoolEntry> entries, boolean refused, long delayMs);

    /** Makes rows in state {@code from} dead letters and returns those that this call changed. */
    Future<List<LogRow>> bury(List<PoolEntry> rows, NumberState from, DeadReason reason);
}
