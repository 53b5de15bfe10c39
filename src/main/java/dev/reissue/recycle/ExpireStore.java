package dev.reissue.recycle;

import io.vertx.core.Future;

/** Port: numbers whose time to be confirmed is over. Each call is one statement for one page. Any thread. */
public interface ExpireStore {

    /**
     * What became of a page of due batches.
     *
     * @param batches batches looked at
     * @param numbers numbers that were abandoned
     * @param closed batches that have no unsettled number any more
     */
    record Expired(int batches, int numbers, int closed) {}

    /**
     * Abandons numbers of sealed batches past their due date. A row is written only for a bit that this statement turned on.
     *
     * @param rows about how many numbers
     */
    Future<Expired> expireBatches(ScanScope scope, int rows);

    /** Abandons reissued numbers past their due date and returns how many. */
    Future<Integer> expireReissued(ScanScope scope, int rows);
}
