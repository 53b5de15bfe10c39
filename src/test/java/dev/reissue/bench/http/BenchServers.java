package dev.reissue.bench.http;

import dev.reissue.support.Await;
import dev.reissue.support.KillablePostgres;
import dev.reissue.support.RawHttp;
import dev.reissue.support.TestRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Everything that answers: PostgreSQL (which flushes what it commits), Redis, the service from its jar, and the bare server from
 * the same jar's Vert.x. One thread.
 */
final class BenchServers implements AutoCloseable {
    private static final Duration CLOSE = Duration.ofSeconds(30);
    private static final Duration START = Duration.ofMinutes(2);

    private final int port = TestRedis.freePort();
    private final int managementPort = TestRedis.freePort();
    private final int barePort = TestRedis.freePort();
    private final KillablePostgres postgres = new KillablePostgres();
    private final int core;
    private final Path jar;
    private final String apiKey;
    private final List<String> jvm;
    private final List<PinnedProcess> started = new ArrayList<>();
    private final PinnedProcess service;
    private final PinnedProcess bare;
    private final double startSeconds;

    /**
     * Starts all of them.
     *
     * @param jar the service's jar
     * @param core where the service and the bare server run, one after the other busy
     * @param jvm flags for both of them
     */
    BenchServers(Path jar, int core, List<String> jvm) throws IOException {
        this(jar, core, jvm, "");
    }

    /**
     * Starts all of them.
     *
     * @param apiKey the key that the service asks for and all requests here send, empty for none
     */
    BenchServers(Path jar, int core, List<String> jvm, String apiKey) throws IOException {
        this.apiKey = apiKey;
        this.jar = jar;
        this.core = core;
        this.jvm = jvm;
        try {
            migrate();
            long start = System.nanoTime();
            service = startService();
            startSeconds = (System.nanoTime() - start) / 1e9;
            createSequence("bench", 1000);
            bare = startBare(next("bench").length());
        } catch (IOException | RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    /** Brings up the schema, as the first start of all does; every later one finds it there. */
    private void migrate() throws IOException {
        PinnedProcess process = java("-jar", jar.toString(), "migrate", "--set", "postgres.uri=" + postgres.uri());
        Await.until("the schema is there", START, () -> !process.alive());
        started.remove(process);
        process.close();
    }

    private PinnedProcess startService() throws IOException {
        PinnedProcess process = java(
                "-jar",
                jar.toString(),
                "serve",
                "--set",
                "http.host=127.0.0.1",
                "--set",
                "auth.required=" + !apiKey.isEmpty(),
                "--set",
                "auth.bootstrapKey=" + apiKey,
                "--set",
                "http.port=" + port,
                "--set",
                "management.port=" + managementPort,
                "--set",
                "postgres.uri=" + postgres.uri(),
                "--set",
                "redis.uri=" + TestRedis.uri(0));
        Await.until("the service is ready", START, () -> alive(process) && ready());
        return process;
    }

    private PinnedProcess startBare(int bodyLength) throws IOException {
        PinnedProcess process = java(
                "-cp",
                jar + ":target/test-classes",
                BareServer.class.getName(),
                Integer.toString(barePort),
                Integer.toString(bodyLength));
        Await.until("the bare server listens", START, () -> alive(process) && listens(barePort));
        return process;
    }

    private PinnedProcess java(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.addAll(List.of(arguments));
        PinnedProcess process = PinnedProcess.start(core, command);
        started.add(process);
        return process;
    }

    private static boolean alive(PinnedProcess process) throws IOException {
        if (!process.alive()) {
            throw new IllegalStateException("a server has ended: " + process.output());
        }
        return true;
    }

    private boolean ready() {
        try (RawHttp http = new RawHttp("127.0.0.1", managementPort)) {
            return http.get("/health/ready").status() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Creates a sequence whose numbers do not time out during the run. */
    void createSequence(String name, int batchSize) throws IOException {
        create("""
                {"name":"%s","format":"%s-{seq:10}","batchSize":%d,"confirmTimeoutMs":3600000,"safetyWindowMs":7200000}
                """.formatted(name, name.toUpperCase(Locale.ROOT), batchSize));
    }

    /** Creates a sequence whose abandoned numbers come back within seconds. */
    void createQuickSequence(String name) throws IOException {
        create("""
                {"name":"%s","format":"%s-{seq:10}","confirmTimeoutMs":10000,"safetyWindowMs":2000,"replayCap":1000,"force":true}
                """.formatted(name, name.toUpperCase(Locale.ROOT)));
    }

    /** Creates a sequence whose abandoned numbers come back after two seconds, while nothing else of it times out. */
    void createRecyclingSequence(String name) throws IOException {
        create("""
                {"name":"%s","format":"%s-{seq:10}","confirmTimeoutMs":3600000,"safetyWindowMs":2000,"replayCap":1000,"force":true}
                """.formatted(name, name.toUpperCase(Locale.ROOT)));
    }

    private void create(String json) throws IOException {
        try (RawHttp http = caller()) {
            RawHttp.Answer answer = http.send("POST", "/v1/sequences", json);
            if (answer.status() != 201) {
                throw new IllegalStateException("cannot create " + json + ": " + answer.status() + " " + answer.body());
            }
        }
    }

    private RawHttp caller() throws IOException {
        RawHttp http = new RawHttp("127.0.0.1", port);
        return apiKey.isEmpty() ? http : http.withKey(apiKey);
    }

    private String next(String sequence) throws IOException {
        try (RawHttp http = caller()) {
            return http.send("POST", Conversations.path(sequence, "next"), "").body();
        }
    }

    int port(boolean ofBare) {
        return ofBare ? barePort : port;
    }

    PinnedProcess process(boolean ofBare) {
        return ofBare ? bare : service;
    }

    /** Returns how long the service took from its start to ready, on a database that has its schema. */
    double startSeconds() {
        return startSeconds;
    }

    /** Opens a connection to the database. */
    Connection connect() throws SQLException {
        return postgres.connect();
    }

    /** Returns the seconds of CPU that PostgreSQL's living processes have used; sessions outlive a run. */
    double postgresCpuSeconds() throws IOException, SQLException {
        try (Connection connection = postgres.connect();
                ResultSet row = connection.createStatement().executeQuery("show data_directory")) {
            row.next();
            Path pidFile = Path.of(row.getString(1), "postmaster.pid");
            long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).trim());
            ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
            return PinnedProcess.cpuSeconds(pid)
                    + postmaster
                            .descendants()
                            .mapToDouble(child -> PinnedProcess.cpuSeconds(child.pid()))
                            .sum();
        }
    }

    /**
     * Returns what PostgreSQL keeps of a confirmed number of a sequence: its closed batches and their share of the indexes and of
     * the free space, by the numbers in them. Waits for batches to be closed; NaN where none is in time.
     */
    double bytesPerNumber(String sequence) throws SQLException {
        try (Connection connection = postgres.connect();
                Statement statement = connection.createStatement()) {
            String due = "select count(*) from batch b join sequence s on s.id = b.sequence_id where s.name = '"
                    + sequence + "' and b.status = 2 and bit_count(b.confirmed) = b.issued_to - b.lo + 1";
            try {
                Await.until("the batches are closed", CLOSE, () -> number(statement, due) == 0);
            } catch (AssertionError late) {
                return Double.NaN;
            }
            statement.execute("vacuum analyze batch");
            // A row's share of the table is by its size, and of the indexes by its count.
            double bytes = number(
                    statement,
                    "select avg(pg_column_size(b.*)) filter (where b.status = 3 and s.name = '" + sequence + "')"
                            + " * pg_table_size('batch') / sum(pg_column_size(b.*)) + pg_indexes_size('batch') / count(*)"
                            + " from batch b join sequence s on s.id = b.sequence_id");
            double numbers = number(
                    statement,
                    "select avg(b.issued_to - b.lo + 1) from batch b join sequence s on s.id = b.sequence_id"
                            + " where b.status = 3 and s.name = '" + sequence + "'");
            return numbers == 0 ? Double.NaN : bytes / numbers;
        }
    }

    private static double number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getDouble(1);
        }
    }

    @Override
    public void close() throws IOException {
        started.forEach(PinnedProcess::close);
        postgres.close();
    }
}
