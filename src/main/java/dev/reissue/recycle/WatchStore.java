package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.List;

/** Port: what the ledger looks like from outside the passes. Any thread. */
public interface WatchStore {

    /**
     * What the ledger looks like; counts stop at a bound.
     *
     * @param overdueMs how long the most overdue number has been waiting for a pass, 0 where none is
     * @param cooling abandoned numbers
     * @param replayable numbers that nobody has claimed
     * @param dead dead letters
     * @param pooled sequences with replayable numbers, as far as the first few thousand of them tell
     */
    record View(long overdueMs, long cooling, long replayable, long dead, List<Integer> pooled) {
        /** Copies the list. */
        public View {
            pooled = List.copyOf(pooled);
        }
    }

    /** Looks at the ledger, counting up to {@code bound}. */
    Future<View> look(long bound);

    /**
     * Returns what waits of each sequence in scope that has anything.
     *
     * @param bound how many of the ledger's oldest numbers, and of its oldest batches, are looked at
     */
    Future<List<MemberReport.Backlog>> backlogs(ScanScope scope, int bound);
}
