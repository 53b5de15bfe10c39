package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.List;

/** Port: numbers that the business system has to be asked about. Each call is one statement for one page. Any thread. */
public interface ProbeStore {

    /**
     * When a number is asked about again.
     *
     * @param firstDelayMs after the first try; doubled for each one
     * @param maxDelayMs the longest delay
     * @param maxTries tries before it becomes a dead letter
     */
    record Backoff(long firstDelayMs, long maxDelayMs, int maxTries) {
        /** From 5 seconds to 5 minutes, 15 tries: about 50 minutes. */
        public static final Backoff DEFAULT = new Backoff(5_000, 300_000, 15);

        /** Checks the figures. */
        public Backoff {
            if (firstDelayMs <= 0 || maxDelayMs < firstDelayMs || maxTries < 1) {
                throw new IllegalArgumentException("no backoff: first " + firstDelayMs + " ms, at most " + maxDelayMs
                        + " ms, " + maxTries + " tries");
            }
        }
    }

    /**
     * A number to ask about.
     *
     * @param row the row
     * @param sequence the sequence's name
     * @param format its format
     * @param url whom to ask
     * @param tries tries so far, this one included
     */
    record Question(LogRow row, String sequence, String format, String url, int tries) {}

    /**
     * Takes up to {@code rows} abandoned, unconfirmed numbers whose window is over; each counts as tried and rests until its next
     * try.
     *
     * @param notNow endpoints that must not be asked at the moment
     */
    Future<List<Question>> take(ScanScope scope, int rows, List<String> notNow, Backoff backoff);

    /** Confirms numbers that the business system called used, where they are still as they were, and returns how many. */
    Future<Integer> confirmUsed(List<PoolEntry> rows);

    /** Returns up to {@code rows} numbers that were asked about in vain as often as they may be, and are due again. */
    Future<List<LogRow>> askedInVain(ScanScope scope, int rows, Backoff backoff);
}
