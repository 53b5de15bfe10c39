package dev.reissue.support;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A PostgreSQL of its own that flushes what it commits and can be killed without warning and started again on the same data and
 * port. One thread.
 */
public final class KillablePostgres implements AutoCloseable {
    private final Path dir;
    private final int port;
    private EmbeddedPostgres server;

    /** Starts the server with empty data. */
    public KillablePostgres() throws IOException {
        dir = Files.createTempDirectory("reissue-pg-");
        port = TestRedis.freePort();
        server = open();
    }

    /** Returns the URI for the service. */
    public String uri() {
        return "postgresql://postgres:postgres@127.0.0.1:" + port + "/postgres";
    }

    /** Returns the port. */
    public int port() {
        return port;
    }

    /** Opens a JDBC connection. */
    public Connection connect() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    /** Ends the postmaster and all of its children with SIGKILL. */
    public void kill9() throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(dir.resolve("postmaster.pid")).get(0).trim());
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        List<ProcessHandle> all =
                Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        Await.until(
                "PostgreSQL is gone", Duration.ofSeconds(10), () -> all.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** Starts the server again on what the killed one left. */
    public void restart() throws IOException {
        Files.deleteIfExists(dir.resolve("postmaster.pid"));
        Files.deleteIfExists(dir.resolve("epg-lock"));
        server = open();
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (Files.exists(dir)) {
            try (Stream<Path> files = Files.walk(dir)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private EmbeddedPostgres open() throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(dir)
                .setCleanDataDirectory(false)
                .setPort(port)
                .setServerConfig("max_connections", "300")
                .setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                // The embedded server's default is off; the service must not depend on it.
                .setServerConfig("synchronous_commit", "off")
                .start();
    }
}
