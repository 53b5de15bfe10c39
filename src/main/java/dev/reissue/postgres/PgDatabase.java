package dev.reissue.postgres;

import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.PreparedQuery;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A bounded pool of connections for one purpose (leases, settling, recycling, looking), every statement with a deadline, every
 * failure told as a {@link StoreException}. Any thread.
 */
public final class PgDatabase {
    private final Pool pool;
    private final long deadlineMs;

    /**
     * Opens a pool; connections are made when they are first needed.
     *
     * @param uri a {@code postgresql://} URI
     * @param purpose the application name shown in {@code pg_stat_activity}
     * @param size connections at the most
     * @param waiting callers that may wait for a connection
     * @param deadlineMs how long a statement may take, the wait for a connection included; the server ends it at the same age
     */
    public PgDatabase(Vertx vertx, String uri, String purpose, int size, int waiting, long deadlineMs) {
        PgConnectOptions options = PgConnectOptions.fromUri(uri)
                .setCachePreparedStatements(true)
                .addProperty("application_name", "reissue-" + purpose)
                .addProperty("statement_timeout", Long.toString(deadlineMs));
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

    /** Runs one statement; the future fails with a {@link StoreException} only. */
    public Future<RowSet<Row>> query(String sql, Tuple parameters) {
        return run(sql, query -> query.execute(parameters));
    }

    /** Closes the pool when the statements under way have ended. */
    public Future<Void> close() {
        return pool.close();
    }

    private Future<RowSet<Row>> run(String sql, Function<PreparedQuery<RowSet<Row>>, Future<RowSet<Row>>> call) {
        return pool.getConnection()
                .recover(e -> Future.failedFuture(new StoreException(
                        StoreException.Kind.UNAVAILABLE, "no connection to PostgreSQL: " + e.getMessage(), e)))
                .compose(connection -> call.apply(connection.preparedQuery(sql))
                        .timeout(deadlineMs, TimeUnit.MILLISECONDS)
                        .recover(e -> Future.failedFuture(translate(e)))
                        .onComplete(done -> connection.close()));
    }

    private static StoreException translate(Throwable e) {
        if (e instanceof PgException refused) {
            return new StoreException(
                    StoreException.Kind.REFUSED,
                    "PostgreSQL refused a statement: " + refused.getErrorMessage() + " (" + refused.getSqlState() + ")",
                    e);
        }
        return new StoreException(StoreException.Kind.UNKNOWN, "no answer from PostgreSQL: " + e.getMessage(), e);
    }
}
