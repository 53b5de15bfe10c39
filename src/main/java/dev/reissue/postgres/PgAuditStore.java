package dev.reissue.postgres;

import dev.reissue.audit.AuditStore;
import dev.reissue.audit.Fate;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the ledger in PostgreSQL for an audit. Any thread. */
public final class PgAuditStore implements AuditStore {
    private final PgDatabase database;

    /** Creates the store on a pool. */
    public PgAuditStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<NumberFacts> number(int sequenceId, String period, long value, int events) {
        return database.query(AuditSql.NUMBER, Tuple.of(sequenceId, period, value, events))
                .map(rows -> facts(single(rows)));
    }

    @Override
    public Future<Long> highWater(int sequenceId, String period) {
        return database.query(AuditSql.HIGH_WATER, Tuple.of(sequenceId, period))
                .map(rows -> single(rows).getLong("next_value"));
    }

    @Override
    public Future<RangeFacts> range(int sequenceId, String period, long from, long to, int gaps) {
        return database.query(AuditSql.RANGE, Tuple.of(sequenceId, period, from, to, gaps))
                .map(rows -> rangeFacts(single(rows)));
    }

    private static Row single(RowSet<Row> rows) {
        if (rows.size() != 1) {
            throw new IllegalStateException("the sequence has " + rows.size() + " rows and not one");
        }
        return rows.iterator().next();
    }

    private static NumberFacts facts(Row row) {
        return new NumberFacts(
                batch(row),
                row.getInteger("status") == null ? null : numberRow(row),
                row.getString("dead_reason") == null
                        ? null
                        : new DeadFacts(row.getString("dead_reason"), at(row, "dead_time")),
                row.getBoolean("returned"),
                row.getBoolean("skipped"),
                row.getLong("first"),
                row.getLong("next_value"),
                history(row));
    }

    private static @Nullable BatchFacts batch(Row row) {
        return row.getLong("batch_id") == null
                ? null
                : new BatchFacts(
                        row.getLong("batch_id"),
                        row.getLong("lo"),
                        row.getLong("hi"),
                        BatchStatus.ofCode(row.getInteger("batch_status")),
                        row.getLong("issued_to"),
                        at(row, "opened_at"),
                        maybeAt(row, "sealed_at"),
                        maybeAt(row, "batch_due_at"),
                        row.getBoolean("suspect"),
                        row.getBoolean("confirmed"),
                        row.getBoolean("abandoned"));
    }

    private static RowFacts numberRow(Row row) {
        return new RowFacts(
                Fate.ofCode(row.getInteger("status")),
                row.getLong("row_batch_id"),
                row.getInteger("generation"),
                row.getInteger("holder_generation"),
                row.getString("biz_key"),
                row.getBoolean("explicit"),
                row.getString("abandon_reason"),
                maybeAt(row, "issued_time"),
                maybeAt(row, "abandoned_time"),
                maybeAt(row, "replay_deadline"),
                maybeAt(row, "due_at"),
                row.getInteger("replay_times"),
                row.getLong("version"),
                at(row, "changed_at"),
                row.getString("settled_by"),
                row.getString("trace_id"));
    }

    private static List<Event> history(Row row) {
        OffsetDateTime[] at = row.getArrayOfOffsetDateTimes("at");
        if (at == null) {
            return List.of();
        }
        Short[] from = row.getArrayOfShorts("from_status");
        Short[] to = row.getArrayOfShorts("to_status");
        Integer[] generation = row.getArrayOfIntegers("event_generation");
        String[] reason = row.getArrayOfStrings("reason");
        String[] actor = row.getArrayOfStrings("actor");
        String[] traceId = row.getArrayOfStrings("event_trace_id");
        List<Event> history = new ArrayList<>(at.length);
        for (int i = 0; i < at.length; i++) {
            history.add(new Event(
                    at[i].toInstant(),
                    from[i] == null ? null : Fate.ofCode(from[i]),
                    Fate.ofCode(to[i]),
                    generation[i],
                    reason[i],
                    actor[i],
                    traceId[i]));
        }
        return history;
    }

    private static RangeFacts rangeFacts(Row row) {
        Map<Fate, Long> counts = new EnumMap<>(Fate.class);
        counts.put(Fate.ALLOCATED, row.getLong("row_allocated") + row.getLong("bit_allocated"));
        counts.put(Fate.CONFIRMED, row.getLong("row_confirmed") + row.getLong("bit_confirmed"));
        counts.put(Fate.ABANDONED, row.getLong("abandoned"));
        counts.put(Fate.REPLAYABLE, row.getLong("replayable"));
        counts.put(Fate.REPLAYED, row.getLong("replayed"));
        counts.put(Fate.RETIRED, row.getLong("retired"));
        counts.put(Fate.VOID, row.getLong("void"));
        counts.put(Fate.DEAD, row.getLong("dead"));
        counts.put(Fate.LEASED, row.getLong("leased"));
        counts.put(Fate.RETURNED, row.getLong("returned"));
        counts.put(Fate.NEVER_ISSUED, row.getLong("skipped") + row.getLong("before_first") + row.getLong("ahead"));
        return new RangeFacts(counts, row.getLong("returned_live") + row.getLong("ahead"), gaps(row));
    }

    private static List<Gap> gaps(Row row) {
        Long[] lo = row.getArrayOfLongs("gap_lo");
        if (lo == null) {
            return List.of();
        }
        Long[] hi = row.getArrayOfLongs("gap_hi");
        Integer[] masks = row.getArrayOfIntegers("gap_fates");
        List<Gap> gaps = new ArrayList<>(lo.length);
        for (int i = 0; i < lo.length; i++) {
            List<Fate> fates = new ArrayList<>(2);
            for (Fate fate : Fate.values()) {
                if ((masks[i] & 1 << fate.code()) != 0) {
                    fates.add(fate);
                }
            }
            gaps.add(new Gap(lo[i], hi[i], fates));
        }
        return gaps;
    }

    private static Instant at(Row row, String column) {
        return row.getOffsetDateTime(column).toInstant();
    }

    private static @Nullable Instant maybeAt(Row row, String column) {
        OffsetDateTime at = row.getOffsetDateTime(column);
        return at == null ? null : at.toInstant();
    }
}
