package dev.reissue.recycle;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one process tells about its part in the recycling. Immutable; ages are as of the report.
 *
 * @param instance the id under which it holds leases, null where it does not issue
 * @param host the name of its machine, for people
 * @param version its version
 * @param roles its roles, in lower case
 * @param overdueMs how overdue the most overdue number was when it looked last, 0 where none is
 * @param passes how each of its passes went the last time
 * @param backlogs what waits, for those sequences that it saw something of
 * @param depths entries in the pool, for those sequences that it looked at
 */
public record MemberReport(
        @Nullable String instance,
        String host,
        String version,
        List<String> roles,
        long overdueMs,
        List<LastPass> passes,
        List<Backlog> backlogs,
        Map<Integer, Long> depths) {

    /**
     * The last run of a pass.
     *
     * @param name the pass
     * @param agoMs when it ended
     * @param tookMs how long it took
     * @param failure the kind of the fault, null where it went well
     * @param counters what it did
     */
    public record LastPass(
            String name, long agoMs, long tookMs, @Nullable String failure, Map<String, Integer> counters) {}

    /**
     * What waits of one sequence, among the oldest of the ledger.
     *
     * @param sequenceId the sequence
     * @param cooling abandoned numbers
     * @param oldestCoolingMs how long the oldest of them has been abandoned, 0 where there is none
     * @param unsettled sealed batches with numbers that are neither confirmed nor abandoned
     * @param oldestUnsettledMs how long ago the oldest of them was sealed, 0 where there is none
     */
    public record Backlog(int sequenceId, long cooling, long oldestCoolingMs, long unsettled, long oldestUnsettledMs) {}
}
