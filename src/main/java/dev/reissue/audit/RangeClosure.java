package dev.reissue.audit;

import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The use case that counts what became of a range of values, so that reconciliation can close it. Any thread; fails as the store
 * fails.
 *
 * <p>The counts come from where each fate is recorded: rows, bits, returned and skipped ranges, the counter. What is left of the
 * range's width after all of them is unaccounted, and has to be 0.
 */
public final class RangeClosure {
    /** The most values of one closure. */
    public static final long MAX_SPAN = 10_000_000;

    /** The most gaps of one closure. */
    public static final int MAX_GAPS = 10_000;

    private static final String NO_PERIOD = "";
    private static final int MAX_DIGITS = 18;
    private static final long NONE = -1;

    private final AuditStore store;

    /** Creates the use case. */
    public RangeClosure(AuditStore store) {
        this.store = store;
    }

    /**
     * Counts a range, ends included. Both are given as numbers of the sequence or, where that cannot be, as plain values.
     *
     * @param from the first, null for the sequence's first
     * @param to the last, null for the last that was leased
     */
    public Future<ClosureResult> close(SequenceDefinition sequence, @Nullable String from, @Nullable String to) {
        long first = from == null ? sequence.first() : value(sequence.format(), from);
        if (first == NONE) {
            return invalid("from", neither(from));
        }
        if (to == null) {
            return store.highWater(sequence.id(), NO_PERIOD)
                    .compose(next -> close(sequence, first, Math.max(next - 1, first - 1)));
        }
        long last = value(sequence.format(), to);
        if (last == NONE) {
            return invalid("to", neither(to));
        }
        return last < first
                ? invalid("to", "the range ends at " + last + ", before it begins at " + first)
                : close(sequence, first, last);
    }

    private Future<ClosureResult> close(SequenceDefinition sequence, long from, long to) {
        long span = to - from + 1;
        if (span > MAX_SPAN) {
            return invalid("to", "a closure has at most " + MAX_SPAN + " values, not " + span);
        }
        if (span == 0) {
            return Future.succeededFuture(new ClosureResult.Counted(
                    new ClosureReport(sequence.format(), from, to, new EnumMap<>(Fate.class), 0, 0, List.of(), false)));
        }
        return store.range(sequence.id(), NO_PERIOD, from, to, MAX_GAPS + 1)
                .map(facts -> new ClosureResult.Counted(report(sequence.format(), from, to, facts)));
    }

    private static ClosureReport report(NumberFormat format, long from, long to, AuditStore.RangeFacts facts) {
        long explained = 0;
        for (Map.Entry<Fate, Long> count : facts.counts().entrySet()) {
            explained += count.getValue();
        }
        boolean truncated = facts.gaps().size() > MAX_GAPS;
        List<AuditStore.Gap> gaps = truncated ? facts.gaps().subList(0, MAX_GAPS) : facts.gaps();
        return new ClosureReport(
                format,
                from,
                to,
                facts.counts(),
                to - from + 1 - explained,
                facts.stillIssuable(),
                List.copyOf(gaps),
                truncated);
    }

    private static long value(NumberFormat format, String text) {
        long value = format.parseValue(text);
        if (value >= 0) {
            return value;
        }
        boolean digits =
                !text.isEmpty() && text.length() <= MAX_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits ? Long.parseLong(text) : NONE;
    }

    private static String neither(@Nullable String text) {
        return "\"" + text + "\" is neither a number of this sequence nor a value";
    }

    private static Future<ClosureResult> invalid(String parameter, String message) {
        return Future.succeededFuture(new ClosureResult.Invalid(parameter, message));
    }
}
