package dev.reissue.bench.http;

import dev.reissue.support.Await;
import dev.reissue.support.RawHttp;
import dev.reissue.tenant.KeyText;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures whether one tenant's flood is felt by another one: the latency of {@code next} of tenant b at a steady rate, alone, and while
 * tenant a asks for ten times as many numbers as it may have. In turn, in one run; latencies count from when a request was due, so a
 * stall is not hidden. Beside them, as what the flood is compared with: a asks for just what it may have, and the same flood on a bare
 * server on the same core, which shows what part is the machine's and the load client's.
 *
 * <p>Run {@code mvn -q package -DskipTests exec:java -Dexec.classpathScope=test
 * -Dexec.mainClass=dev.reissue.bench.http.TenantFloodBench}.
 */
@Command(name = "tenant-flood-bench", mixinStandardHelpOptions = true)
public final class TenantFloodBench implements Callable<Integer> {
    private static final Duration KNOWN = Duration.ofSeconds(10);

    @Option(names = "--jar", defaultValue = "target/reissue.jar", description = "The service's jar.")
    private Path jar = Path.of("target/reissue.jar");

    @Option(names = "--warmup", defaultValue = "10", description = "Seconds of load before it counts.")
    private double warmup;

    @Option(names = "--seconds", defaultValue = "8", description = "Seconds of one run.")
    private double seconds;

    @Option(names = "--rounds", defaultValue = "5", description = "How often all of them are run, in turn.")
    private int rounds;

    @Option(names = "--rate", defaultValue = "1000", description = "Calls of b a second.")
    private double rate;

    @Option(names = "--limit", defaultValue = "1000", description = "Numbers a second that a may have.")
    private int limit;

    @Option(names = "--times", defaultValue = "10", description = "The flood, as a multiple of that.")
    private double times;

    /** What b is measured beside, and what came of it. One thread. */
    private static final class Beside {
        private final String title;
        private final double floodRate;
        private final boolean elsewhere;
        private final Histogram latency = new Histogram(3);
        private double granted;
        private double refused;

        Beside(String title, double floodRate, boolean elsewhere) {
            this.title = title;
            this.floodRate = floodRate;
            this.elsewhere = elsewhere;
        }

        void reset() {
            latency.reset();
            granted = 0;
            refused = 0;
        }
    }

    private final List<Beside> all = new ArrayList<>();
    private final String a = KeyText.make(new SecureRandom()::nextBytes).reveal();
    private final String b = KeyText.make(new SecureRandom()::nextBytes).reveal();
    private long failures;

    private TenantFloodBench() {}

    /** Runs the benchmark; ends with status 1 where a request of b failed, or one of a otherwise than by its limit. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new TenantFloodBench()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        boolean pinned = PinnedProcess.present("taskset");
        if (pinned) {
            PinnedProcess.pinMyself(1);
        }
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (BenchServers servers = new BenchServers(jar, pinned ? 0 : -1, List.of("-Xmx256m"), b);
                LoadClient measured = new LoadClient(16);
                LoadClient flooding = new LoadClient(64)) {
            addTenant(servers);
            all.add(new Beside("alone", 0, false));
            all.add(new Beside("a at its limit", limit, false));
            all.add(new Beside("a in flood", limit * times, false));
            all.add(new Beside("flood elsewhere", limit * times, true));
            for (Beside beside : all) {
                run(servers, measured, flooding, threads, beside, warmup);
            }
            all.forEach(Beside::reset);
            for (int round = 0; round < rounds; round++) {
                // Forwards and backwards, so that none of them always comes after the same one.
                for (int i = 0; i < all.size(); i++) {
                    int at = round % 2 == 0 ? i : all.size() - 1 - i;
                    run(servers, measured, flooding, threads, all.get(at), seconds);
                }
            }
        } finally {
            threads.shutdownNow();
        }
        print();
        return failures == 0 ? 0 : 1;
    }

    /** Tenant b is {@code default}, with the key that is made at the start; a is made here, and waited for. */
    private void addTenant(BenchServers servers) throws SQLException, IOException {
        try (Connection connection = servers.connect()) {
            update(connection, "insert into tenant (name, numbers_per_second) values ('a', ?)", limit);
            update(
                    connection,
                    "insert into api_key (key_id, tenant, hash, scopes) values (?, 'a', sha256(convert_to(?, 'UTF8')), 15)",
                    a.substring(4, 20),
                    a);
            update(connection, "update tenant_change set version = version + ?", 1);
        }
        Await.until("the key of a is known", KNOWN, () -> {
            try (RawHttp http = new RawHttp("127.0.0.1", servers.port(false)).withKey(a)) {
                String json =
                        "{\"name\":\"flood\",\"batchSize\":10000,\"confirmTimeoutMs\":3600000,\"safetyWindowMs\":7200000}";
                return http.post("/v1/sequences", json).status() < 300;
            }
        });
        servers.createSequence("calm", 10_000);
    }

    private static void update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }

    private void run(
            BenchServers servers,
            LoadClient measured,
            LoadClient flooding,
            ExecutorService threads,
            Beside beside,
            double duration)
            throws Exception {
        int port = servers.port(false);
        Future<Load> flood = beside.floodRate == 0
                ? null
                : threads.submit(() -> flooding.open(
                        servers.port(beside.elsewhere),
                        duration,
                        beside.floodRate,
                        i -> Conversations.repeat(Conversations.path("flood", "next"), a)));
        Load calm =
                measured.open(port, duration, rate, i -> Conversations.repeat(Conversations.path("calm", "next"), b));
        beside.latency.add(calm.latency());
        failures += calm.failures();
        if (calm.failures() > 0) {
            System.out.println("b failed: " + calm.failures() + ", the first: " + calm.firstFailure());
        }
        if (flood != null) {
            Load load = flood.get();
            beside.granted += load.rounds() / load.seconds() / rounds;
            beside.refused += load.failures() / load.seconds() / rounds;
            if (load.failures() > 0 && !load.firstFailure().startsWith("429")) {
                failures++;
                System.out.println("a failed: " + load.firstFailure());
            }
        }
    }

    private void print() {
        System.out.printf(
                Locale.ROOT,
                "%-16s %10s %10s %10s %10s %12s %12s %12s%n",
                "tenant b",
                "calls",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "p99 to alone",
                "a granted/s",
                "a refused/s");
        for (Beside beside : all) {
            Histogram h = beside.latency;
            System.out.printf(
                    Locale.ROOT,
                    "%-16s %10d %10.3f %10.3f %10.3f %12.2f %12.0f %12.0f%n",
                    beside.title,
                    h.getTotalCount(),
                    h.getValueAtPercentile(50) / 1e6,
                    h.getValueAtPercentile(99) / 1e6,
                    h.getValueAtPercentile(99.9) / 1e6,
                    h.getValueAtPercentile(99) / (double) all.get(0).latency.getValueAtPercentile(99),
                    beside.granted,
                    beside.refused);
        }
    }
}
