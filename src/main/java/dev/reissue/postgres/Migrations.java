package dev.reissue.postgres;

import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.ssl.DefaultJavaSSLFactory;

/**
 * The schema: brought to the version that this program was built with, on a worker thread, and checked for readiness. Several
 * processes may start at once; one of them does it. Any thread.
 */
public final class Migrations {
    /** The newest migration of this program. Said here too, since to ask Flyway takes a good part of a start. */
    static final String VERSION = "10";

    private static final String SERVER = "select current_setting('server_version_num')::int4";

    private static final String HAS_VERSION =
            SERVER + ", exists (select from flyway_schema_history where success and version = $1::text)";

    private final Vertx vertx;
    private final DataSource source;

    /**
     * Creates the migrations of a database.
     *
     * @param uri the {@code postgresql://} URI of a user who may create tables
     */
    public Migrations(Vertx vertx, String uri) {
        this.vertx = vertx;
        this.source = dataSource(uri);
    }

    /**
     * Brings the schema to the version of this program, on a server that can be trusted with it.
     *
     * @return fails with a {@link StoreException}, of {@link Kind#UNAVAILABLE} where there was no connection
     */
    public Future<Void> migrate() {
        return vertx.executeBlocking(
                () -> {
                    try {
                        checkServer();
                        Flyway.configure()
                                .dataSource(source)
                                .validateMigrationNaming(true)
                                .load()
                                .migrate();
                        return null;
                    } catch (FlywayException e) {
                        throw fault(e);
                    }
                },
                false);
    }

    private void checkServer() {
        try (Connection c = source.getConnection();
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery(SERVER)) {
            r.next();
            ServerVersion.check(r.getInt(1));
        } catch (SQLException e) {
            throw new StoreException(Kind.UNAVAILABLE, "cannot ask PostgreSQL for its version: " + e.getMessage(), e);
        }
    }

    /**
     * Tells whether the schema has the version of this program (or is newer, in a rolling upgrade). Fails with a {@link StoreException},
     * also where the server cannot be trusted with it: it may have been replaced under a schema that is there.
     */
    public Future<Boolean> isCurrent(PgDatabase database) {
        return database.query(HAS_VERSION, Tuple.of(VERSION)).map(rows -> {
            Row row = PgRows.only(rows);
            ServerVersion.check(row.getInteger(0));
            return row.getBoolean(1);
        });
    }

    private static StoreException fault(FlywayException e) {
        boolean away = false;
        for (Throwable cause = e; cause != null && !away; cause = cause.getCause()) {
            away = cause instanceof SQLException sql && lostConnection(sql.getSQLState());
        }
        return new StoreException(
                away ? Kind.UNAVAILABLE : Kind.REFUSED, "cannot migrate the schema: " + e.getMessage(), e);
    }

    /** Connections that cannot be made or break (class 08), and a server that starts or shuts down (57P01 to 57P03). */
    private static boolean lostConnection(@Nullable String sqlState) {
        return sqlState != null && (sqlState.startsWith("08") || sqlState.startsWith("57P0"));
    }

    private static DataSource dataSource(String uri) {
        PgConnectOptions options = PgUri.parse(uri);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setSslMode(options.getSslMode().value);
        String trusted = PgUri.rootCertificate(uri);
        if (trusted != null) {
            source.setSslRootCert(trusted);
        } else {
            source.setSslfactory(DefaultJavaSSLFactory.class.getName());
        }
        source.setServerNames(new String[] {options.getHost()});
        source.setPortNumbers(new int[] {options.getPort()});
        source.setDatabaseName(options.getDatabase());
        source.setUser(options.getUser());
        source.setPassword(options.getPassword());
        source.setApplicationName("reissue-migrations");
        source.setConnectTimeout(5);
        return source;
    }
}
