package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: abandoned numbers whose safety window is over. Each call is one statement for one page. Any thread. */
public interface ReleaseStore {

    /**
     * What became of one abandoned number.
     *
     * @param row the row after the change
     * @param retiredBecause null where the number is replayable now
     */
    record Decided(LogRow row, @Nullable String retiredBecause) {}

    /**
     * Makes up to {@code rows} abandoned numbers replayable, or retires those that must not be issued again. Numbers that the
     * business system has to be asked about first are left alone.
     *
     * @param firstLookMs when to look whether the pool still has the entry
     */
    Future<List<Decided>> release(ScanScope scope, int rows, long firstLookMs);

    /** Does the same to rows that the business system called unused, where they are still as they were when it was asked. */
    Future<List<Decided>> releaseUnused(List<PoolEntry> rows, long firstLookMs);
}
