package dev.reissue.app;

import dev.reissue.config.Config;
import io.vertx.pgclient.PgConnectOptions;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the database's schema to what this build expects, or refuses to start. Blocks. */
final class Schema {
    private static final Logger LOG = LoggerFactory.getLogger(Schema.class);
    private static final int CONNECT_TIMEOUT_S = 5;

    private Schema() {}

    /**
     * Migrates, where that is allowed, and checks.
     *
     * @return the version of the schema
     */
    static String bringUp(Config.Postgres settings) {
        try {
            Flyway flyway = Flyway.configure()
                    .dataSource(dataSource(settings.uri().reveal()))
                    .connectRetries((int) TimeUnit.MILLISECONDS.toSeconds(settings.startWaitMs()))
                    .connectRetriesInterval(1)
                    .load();
            if (settings.migrate()) {
                int migrations = flyway.migrate().migrationsExecuted;
                LOG.atInfo().addKeyValue("migrations", migrations).log("the schema is current");
            }
            return check(flyway.info());
        } catch (FlywayException e) {
            throw new StartException("cannot bring up the schema of " + settings.uri() + ": " + rootMessage(e), e);
        }
    }

    private static String check(MigrationInfoService info) {
        if (info.pending().length > 0) {
            throw new StartException(
                    info.pending().length + " migrations of the schema are pending and postgres.migrate" + " is false");
        }
        MigrationInfo current = info.current();
        return current == null || current.getVersion() == null
                ? "none"
                : current.getVersion().getVersion();
    }

    private static PGSimpleDataSource dataSource(String uri) {
        PgConnectOptions options = PgConnectOptions.fromUri(uri);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {options.getHost()});
        source.setPortNumbers(new int[] {options.getPort()});
        source.setDatabaseName(options.getDatabase());
        source.setUser(options.getUser());
        source.setPassword(options.getPassword());
        source.setSslmode(options.getSslMode().value);
        source.setConnectTimeout(CONNECT_TIMEOUT_S);
        source.setApplicationName("reissue-schema");
        return source;
    }

    private static String rootMessage(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }
}
