package dev.reissue.postgres;

import static dev.reissue.postgres.PgRows.only;
import static dev.reissue.postgres.PgRows.sequences;
import static dev.reissue.postgres.PgRows.toList;

import dev.reissue.recycle.CloseStore;
import dev.reissue.recycle.ExpireStore;
import dev.reissue.recycle.MemberReport.Backlog;
import dev.reissue.recycle.ScanScope;
import dev.reissue.recycle.WatchStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The scans over batches and due dates, in PostgreSQL. Any thread. */
public final class PgScanStore implements ExpireStore, CloseStore, WatchStore {
    /** Batches that one statement looks at; most of them have few unsettled numbers. */
    private static final int CANDIDATES = 200;

    private static final OffsetDateTime FIRST = OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private final PgDatabase database;

    /** Creates the store. */
    public PgScanStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<Expired> expireBatches(ScanScope scope, int rows) {
        return database.query(ScanSql.EXPIRE_BATCHES, Tuple.of(rows, CANDIDATES, sequences(scope)))
                .map(PgRows::only)
                .map(r -> new Expired(r.getInteger("batches"), r.getInteger("numbers"), r.getInteger("closed")));
    }

    @Override
    public Future<Integer> expireReissued(ScanScope scope, int rows) {
        return database.query(ScanSql.EXPIRE_REISSUED, Tuple.of(rows, sequences(scope)))
                .map(PgRows::numbers);
    }

    @Override
    public Future<Closed> close(ScanScope scope, @Nullable String after, int batches) {
        int at = after == null ? -1 : after.indexOf('/');
        OffsetDateTime due = after == null ? FIRST : OffsetDateTime.parse(after.substring(0, at));
        long batch = after == null ? 0 : Long.parseLong(after.substring(at + 1));
        return database.query(ScanSql.CLOSE, Tuple.of(batches, due, batch, sequences(scope)))
                .map(rows -> {
                    Row r = only(rows);
                    int seen = r.getInteger("seen");
                    String last =
                            seen < batches ? null : r.getOffsetDateTime("last_due") + "/" + r.getLong("last_batch");
                    return new Closed(seen, r.getInteger("closed"), last);
                });
    }

    @Override
    public Future<View> look(long bound) {
        return database.query(ScanSql.LOOK, Tuple.of(bound))
                .map(PgRows::only)
                .map(r -> new View(
                        r.getLong("overdue_ms"),
                        r.getLong("cooling"),
                        r.getLong("replayable"),
                        r.getLong("dead"),
                        List.of(r.getArrayOfIntegers("pooled"))));
    }

    @Override
    public Future<List<Backlog>> backlogs(ScanScope scope, int bound) {
        return database.query(ScanSql.BACKLOGS, Tuple.of(bound, sequences(scope)))
                .map(found -> toList(
                        found,
                        r -> new Backlog(
                                r.getInteger("sequence_id"),
                                r.getLong("cooling"),
                                r.getLong("cooling_ms"),
                                r.getLong("unsettled"),
                                r.getLong("unsettled_ms"))));
    }
}
