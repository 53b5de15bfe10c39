package dev.reissue.bench.http;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures {@code next} under idempotency keys, each key used once, beside {@code next} without: in one run, in turn, closed loop, on the
 * same connections. PostgreSQL flushes every commit.
 *
 * <p>Run it like {@link HttpBench}.
 */
@Command(name = "keys-bench", description = "Measures next under idempotency keys.", mixinStandardHelpOptions = true)
public final class KeysBench implements Callable<Integer> {
    private static final int KEY_LENGTH = 36;

    @Option(names = "--jar", description = "The service's jar.", defaultValue = "target/reissue.jar")
    private Path jar = Path.of("target/reissue.jar");

    @Option(names = "--connections", description = "Connections of each run.", defaultValue = "512")
    private int connections;

    @Option(names = "--warmup", description = "Seconds of load on each before it counts.", defaultValue = "20")
    private double warmup;

    @Option(names = "--seconds", description = "Seconds of one run.", defaultValue = "8")
    private double seconds;

    @Option(names = "--rounds", description = "How often both are run, in turn.", defaultValue = "3")
    private int rounds;

    @Option(names = "--server-core", description = "The core of the service; -1: any.", defaultValue = "0")
    private int serverCore;

    @Option(names = "--client-core", description = "The core of all else; -1: any.", defaultValue = "1")
    private int clientCore;

    @Option(names = "--jvm", description = "Flags of the servers' JVMs.", defaultValue = "-Xmx256m", split = " ")
    private String[] jvm = {};

    private final PrintStream print = System.out;
    private final AtomicLong keys = new AtomicLong();

    private KeysBench() {}

    /** Runs the benchmark; ends with status 1 where a request failed. */
    public static void main(String[] args) {
        // No daemon thread of a server's client may keep the program alive.
        System.exit(new CommandLine(new KeysBench()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        if (clientCore >= 0 && PinnedProcess.present("taskset")) {
            PinnedProcess.pinMyself(clientCore);
        }
        try (BenchServers servers = new BenchServers(jar, serverCore, List.of(jvm));
                LoadClient client = new LoadClient(connections)) {
            String next = Conversations.path("bench", "next");
            Measure plain = new Measure("next", "next", false, 1, 1, i -> Conversations.repeat(next));
            Measure keyed = new Measure("keys", "next, each with a key of its own", false, 1, 1, i -> underKeys(next));
            List<Measure> measures = List.of(plain, keyed);
            for (Measure measure : measures) {
                client.closed(servers.port(false), warmup, measure.conversations());
            }
            for (int round = 0; round < rounds; round++) {
                for (Measure measure : measures) {
                    add(client, servers, measure);
                }
            }
            report(plain, keyed, servers);
            return Stream.of(plain, keyed).allMatch(m -> m.failures() == 0) ? 0 : 1;
        }
    }

    private void add(LoadClient client, BenchServers servers, Measure measure)
            throws InterruptedException, IOException, SQLException {
        double serverBefore = servers.process(false).cpuSeconds();
        double postgresBefore = servers.postgresCpuSeconds();
        Load load = client.closed(servers.port(false), seconds, measure.conversations());
        measure.add(
                load,
                servers.process(false).cpuSeconds() - serverBefore,
                servers.postgresCpuSeconds() - postgresBefore);
    }

    private void report(Measure plain, Measure keyed, BenchServers servers) throws SQLException {
        for (Measure m : List.of(plain, keyed)) {
            print.printf(
                    Locale.ROOT,
                    "%-36s %8.0f requests/s  p50 %6.2f ms  p99 %6.2f ms  server %5.1f CPU s/million  PostgreSQL %5.2f us/number  failures %d %s%n",
                    m.title(),
                    m.requestsPerSecond(),
                    m.millisAt(50),
                    m.millisAt(99),
                    m.serverSecondsPerMillionRequests(),
                    m.postgresMicrosPerNumber(),
                    m.failures(),
                    m.firstFailure());
        }
        print.printf(
                Locale.ROOT,
                "ratio %.2f with %d connections%n",
                keyed.requestsPerSecond() / plain.requestsPerSecond(),
                connections);
        try (Connection c = servers.connect();
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery("select count(*), pg_table_size('idempotent_next'),"
                        + " pg_indexes_size('idempotent_next') from idempotent_next")) {
            r.next();
            print.printf(
                    Locale.ROOT,
                    "%d keys kept, %.0f bytes each in the table, %.0f in its indexes%n",
                    r.getLong(1),
                    (double) r.getLong(2) / r.getLong(1),
                    (double) r.getLong(3) / r.getLong(1));
        }
    }

    /** The same call again and again, each time under another key. */
    private Conversation underKeys(String path) {
        byte[] request = ("POST " + path + " HTTP/1.1\r\nhost: bench\r\nidempotency-key: " + "0".repeat(KEY_LENGTH)
                        + "\r\ncontent-length: 0\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        int end = request.length - "\r\ncontent-length: 0\r\n\r\n".length();
        return new Conversation() {
            @Override
            public byte[] begin() {
                int at = end;
                for (long rest = keys.incrementAndGet(); rest > 0; rest /= 10) {
                    request[--at] = (byte) ('0' + rest % 10);
                }
                return request;
            }

            @Override
            public byte @Nullable [] proceed(Response response) {
                return null;
            }
        };
    }
}
