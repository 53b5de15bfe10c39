package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.postgres.PgDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * The pools of connections to PostgreSQL, one a purpose, so that a scan or a long lookup never stands in the way of a lease.
 *
 * @param lease leases of batches, seals, the lease of the instance
 * @param settle confirms, abandons and voids
 * @param query lookups, closures, definitions
 * @param recycle scans
 * @param access API keys: on a connection of its own, so that no tenant's look-ups keep a revocation from being heard of
 */
record Databases(PgDatabase lease, PgDatabase settle, PgDatabase query, PgDatabase recycle, PgDatabase access) {
    private static final int ACCESS_WAITING = 10;

    static Databases open(Vertx vertx, Config.Postgres settings) {
        String uri = settings.uri().reveal();
        return new Databases(
                keyed(vertx, uri, "lease", settings.lease()),
                keyed(vertx, uri, "settle", settings.settle()),
                open(vertx, uri, "query", settings.query()),
                open(vertx, uri, "recycle", settings.recycle()),
                open(
                        vertx,
                        uri,
                        "access",
                        new Config.Pool(1, ACCESS_WAITING, settings.query().deadlineMs())));
    }

    Future<Void> close() {
        return Future.join(lease.close(), settle.close(), query.close(), recycle.close(), access.close())
                .mapEmpty();
    }

    private static PgDatabase open(Vertx vertx, String uri, String purpose, Config.Pool pool) {
        return new PgDatabase(vertx, uri, purpose, pool.size(), pool.queueMax(), pool.deadlineMs());
    }

    private static PgDatabase keyed(Vertx vertx, String uri, String purpose, Config.Pool pool) {
        return PgDatabase.keyed(vertx, uri, purpose, pool.size(), pool.queueMax(), pool.deadlineMs());
    }
}
