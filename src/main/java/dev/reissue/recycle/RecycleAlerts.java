package dev.reissue.recycle;

import dev.reissue.recycle.ReleaseStore.Decided;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where somebody has to look: a metric, a log line with sequence, number and batch, and a listener (a webhook, say) for each alert. At
 * most {@link #LINES} lines an occasion, then one that tells how many more. Any thread; a listener must not block.
 */
public final class RecycleAlerts {
    /** Log lines and listener calls for one occasion. */
    public static final int LINES = 20;

    /** The retirement of a number that came back unused too often. */
    public static final String REPLAY_CAP = "replay-cap";

    private static final Logger LOG = LoggerFactory.getLogger(RecycleAlerts.class);

    private final RecycleMeter meter;
    private final Consumer<Alert> listener;

    /** Creates the alerts; the listener is told of each one. */
    public RecycleAlerts(RecycleMeter meter, Consumer<Alert> listener) {
        this.meter = meter;
        this.listener = listener;
    }

    /** What an alert is about; {@link #code()} is its stable name. */
    public enum Kind {
        /** A number became a dead letter. */
        DEAD_LETTER,
        /** A number came back unused too often and was retired. */
        HOT_NUMBER,
        /** Numbers have been waiting for a pass for too long: the scan is stuck or too slow. */
        OVERDUE;

        /** Returns the stable name, such as {@code dead-letter}. */
        public String code() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * One alert.
     *
     * @param kind what it is about
     * @param row the number, null where it is about no single one
     * @param detail the reason, or a figure with its unit
     */
    public record Alert(Kind kind, @Nullable LogRow row, String detail) {}

    /** Numbers became dead letters. */
    public void dead(List<LogRow> rows, DeadReason reason) {
        raise(Kind.DEAD_LETTER, rows, reason.code());
    }

    /** Numbers were retired; only those at the replay cap need somebody to look. */
    public void retired(List<Decided> decided) {
        raise(
                Kind.HOT_NUMBER,
                decided.stream()
                        .filter(d -> REPLAY_CAP.equals(d.retiredBecause()))
                        .map(Decided::row)
                        .toList(),
                REPLAY_CAP);
    }

    /** The oldest number that a pass should have settled is overdue by so much. */
    public void overdue(long ms) {
        meter.alert(Kind.OVERDUE.code(), 1);
        LOG.atError()
                .addKeyValue("alert", Kind.OVERDUE.code())
                .addKeyValue("overdueMs", ms)
                .log("Recycling is stuck");
        listener.accept(new Alert(Kind.OVERDUE, null, ms + " ms"));
    }

    private void raise(Kind kind, List<LogRow> rows, String reason) {
        if (rows.isEmpty()) {
            return;
        }
        meter.alert(kind.code(), rows.size());
        for (LogRow row : rows.subList(0, Math.min(LINES, rows.size()))) {
            LOG.atWarn()
                    .addKeyValue("alert", kind.code())
                    .addKeyValue("sequenceId", row.sequenceId())
                    .addKeyValue("value", row.value())
                    .addKeyValue("batchId", row.batchId())
                    .addKeyValue("generation", row.generation())
                    .addKeyValue("reason", reason)
                    .log("A number needs a look");
            listener.accept(new Alert(kind, row, reason));
        }
        if (rows.size() > LINES) {
            LOG.atWarn()
                    .addKeyValue("alert", kind.code())
                    .addKeyValue("numbers", rows.size() - LINES)
                    .addKeyValue("reason", reason)
                    .log("More numbers need a look");
        }
    }
}
