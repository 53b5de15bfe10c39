package dev.reissue.postgres;

import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A bounded pool of connections for one purpose (leases, settling, recycling, looking), every statement with a deadline, every
 * failure told as a {@link StoreException}. Any thread.
 *
 * <p>A connection goes back to the pool only after an answer that proves it to be good. One that has not answered in time, that
 * the server is closing, or that turned out to be read-only is cut, so that the next statement gets a new one.
 */
public final class PgDatabase {
    /**
     * For statements that find every row by a key. Their plan does not depend on what the parameters are, so planning each call anew
     * costs more than running it; and a plan that was made while a table was small must not scan it when it has grown.
     */
    private static final Map<String, String> KEYED = Map.of(
            "plan_cache_mode", "force_generic_plan",
            "enable_seqscan", "off",
            "enable_hashjoin", "off",
            "enable_mergejoin", "off",
            "jit", "off");

    /** Longer statements than the client's default of 2,048 characters are worth keeping prepared, ours above all. */
    private static final int PREPARED_LENGTH_MAX = 64 * 1024;

    private final Pool pool;
    private final long deadlineMs;

    /**
     * Opens a pool; connections are made when they are first needed. Plans are made for each call, as PostgreSQL thinks best.
     *
     * @param uri a {@code postgresql://} URI
     * @param purpose the application name shown in {@code pg_stat_activity}
     * @param size connections at the most
     * @param waiting callers that may wait for a connection
     * @param deadlineMs how long a call may wait for a connection, and then how long its statement may take; the server ends a
     *     statement at the same age
     */
    public PgDatabase(Vertx vertx, String uri, String purpose, int size, int waiting, long deadlineMs) {
        this(vertx, uri, purpose, size, waiting, deadlineMs, Map.of());
    }

    /** Opens a pool like the constructor, for statements that find every row by a key: planned once a connection. */
    public static PgDatabase keyed(Vertx vertx, String uri, String purpose, int size, int waiting, long deadlineMs) {
        return new PgDatabase(vertx, uri, purpose, size, waiting, deadlineMs, KEYED);
    }

    private PgDatabase(
            Vertx vertx,
            String uri,
            String purpose,
            int size,
            int waiting,
            long deadlineMs,
            Map<String, String> planner) {
        PgConnectOptions options = PgUri.parse(uri)
                .setCachePreparedStatements(true)
                .setPreparedStatementCacheSqlFilter(sql -> sql.length() <= PREPARED_LENGTH_MAX)
                .addProperty("application_name", "reissue-" + purpose)
                // An answer promises that its commit survives a crash, whatever the server's default is.
                .addProperty("synchronous_commit", "on")
                .addProperty("statement_timeout", Long.toString(deadlineMs));
        planner.forEach(options::addProperty);
        PoolOptions poolOptions = new PoolOptions()
                .setName(purpose)
                .setMaxSize(size)
                .setMaxWaitQueueSize(waiting)
                .setConnectionTimeout((int) deadlineMs)
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                .setMaxLifetime(30)
                .setMaxLifetimeUnit(TimeUnit.MINUTES);
        this.pool = PgBuilder.pool()
                .with(poolOptions)
                .with(new NetClientOptions().setConnectTimeout((int) deadlineMs))
                .connectingTo(options)
                .using(vertx)
                .build();
        this.deadlineMs = deadlineMs;
    }

    /** Runs one statement; the future fails with a {@link StoreException} only, at the latest after twice the deadline. */
    public Future<RowSet<Row>> query(String sql, Tuple parameters) {
        return pool.getConnection()
                .recover(e -> Future.failedFuture(
                        new StoreException(Kind.UNAVAILABLE, "no connection to PostgreSQL: " + e.getMessage(), e)))
                .compose(connection -> run(connection, sql, parameters));
    }

    /** Returns how long a statement may take, which is also the age at which the server ends it. */
    public long deadlineMs() {
        return deadlineMs;
    }

    /** Closes the pool when the statements under way have ended. */
    public Future<Void> close() {
        return pool.close();
    }

    private Future<RowSet<Row>> run(SqlConnection connection, String sql, Tuple parameters) {
        return connection
                .preparedQuery(sql)
                .execute(parameters)
                .timeout(deadlineMs, TimeUnit.MILLISECONDS)
                .transform(done -> {
                    if (done.succeeded()) {
                        connection.close();
                        return Future.succeededFuture(done.result());
                    }
                    PgFault fault = PgFault.of(done.cause());
                    if (fault.connectionIsGood()) {
                        connection.close();
                    } else {
                        PhysicalConnection.cut(connection);
                    }
                    return Future.failedFuture(fault.toException());
                });
    }
}
