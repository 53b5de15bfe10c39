package dev.reissue.postgres;

import dev.reissue.tenant.DirectoryStore;
import dev.reissue.tenant.KeyHash;
import dev.reissue.tenant.Scopes;
import dev.reissue.tenant.TenantStore;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tenants and API keys in PostgreSQL. Any thread. */
public final class PgTenantStore implements DirectoryStore, TenantStore {
    /** Keys of one tenant that count; a bound against filling, which callers at the very same moment may pass by a few. */
    static final int LIVE_KEYS_MAX = 100;

    /** All keys of one tenant, those included that ended not long ago. */
    static final int KEPT_KEYS_MAX = 1000;

    private static final int KEPT_DAYS = 30;

    private final PgDatabase database;

    /** Creates the store on a pool. */
    public PgTenantStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<Look> look() {
        return database.query(TenantSql.LOOK, Tuple.tuple()).map(rows -> {
            Row row = rows.iterator().next();
            return new Look(row.getLong("version"), row.getInteger("processes"));
        });
    }

    @Override
    public Future<List<LiveKey>> keys(String afterId, int limit) {
        return database.query(TenantSql.LIVE_KEYS, Tuple.of(afterId, limit))
                .map(rows -> all(rows, PgTenantStore::liveKey));
    }

    private static LiveKey liveKey(Row row) {
        return new LiveKey(
                row.getString("key_id"),
                new KeyHash(row.getBuffer("hash").getBytes()),
                row.getString("tenant"),
                new Scopes(row.getShort("scopes")),
                row.getLong("ends_in_ms"),
                row.getInteger("numbers_per_second"),
                row.getInteger("requests_per_second"));
    }

    @Override
    public Future<Boolean> create(String name, Terms terms) {
        return database.query(TenantSql.CREATE, terms(name, terms)).map(rows -> rows.size() == 1);
    }

    @Override
    public Future<Boolean> change(String name, long seenVersion, Terms terms) {
        return database.query(TenantSql.CHANGE, terms(name, terms).addLong(seenVersion))
                .map(rows -> rows.size() == 1);
    }

    private static Tuple terms(String name, Terms terms) {
        return Tuple.tuple()
                .addString(name)
                .addInteger(terms.sequencesMax())
                .addInteger(terms.numbersPerSecond())
                .addInteger(terms.requestsPerSecond())
                .addBoolean(terms.disabled());
    }

    @Override
    public Future<Optional<Tenant>> find(String name) {
        return database.query(TenantSql.FIND, Tuple.of(name)).map(rows -> first(rows, PgTenantStore::tenant));
    }

    @Override
    public Future<List<Tenant>> list(String afterName, int limit) {
        return database.query(TenantSql.LIST, Tuple.of(afterName, limit)).map(rows -> all(rows, PgTenantStore::tenant));
    }

    private static Tenant tenant(Row row) {
        return new Tenant(
                row.getString("name"),
                new Terms(
                        row.getInteger("sequences_max"),
                        row.getInteger("numbers_per_second"),
                        row.getInteger("requests_per_second"),
                        row.getBoolean("disabled")),
                row.getInteger("sequences"),
                row.getInteger("live_keys"),
                row.getLong("version"),
                row.getOffsetDateTime("created_at").toInstant());
    }

    @Override
    public Future<MadeKey> createKey(String tenant, NewKey key) {
        return ifRoom(tenant, () -> database.query(TenantSql.CREATE_KEY, parameters(tenant, key)));
    }

    @Override
    public Future<MadeKey> rotateKey(String tenant, String oldId, long overlapMs, NewKey key) {
        Tuple parameters = Tuple.tuple()
                .addString(tenant)
                .addString(oldId)
                .addLong(overlapMs)
                .addString(key.id())
                .addBuffer(Buffer.buffer(key.hash().toBytes()))
                .addLong(key.expiresInMs());
        return ifRoom(tenant, () -> database.query(TenantSql.ROTATE_KEY, parameters));
    }

    private Future<MadeKey> ifRoom(String tenant, Supplier<Future<RowSet<Row>>> make) {
        return database.query(TenantSql.FORGET, Tuple.of(tenant, KEPT_DAYS))
                .compose(forgotten -> database.query(TenantSql.COUNT, Tuple.of(tenant)))
                .compose(counts -> {
                    if (counts.size() == 0) {
                        return Future.succeededFuture(new MadeKey.NotFound());
                    }
                    Row row = counts.iterator().next();
                    if (row.getInteger("live") >= LIVE_KEYS_MAX) {
                        return Future.succeededFuture(new MadeKey.TooMany(LIVE_KEYS_MAX));
                    }
                    if (row.getInteger("kept") >= KEPT_KEYS_MAX) {
                        return Future.succeededFuture(new MadeKey.TooMany(KEPT_KEYS_MAX));
                    }
                    return make.get()
                            .map(made -> first(made, PgTenantStore::key)
                                    .<MadeKey>map(MadeKey.Made::new)
                                    .orElseGet(MadeKey.NotFound::new));
                });
    }

    @Override
    public Future<List<ApiKey>> keys(String tenant, String afterId, int limit) {
        return database.query(TenantSql.KEYS, Tuple.of(tenant, afterId, limit))
                .map(rows -> all(rows, PgTenantStore::key));
    }

    @Override
    public Future<Optional<ApiKey>> revokeKey(String tenant, String id) {
        return database.query(TenantSql.REVOKE_KEY, Tuple.of(tenant, id))
                .compose(revoked -> revoked.size() == 1
                        ? Future.succeededFuture(revoked)
                        : database.query(TenantSql.FIND_KEY, Tuple.of(tenant, id)))
                .map(rows -> first(rows, PgTenantStore::key));
    }

    @Override
    public Future<Optional<ApiKey>> bootstrap(String tenant, NewKey key) {
        return database.query(TenantSql.BOOTSTRAP, parameters(tenant, key))
                .compose(made -> database.query(
                        TenantSql.FIND_BY_HASH,
                        Tuple.of(tenant, key.id(), Buffer.buffer(key.hash().toBytes()))))
                .map(rows -> first(rows, PgTenantStore::key));
    }

    private static Tuple parameters(String tenant, NewKey key) {
        return Tuple.tuple()
                .addString(tenant)
                .addString(key.id())
                .addBuffer(Buffer.buffer(key.hash().toBytes()))
                .addShort((short) key.scopes().bits())
                .addString(key.note())
                .addLong(key.expiresInMs());
    }

    private static ApiKey key(Row row) {
        return new ApiKey(
                row.getString("key_id"),
                row.getString("tenant"),
                new Scopes(row.getShort("scopes")),
                row.getString("note"),
                row.getOffsetDateTime("created_at").toInstant(),
                instant(row.getOffsetDateTime("not_after")),
                instant(row.getOffsetDateTime("revoked_at")),
                KeyState.valueOf(row.getString("state")));
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }

    private static <T> List<T> all(RowSet<Row> rows, Function<Row, T> read) {
        List<T> all = new ArrayList<>(rows.size());
        rows.forEach(row -> all.add(read.apply(row)));
        return all;
    }

    private static <T> Optional<T> first(RowSet<Row> rows, Function<Row, T> read) {
        if (rows.size() > 1) {
            throw new IllegalStateException(rows.size() + " rows answer to one name or id");
        }
        return rows.size() == 0
                ? Optional.empty()
                : Optional.of(read.apply(rows.iterator().next()));
    }
}
