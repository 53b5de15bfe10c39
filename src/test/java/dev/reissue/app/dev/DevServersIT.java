package dev.reissue.app.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reissue.support.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevServersIT {
    /** Shared, so that a database is made only once. */
    @TempDir
    static Path dir;

    @AfterEach
    void nothingIsLeftBehind() {
        Await.until(
                "no server of this directory runs",
                Duration.ofSeconds(10),
                () -> running().isEmpty());
    }

    @Test
    void dataOutlivesTheServersAndCommitsAreDurable() throws Exception {
        try (DevServers servers = DevServers.start(dir)) {
            execute(servers, "create table t as select 42 as n");
            assertThat(query(servers, "show fsync")).isEqualTo("on");
            assertThat(query(servers, "show synchronous_commit")).isEqualTo("on");
            assertThat(query(servers, "select current_database()")).isEqualTo("reissue");
        }
        try (DevServers servers = DevServers.start(dir)) {
            assertThat(query(servers, "select n from t")).isEqualTo("42");
        }
    }

    @Test
    void aSecondUserOfTheDirectoryIsRefused() throws Exception {
        try (DevServers servers = DevServers.start(dir)) {
            assertThatThrownBy(() -> DevServers.start(dir))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another dev process uses");
            assertThat(query(servers, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void serversThatAKilledProcessLeftBehindAreReplaced() throws Exception {
        // What a killed process leaves: servers that run, and a lock that the operating system has let go.
        DataDirectory killed = DataDirectory.lock(dir);
        DevPostgres postgres = DevPostgres.start(killed);
        DevRedis redis = DevRedis.start(killed);
        List<Long> orphans = running();
        assertThat(orphans).hasSizeGreaterThan(1);
        killed.close();
        // PostgreSQL's library keeps a lock of its own inside this JVM, which a killed one would not.
        Files.delete(dir.resolve("postgres/epg-lock"));

        try (DevServers servers = DevServers.start(dir)) {
            assertThat(running()).doesNotContainAnyElementsOf(orphans);
            assertThat(query(servers, "select 1")).isEqualTo("1");
            assertThat(servers.postgresUri()).isNotEqualTo(postgres.uri());
            assertThat(servers.redisUri()).isNotEqualTo(redis.uri());
        }
    }

    @Test
    void aStaleProcessIdOfSomebodyElseIsNoObstacle() throws Exception {
        DevServers.start(dir).close();
        Path file = dir.resolve("postgres/postmaster.pid");
        long somebody = ProcessHandle.current().pid();
        Files.writeString(file, somebody + "\n" + dir + "\n1\n5432\n/tmp\nlocalhost\n    1234         1\nready   \n");
        try (DevServers servers = DevServers.start(dir)) {
            assertThat(query(servers, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void anInterruptedFirstStartIsSetAside(@TempDir Path dir) throws Exception {
        Files.createDirectories(dir.resolve("postgres"));
        Files.writeString(dir.resolve("postgres/postgresql.conf"), "half");
        try (DevServers servers = DevServers.start(dir)) {
            assertThat(query(servers, "select 1")).isEqualTo("1");
        }
        try (Stream<Path> entries = Files.list(dir)) {
            assertThat(entries).anyMatch(p -> p.toString().contains("postgres.incomplete-"));
        }
    }

    @Test
    void aServerThatDoesNotStartTellsWhyAndTheOtherOneIsStopped() throws Exception {
        Files.createDirectories(dir.resolve("redis"));
        Files.writeString(dir.resolve("redis/appendonly.aof"), "this is no command log");
        assertThatThrownBy(() -> DevServers.start(dir))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Redis");
        Files.delete(dir.resolve("redis/appendonly.aof"));
        try (DevServers servers = DevServers.start(dir)) {
            assertThat(query(servers, "select 1")).isEqualTo("1");
        }
    }

    private List<Long> running() {
        return Stream.concat(
                        DirectoryProcesses.find(dir.resolve("postgres"), "postgres").stream(),
                        DirectoryProcesses.find(dir.resolve("redis"), "redis-server").stream())
                .map(ProcessHandle::pid)
                .toList();
    }

    private static void execute(DevServers servers, String sql) throws SQLException {
        try (Connection connection = connect(servers)) {
            connection.createStatement().execute(sql);
        }
    }

    private static String query(DevServers servers, String sql) throws SQLException {
        try (Connection connection = connect(servers);
                ResultSet rows = connection.createStatement().executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    private static Connection connect(DevServers servers) throws SQLException {
        return DriverManager.getConnection("jdbc:" + servers.postgresUri().replace("postgres@", "") + "?user=postgres");
    }
}
