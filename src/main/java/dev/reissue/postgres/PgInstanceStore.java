package dev.reissue.postgres;

import dev.reissue.ledger.InstanceStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/** Instances and their leases, each call one or two statements. Any thread. */
public final class PgInstanceStore implements InstanceStore {
    private final PgDatabase database;

    /** Creates a store on a pool that nothing slow shares. */
    public PgInstanceStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<Void> register(UUID instanceId, String host, long leaseMs) {
        return database.query(InstanceSql.REGISTER, Tuple.of(instanceId, host, leaseMs))
                .mapEmpty();
    }

    @Override
    public Future<Boolean> renew(UUID instanceId, long leaseMs) {
        return database.query(InstanceSql.RENEW, Tuple.of(instanceId, leaseMs)).map(rows -> rows.size() == 1);
    }

    @Override
    public Future<Void> release(UUID instanceId) {
        return database.query(InstanceSql.RELEASE, Tuple.of(instanceId)).mapEmpty();
    }

    @Override
    public Future<Reaped> reap(int limit) {
        return database.query(InstanceSql.ADOPT_ORPHANS, Tuple.tuple())
                .compose(adopted -> database.query(InstanceSql.REAP, Tuple.of(limit)))
                .map(rows -> {
                    var row = rows.iterator().next();
                    return new Reaped((int) row.getLong(0).longValue(), (int)
                            row.getLong(1).longValue());
                });
    }
}
