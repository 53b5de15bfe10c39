package dev.reissue.audit;

import dev.reissue.sequence.NumberFormat;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What became of the values of a range, at one moment. Immutable, any thread.
 *
 * @param format how the sequence writes its numbers
 * @param from the first value
 * @param to the last value, {@code from - 1} for an empty range
 * @param counts values by fate, without {@link Fate#UNACCOUNTED}
 * @param unaccounted all values less those counted; anything but 0 is a fault, below 0 something was counted twice
 * @param stillIssuable how many of the values never issued, or returned, may be issued one day
 * @param gaps runs of adjacent values that are neither confirmed nor retired nor void, lowest first
 * @param truncated whether there are more gaps than these
 */
public record ClosureReport(
        NumberFormat format,
        long from,
        long to,
        Map<Fate, Long> counts,
        long unaccounted,
        long stillIssuable,
        List<AuditStore.Gap> gaps,
        boolean truncated) {
    private static final Set<Fate> FINAL =
            EnumSet.of(Fate.CONFIRMED, Fate.RETIRED, Fate.VOID, Fate.RETURNED, Fate.NEVER_ISSUED);

    /**
     * Tells whether the range is closed for reconciliation: every value is accounted for and none will change any more. Confirmed,
     * retired and void numbers are final; so are values that were never issued and lie below where the sequence goes on.
     */
    public boolean closed() {
        return unaccounted == 0
                && stillIssuable == 0
                && counts.entrySet().stream()
                        .allMatch(count -> count.getValue() == 0 || FINAL.contains(count.getKey()));
    }

    /** Returns the fields under their names in JSON, in the order in which they are to be shown. Values are strings. */
    public Map<String, @Nullable Object> toMap() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("from", Long.toString(from));
        fields.put("to", Long.toString(to));
        fields.put("total", to - from + 1);
        Map<String, Object> byName = new LinkedHashMap<>();
        for (Fate fate : Fate.values()) {
            if (fate != Fate.UNACCOUNTED) {
                byName.put(fate.key(), counts.getOrDefault(fate, 0L));
            }
        }
        fields.put("counts", byName);
        fields.put("unaccounted", unaccounted);
        fields.put("closed", closed());
        List<Object> runs = new ArrayList<>(gaps.size());
        gaps.forEach(gap -> runs.add(gapFields(gap)));
        fields.put("gaps", runs);
        fields.put("gapsTruncated", truncated);
        return fields;
    }

    private Map<String, Object> gapFields(AuditStore.Gap gap) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("from", Long.toString(gap.from()));
        fields.put("to", Long.toString(gap.to()));
        fields.put("fromNumber", format.format(gap.from()));
        fields.put("toNumber", format.format(gap.to()));
        fields.put("states", gap.fates().stream().map(Fate::key).toList());
        return fields;
    }
}
