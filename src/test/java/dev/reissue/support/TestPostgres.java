package dev.reissue.support;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;

/**
 * One embedded PostgreSQL for all tests of a JVM, and a fresh, migrated database for each test class that asks. Any thread.
 */
public final class TestPostgres {
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static @Nullable EmbeddedPostgres server;

    private TestPostgres() {}

    /** Creates a database with the current schema and returns its name. */
    public static String freshDatabase() {
        String name = emptyDatabase();
        Flyway.configure()
                .dataSource(jdbcUrl(name), "postgres", "postgres")
                .load()
                .migrate();
        return name;
    }

    /** Creates a database without anything in it and returns its name. */
    public static String emptyDatabase() {
        String name = "t" + DATABASES.incrementAndGet();
        try (Connection c = server().getPostgresDatabase().getConnection()) {
            c.createStatement().execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create the database " + name, e);
        }
        return name;
    }

    /** Returns the URI of a database for the service and its clients. */
    public static String uri(String database) {
        return "postgresql://postgres:postgres@127.0.0.1:" + server().getPort() + "/" + database;
    }

    /** Returns the URL of a database for JDBC. */
    public static String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + server().getPort() + "/" + database;
    }

    /** Opens a JDBC connection, for looking behind the service's back. */
    public static Connection connect(String database) throws SQLException {
        return server().getDatabase("postgres", database).getConnection();
    }

    /** Returns the port of the server. */
    public static int port() {
        return server().getPort();
    }

    private static synchronized EmbeddedPostgres server() {
        EmbeddedPostgres s = server;
        if (s == null) {
            try {
                s = EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "300")
                        .setServerConfig("fsync", "off")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot start the embedded PostgreSQL", e);
            }
            server = s;
        }
        return s;
    }
}
