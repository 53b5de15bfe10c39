package dev.reissue.support;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
        List<ProcessHandle> all = processes();
        all.forEach(ProcessHandle::destroyForcibly);
        awaitGone(all);
    }

    /** Ends the server the way an operator does who does not wait for clients (a fast shutdown). */
    public void stopFast() throws IOException {
        List<ProcessHandle> all = processes();
        Signals.send("INT", all.get(0).pid());
        awaitGone(all);
    }

    /**
     * Copies the data to {@code target} as it is at one moment: the server stands still meanwhile, so the copy is what a crash would
     * leave.
     */
    public void copyTo(Path target) throws IOException {
        // The postmaster first, so that it starts no process that is not stopped.
        Signals.send("STOP", processes().get(0).pid());
        List<ProcessHandle> all = processes();
        all.forEach(p -> Signals.send("STOP", p.pid()));
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.toList()) {
                Path to = target.resolve(dir.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(file, to);
                }
            }
        } finally {
            all.forEach(p -> Signals.send("CONT", p.pid()));
        }
    }

    /** Puts a copy in the place of the killed server's data; {@link #restart} then starts on it. The copy is used up. */
    public void replaceBy(Path copy) throws IOException {
        remove();
        Files.createDirectories(dir);
        try (Stream<Path> files = Files.walk(copy)) {
            for (Path file : files.toList()) {
                Path to = dir.resolve(copy.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(to);
                } else {
                    Files.move(file, to);
                }
            }
        }
        // Any other permission is refused by the server.
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
    }

    /** The postmaster, then its children. */
    private List<ProcessHandle> processes() throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(dir.resolve("postmaster.pid")).get(0).trim());
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        return Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
    }

    private static void awaitGone(List<ProcessHandle> all) {
        Await.until(
                "PostgreSQL is gone", Duration.ofSeconds(30), () -> all.stream().noneMatch(ProcessHandle::isAlive));
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
        remove();
    }

    private void remove() throws IOException {
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
