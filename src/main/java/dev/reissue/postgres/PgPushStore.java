package dev.reissue.postgres;

import static dev.reissue.postgres.PgRows.ids;
import static dev.reissue.postgres.PgRows.logRow;
import static dev.reissue.postgres.PgRows.only;
import static dev.reissue.postgres.PgRows.sequences;
import static dev.reissue.postgres.PgRows.toList;
import static dev.reissue.postgres.PgRows.versions;

import dev.reissue.ledger.NumberState;
import dev.reissue.recycle.DeadLetterStore;
import dev.reissue.recycle.DeadReason;
import dev.reissue.recycle.LogRow;
import dev.reissue.recycle.PoolEntry;
import dev.reissue.recycle.PushStore;
import dev.reissue.recycle.ScanScope;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/** Replayable numbers that nobody claimed, and dead letters, in PostgreSQL. Any thread. */
public final class PgPushStore implements PushStore, DeadLetterStore {
    private final PgDatabase database;

    /** Creates the store. */
    public PgPushStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<List<Unclaimed>> unclaimed(ScanScope scope, int rows) {
        return database.query(PushSql.UNCLAIMED, Tuple.of(rows, sequences(scope)))
                .map(found -> toList(
                        found,
                        r -> new Unclaimed(
                                logRow(r),
                                r.getInteger("push_attempts"),
                                r.getBoolean("pushed"),
                                r.getBoolean("recycle"))));
    }

    @Override
    public Future<Integer> retireSuspect(ScanScope scope, int rows) {
        return database.query(PushSql.RETIRE_SUSPECT, Tuple.of(rows, sequences(scope)))
                .map(found -> only(found).getInteger("numbers"));
    }

    @Override
    public Future<List<PoolEntry>> reschedule(List<Look> looks) {
        if (looks.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        Tuple parameters = Tuple.of(
                looks.stream().map(l -> l.entry().id()).toArray(Long[]::new),
                looks.stream().map(l -> l.entry().version()).toArray(Long[]::new),
                looks.stream().map(Look::failures).toArray(Integer[]::new),
                looks.stream().map(Look::pushed).toArray(Boolean[]::new),
                looks.stream().map(Look::delayMs).toArray(Long[]::new));
        return database.query(PushSql.RESCHEDULE, parameters)
                .map(rows -> toList(rows, r -> new PoolEntry(r.getLong("id"), r.getLong("version"))));
    }

    @Override
    public Future<Integer> notPushed(List<PoolEntry> entries, boolean refused, long delayMs) {
        return database.query(PushSql.NOT_PUSHED, Tuple.of(ids(entries), versions(entries), refused ? 1 : 0, delayMs))
                .map(PgRows::numbers);
    }

    @Override
    public Future<List<LogRow>> bury(List<PoolEntry> rows, NumberState from, DeadReason reason) {
        return rows.isEmpty()
                ? Future.succeededFuture(List.of())
                : database.query(PushSql.BURY, Tuple.of(ids(rows), versions(rows), (short) from.code(), reason.code()))
                        .map(found -> toList(found, PgRows::logRow));
    }

    @Override
    public Future<List<Letter>> list(Filter filter, long afterId, int limit) {
        return database.query(PushSql.LIST_DEAD, chosen(filter, afterId, limit))
                .map(rows -> toList(rows, PgPushStore::letter));
    }

    @Override
    public Future<Page> redrive(Filter filter, long afterId, int limit, String actor) {
        return database.query(PushSql.REDRIVE, chosen(filter, afterId, limit).addString(actor))
                .map(rows -> {
                    Row r = only(rows);
                    int redriven = r.getInteger("numbers");
                    return new Page(redriven, redriven < limit ? 0 : r.getLong("last"));
                });
    }

    private static Tuple chosen(Filter filter, long afterId, int limit) {
        DeadReason reason = filter.reason();
        List<Long> ids = filter.ids();
        return Tuple.of(
                filter.tenant(),
                filter.sequence(),
                reason == null ? null : reason.code(),
                ids == null ? null : ids.toArray(Long[]::new),
                afterId,
                limit);
    }

    private static Letter letter(Row r) {
        return new Letter(
                logRow(r),
                r.getString("tenant"),
                r.getString("name"),
                r.getString("format"),
                r.getInteger("holder_generation"),
                r.getInteger("push_attempts"),
                r.getInteger("probe_attempts"),
                DeadReason.ofCode(r.getString("dead_reason")),
                r.getOffsetDateTime("dead_time"));
    }
}
