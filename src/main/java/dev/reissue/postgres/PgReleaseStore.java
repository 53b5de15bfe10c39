package dev.reissue.postgres;

import static dev.reissue.postgres.PgRows.ids;
import static dev.reissue.postgres.PgRows.logRow;
import static dev.reissue.postgres.PgRows.sequences;
import static dev.reissue.postgres.PgRows.toList;
import static dev.reissue.postgres.PgRows.versions;

import dev.reissue.recycle.LogRow;
import dev.reissue.recycle.PoolEntry;
import dev.reissue.recycle.ProbeStore;
import dev.reissue.recycle.ReleaseStore;
import dev.reissue.recycle.ScanScope;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/** Abandoned numbers whose safety window is over, in PostgreSQL. Any thread. */
public final class PgReleaseStore implements ReleaseStore, ProbeStore {
    private final PgDatabase database;

    /** Creates the store. */
    public PgReleaseStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<List<Decided>> release(ScanScope scope, int rows, long firstLookMs) {
        return database.query(ReleaseSql.RELEASE, Tuple.of(rows, sequences(scope), firstLookMs))
                .map(PgReleaseStore::decided);
    }

    @Override
    public Future<List<Decided>> releaseUnused(List<PoolEntry> rows, long firstLookMs) {
        return rows.isEmpty()
                ? Future.succeededFuture(List.of())
                : database.query(ReleaseSql.RELEASE_UNUSED, Tuple.of(ids(rows), versions(rows), firstLookMs))
                        .map(PgReleaseStore::decided);
    }

    @Override
    public Future<List<Question>> take(ScanScope scope, int rows, List<String> notNow, Backoff backoff) {
        return database.query(
                        ReleaseSql.TAKE_FOR_PROBE,
                        Tuple.of(
                                rows,
                                sequences(scope),
                                notNow.toArray(String[]::new),
                                backoff.firstDelayMs(),
                                backoff.maxDelayMs(),
                                backoff.maxTries()))
                .map(found -> toList(
                        found,
                        r -> new Question(
                                logRow(r),
                                r.getString("name"),
                                r.getString("format"),
                                r.getString("probe_url"),
                                r.getInteger("probe_attempts"))));
    }

    @Override
    public Future<Integer> confirmUsed(List<PoolEntry> rows) {
        return rows.isEmpty()
                ? Future.succeededFuture(0)
                : database.query(ReleaseSql.CONFIRM_USED, Tuple.of(ids(rows), (Object) versions(rows)))
                        .map(PgRows::numbers);
    }

    @Override
    public Future<List<LogRow>> askedInVain(ScanScope scope, int rows, Backoff backoff) {
        return database.query(ReleaseSql.ASKED_IN_VAIN, Tuple.of(rows, sequences(scope), backoff.maxTries()))
                .map(found -> toList(found, PgRows::logRow));
    }

    private static List<Decided> decided(RowSet<Row> rows) {
        return toList(rows, r -> new Decided(logRow(r), r.getString("retired")));
    }
}
