package dev.reissue.app.dev;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL whose data outlives the process and whose commits are on disk before they are answered. Started and stopped by one
 * thread.
 */
final class DevPostgres implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DevPostgres.class);
    private static final Duration START_WAIT = Duration.ofSeconds(30);
    private static final String PROGRAM = "postgres";
    /** PostgreSQL's fast shutdown, then its immediate one: both keep what was committed. */
    private static final List<String> END = List.of("INT", "QUIT");

    private static final long END_WAIT_MS = 10_000;
    private static final String DATABASE = "reissue";
    private static final int LOG_LINES = 15;

    private final EmbeddedPostgres server;

    private DevPostgres(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Starts the server, with what is left of an earlier one cleared away. */
    static DevPostgres start(DataDirectory directory) throws IOException {
        Path data = directory.postgres();
        DirectoryProcesses.end(data, PROGRAM, END, END_WAIT_MS);
        // Nobody works in the directory any more, so the file is stale, and its process id may be somebody else's by
        // now.
        Files.deleteIfExists(data.resolve("postmaster.pid"));
        setAsideIfIncomplete(data);
        Path log = directory.root().resolve("postgres.log");
        DevPostgres started = new DevPostgres(open(directory, data, log));
        try {
            started.createDatabase();
            Files.writeString(marker(data), "");
        } catch (IOException | SQLException e) {
            started.close();
            throw new IOException("cannot prepare the PostgreSQL in " + data, e);
        }
        return started;
    }

    /** Returns the URI of the service's database. */
    String uri() {
        return "postgresql://postgres@127.0.0.1:" + server.getPort() + "/" + DATABASE;
    }

    /** Stops the server in its fast way: sessions end, committed data is written. */
    @Override
    public void close() throws IOException {
        server.close();
    }

    private static EmbeddedPostgres open(DataDirectory directory, Path data, Path log) throws IOException {
        try {
            return EmbeddedPostgres.builder()
                    .setDataDirectory(data.toFile())
                    .setCleanDataDirectory(false)
                    .setOverrideWorkingDirectory(directory.programs().toFile())
                    // The service stops first: it still has numbers to return.
                    .setRegisterShutdownHook(false)
                    .setLocaleConfig("locale", "C")
                    // The builder is made for tests, which need none of this.
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setPGStartupWait(START_WAIT)
                    .setOutputRedirector(Redirect.appendTo(log.toFile()))
                    .setErrorRedirector(Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException | IllegalStateException e) {
            // A server that came too late would outlive this process.
            DirectoryProcesses.end(data, PROGRAM, END, END_WAIT_MS);
            throw new IOException("cannot start PostgreSQL in " + data + "; the end of " + log + ":\n" + tail(log), e);
        }
    }

    /**
     * Moves a directory away whose first start did not get to its end: PostgreSQL would refuse it for ever. Nothing is deleted.
     */
    private static void setAsideIfIncomplete(Path data) throws IOException {
        if (Files.isDirectory(data) && !Files.exists(marker(data))) {
            Path aside = data.resolveSibling(data.getFileName() + ".incomplete-" + System.currentTimeMillis());
            Files.move(data, aside);
            LOG.atWarn().addKeyValue("to", aside).log("moved away what an interrupted first start has left");
        }
    }

    private static Path marker(Path data) {
        return data.resolve("reissue.complete");
    }

    private void createDatabase() throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            try (ResultSet found =
                    statement.executeQuery("select from pg_database where datname = '" + DATABASE + "'")) {
                if (found.next()) {
                    return;
                }
            }
            statement.execute("create database " + DATABASE);
        }
    }

    private static String tail(Path log) {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            List<String> all = lines.toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - LOG_LINES), all.size()));
        } catch (IOException e) {
            return "(cannot be read: " + e.getMessage() + ")";
        }
    }
}
