package dev.reissue.recycle;

import dev.reissue.recycle.ReleaseStore.Decided;
import dev.reissue.recycle.SequenceNames.Named;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where somebody has to look: a metric, a log line with sequence, number and batch, and a listener (a webhook, say) for each alert. At
 * most {@link #LINES} lines an occasion, then one that tells how many more. Any thread; a listener must not block.
 *
 * <p>The metric is counted at once, line and listener follow when the names of the sequences are known: a pass never waits for that.
 * Where they cannot be read, the alert goes out with ids alone.
 */
public final class RecycleAlerts {
    /** Log lines and listener calls for one occasion. */
    public static final int LINES = 20;

    /** The retirement of a number that came back unused too often. */
    public static final String REPLAY_CAP = "replay-cap";

    /** The reason of an alert about numbers that wait for a pass. */
    public static final String STUCK = "stuck";

    private static final Logger LOG = LoggerFactory.getLogger(RecycleAlerts.class);

    private final RecycleMeter meter;
    private final SequenceNames names;
    private final Consumer<Alert> listener;
    private final Map<Integer, Named> known = new ConcurrentHashMap<>();

    /** Creates the alerts; the listener is told of each one. */
    public RecycleAlerts(RecycleMeter meter, SequenceNames names, Consumer<Alert> listener) {
        this.meter = meter;
        this.names = names;
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
     * @param subject the number, null where it is about no single one
     * @param reason why, by a stable name
     * @param detail the reason, or a figure with its unit
     */
    public record Alert(Kind kind, @Nullable Subject subject, String reason, String detail) {}

    /**
     * The number that an alert is about.
     *
     * @param row its row
     * @param tenant whose it is, null where the sequence's name is not known
     * @param sequence the sequence's name, likewise
     * @param number the number as callers see it, likewise
     */
    public record Subject(
            LogRow row,
            @Nullable String tenant,
            @Nullable String sequence,
            @Nullable String number) {
        static Subject of(LogRow row, @Nullable Named named) {
            return named == null
                    ? new Subject(row, null, null, null)
                    : new Subject(
                            row, named.tenant(), named.name(), named.format().format(row.value()));
        }
    }

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
        meter.alert(Kind.OVERDUE.code(), STUCK, 1);
        LOG.atError()
                .addKeyValue("alert", Kind.OVERDUE.code())
                .addKeyValue("overdueMs", ms)
                .log("Recycling is stuck");
        listener.accept(new Alert(Kind.OVERDUE, null, STUCK, ms + " ms"));
    }

    private void raise(Kind kind, List<LogRow> rows, String reason) {
        if (rows.isEmpty()) {
            return;
        }
        meter.alert(kind.code(), reason, rows.size());
        List<LogRow> shown = rows.subList(0, Math.min(LINES, rows.size()));
        learn(shown).onSuccess(learnt -> {
            shown.forEach(row -> tell(kind, Subject.of(row, known.get(row.sequenceId())), reason));
            if (rows.size() > LINES) {
                LOG.atWarn()
                        .addKeyValue("alert", kind.code())
                        .addKeyValue("numbers", rows.size() - LINES)
                        .addKeyValue("reason", reason)
                        .log("More numbers need a look");
            }
        });
    }

    private void tell(Kind kind, Subject subject, String reason) {
        LogRow row = subject.row();
        LOG.atWarn()
                .addKeyValue("alert", kind.code())
                .addKeyValue("sequence", subject.sequence())
                .addKeyValue("number", subject.number())
                .addKeyValue("sequenceId", row.sequenceId())
                .addKeyValue("value", row.value())
                .addKeyValue("batchId", row.batchId())
                .addKeyValue("generation", row.generation())
                .addKeyValue("reason", reason)
                .log("A number needs a look");
        listener.accept(new Alert(kind, subject, reason, reason));
    }

    /** Reads the names of those sequences of these rows that are not known yet; never fails. */
    private Future<Void> learn(List<LogRow> rows) {
        Set<Integer> unknown = rows.stream()
                .map(LogRow::sequenceId)
                .filter(id -> !known.containsKey(id))
                .collect(Collectors.toSet());
        if (unknown.isEmpty()) {
            return Future.succeededFuture();
        }
        return names.named(unknown).onSuccess(known::putAll).<Void>mapEmpty().otherwiseEmpty();
    }
}
