package dev.reissue.faults;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * The ledger at rest, as plain data.
 *
 * @param sequences by id
 * @param early what the triggers of {@link LedgerWatch} saw happen before its time, by the database's clock
 */
record LedgerView(Map<Integer, Sequence> sequences, List<String> early) {
    static final int CONFIRMED = 2;
    static final int ABANDONED = 3;
    static final int VOID = 7;

    /** A sequence with all that is known of its values; batches by their first value. */
    record Sequence(
            String name,
            long first,
            long nextValue,
            long confirmTimeoutMs,
            long safetyWindowMs,
            NavigableMap<Long, Batch> batches,
            List<Range> returned,
            List<Range> skipped,
            Map<Long, Row> rows,
            Map<Long, List<Event>> events) {

        @Nullable
        Batch batchOf(long value) {
            Map.Entry<Long, Batch> nearest = batches.floorEntry(value);
            return nearest != null && value <= nearest.getValue().top ? nearest.getValue() : null;
        }
    }

    /** A batch, with the last value that it stands for and a bit for each value from {@code lo} on. */
    record Batch(long id, long lo, long top, int status, BitSet confirmed, BitSet abandoned) {}

    /** Values, both ends included. */
    record Range(long lo, long hi) {}

    /** A number's own row. */
    record Row(int status, int generation, int holderGeneration) {}

    /** One step of a number's history. */
    record Event(int to, int generation) {}
}
