package dev.reissue.postgres;

import static dev.reissue.postgres.PgRows.ids;
import static dev.reissue.postgres.PgRows.logRow;
import static dev.reissue.postgres.PgRows.toList;
import static dev.reissue.postgres.PgRows.versions;

import dev.reissue.ledger.CounterMark;
import dev.reissue.recycle.ClaimStore;
import dev.reissue.recycle.LogRow;
import dev.reissue.recycle.PoolEntry;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Claims of replayable numbers, in PostgreSQL. Any thread. */
public final class PgClaimStore implements ClaimStore {
    private final PgDatabase database;

    /** Creates the store. */
    public PgClaimStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<List<Won>> claim(UUID owner, UUID claimId, List<PoolEntry> entries, Map<Integer, CounterMark> known) {
        Tuple parameters = Tuple.of(ids(entries), versions(entries), owner, claimId)
                .addArrayOfInteger(known.keySet().toArray(Integer[]::new))
                .addArrayOfLong(
                        known.values().stream().map(CounterMark::revision).toArray(Long[]::new))
                .addArrayOfLong(
                        known.values().stream().map(CounterMark::nextValue).toArray(Long[]::new));
        return database.query(ClaimSql.CLAIM, parameters).map(PgClaimStore::won);
    }

    @Override
    public Future<List<Won>> renew(UUID owner, UUID claimId, List<PoolEntry> held) {
        return database.query(ClaimSql.RENEW, Tuple.of(ids(held), versions(held), owner, claimId))
                .map(PgClaimStore::won);
    }

    @Override
    public Future<List<LogRow>> giveBack(UUID owner, List<PoolEntry> held, long firstLookMs) {
        return database.query(ClaimSql.GIVE_BACK, Tuple.of(owner, firstLookMs, ids(held), versions(held)))
                .map(rows -> toList(rows, PgRows::logRow));
    }

    @Override
    public Future<List<LogRow>> returnLost(UUID owner, UUID claimId, long firstLookMs) {
        return database.query(ClaimSql.RETURN_LOST, Tuple.of(owner, firstLookMs, claimId))
                .map(rows -> toList(rows, PgRows::logRow));
    }

    private static List<Won> won(RowSet<Row> rows) {
        return toList(
                rows,
                r -> new Won(
                        logRow(r),
                        r.getLong("open_max_ms"),
                        r.getLong("window_ms"),
                        new CounterMark(r.getLong("revision"), r.getLong("next_value"))));
    }
}
