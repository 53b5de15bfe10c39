package dev.reissue.bench.http;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the service beside a bare Vert.x server that answers a body of the same length: in one run, in turn, each server on the
 * same core while the other one idles, client, PostgreSQL and Redis on another core.
 *
 * <p>Run {@code mvn -q package -DskipTests exec:java -Dexec.classpathScope=test -Dexec.mainClass=dev.reissue.bench.http.HttpBench}, with
 * options in {@code -Dexec.args="--seconds 5"}. It prints a table and writes {@code target/bench/http.json} and a chart of it.
 */
@Command(
        name = "http-bench",
        description = "Measures the service beside a bare server.",
        mixinStandardHelpOptions = true)
public final class HttpBench implements Callable<Integer> {
    private static final int COUNT = 100;

    @Option(names = "--jar", description = "The service's jar.", defaultValue = "target/reissue.jar")
    private Path jar = Path.of("target/reissue.jar");

    @Option(names = "--out", description = "The results as JSON.", defaultValue = "target/bench/http.json")
    private Path out = Path.of("target/bench/http.json");

    @Option(names = "--warmup", description = "Seconds of load on each before it counts.", defaultValue = "40")
    private double warmup;

    @Option(names = "--seconds", description = "Seconds of one run.", defaultValue = "10")
    private double seconds;

    @Option(names = "--rounds", description = "How often all of them are run, in turn.", defaultValue = "3")
    private int rounds;

    @Option(
            names = "--half-rounds",
            description = "How often bare server and next are run at half rate, in turn, each for --half-seconds.",
            defaultValue = "15")
    private int halfRounds;

    @Option(names = "--half-seconds", description = "Seconds of one run at half rate.", defaultValue = "2")
    private double halfSeconds;

    @Option(names = "--sequences", description = "Sequences of the run on many.", defaultValue = "500")
    private int sequences;

    @Option(names = "--connections", description = "Connections of the load client.", defaultValue = "64")
    private int connections;

    @Option(names = "--server-core", description = "The core of the servers; -1: any.", defaultValue = "0")
    private int serverCore;

    @Option(names = "--client-core", description = "The core of all else; -1: any.", defaultValue = "1")
    private int clientCore;

    @Option(names = "--jvm", description = "Flags of the servers' JVMs.", defaultValue = "-Xmx256m", split = " ")
    private String[] jvm = {};

    @Option(names = "--only", description = "Keys of what to measure, apart from the bare server.", split = ",")
    private @Nullable List<String> only;

    private final PrintStream print = System.out;

    private HttpBench() {}

    /** Runs the benchmark; ends with status 1 where a request failed. */
    public static void main(String[] args) {
        // No daemon thread of a server's client may keep the program alive.
        System.exit(new CommandLine(new HttpBench()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        pin();
        StolenTime stolen = StolenTime.fromNow();
        try (BenchServers servers = new BenchServers(jar, serverCore, List.of(jvm));
                LoadClient client = new LoadClient(connections)) {
            List<Measure> measures = measures(servers);
            for (Measure measure : measures) {
                print.printf("warming up: %s%n", measure.title());
                run(client, servers, measure, warmup, 0);
            }
            for (int round = 1; round <= rounds; round++) {
                print.printf("round %d of %d%n", round, rounds);
                for (Measure measure : measures) {
                    add(client, servers, measure, seconds, 0);
                }
            }
            List<Measure> half = atHalfRate(client, servers, measures);
            List<Double> wrk = wrk(servers);
            Report report = new Report(
                    measures,
                    half,
                    wrk,
                    servers.startSeconds(),
                    servers.process(false).residentMb(),
                    servers.bytesPerNumber("pairs"));
            report.print(print);
            print.printf(Locale.ROOT, "of the processors' time other machines took %.0f %%%n", 100 * stolen.share());
            save(report);
            return report.failures() == 0 ? 0 : 1;
        }
    }

    private void pin() throws IOException, InterruptedException {
        if (!PinnedProcess.present("taskset")) {
            print.println("taskset is missing: servers and client share all cores, the figures are only a hint");
            serverCore = -1;
        } else if (clientCore >= 0) {
            PinnedProcess.pinMyself(clientCore);
        }
    }

    private List<Measure> measures(BenchServers servers) throws IOException {
        servers.createSequence("many", 10_000);
        servers.createSequence("pairs", 1000);
        List<Measure> all = new ArrayList<>();
        String next = Conversations.path("bench", "next");
        all.add(new Measure("bare", "(a) bare server", true, 1, 0, i -> Conversations.repeat(next)));
        all.add(new Measure("next", "(b) next", false, 1, 1, i -> Conversations.repeat(next)));
        String many = Conversations.path("many", "next?count=" + COUNT);
        all.add(new Measure("many", "(c) next, count=" + COUNT, false, 1, COUNT, i -> Conversations.repeat(many)));
        all.add(new Measure(
                "pairs", "(d) next + confirm", false, 2, 1, i -> Conversations.takeAndSettle("pairs", 0, () -> 1)));
        all.add(new Measure(
                "bulk",
                "(g) next + confirm, " + COUNT + " at once",
                false,
                2,
                COUNT,
                i -> Conversations.takeAndConfirm("pairs", COUNT)));
        if (only == null || only.contains("mix")) {
            servers.createQuickSequence("mix");
            all.add(new Measure("mix", "(e) the same, 6 % abandoned", false, 2, 1, i -> {
                SplittableRandom random = new SplittableRandom(i);
                return Conversations.takeAndSettle("mix", 0.06, random::nextDouble);
            }));
        }
        if (only == null || only.contains("sequences")) {
            byte[][] each = onMany(servers);
            all.add(new Measure(
                    "sequences",
                    "(f) next on " + sequences + " sequences",
                    false,
                    1,
                    1,
                    i -> Conversations.rotate(each, i * sequences / connections)));
        }
        return all.stream()
                .filter(m -> only == null || m.bare() || only.contains(m.key()))
                .toList();
    }

    private byte[][] onMany(BenchServers servers) throws IOException {
        String[] names =
                IntStream.range(0, sequences).mapToObj(i -> "s" + i + "x").toArray(String[]::new);
        for (String name : names) {
            servers.createSequence(name, 1000);
        }
        return Conversations.nextOnEach(names);
    }

    private static void add(LoadClient client, BenchServers servers, Measure measure, double time, double rate)
            throws InterruptedException, IOException, SQLException {
        PinnedProcess server = servers.process(measure.bare());
        double serverBefore = server.cpuSeconds();
        double postgresBefore = servers.postgresCpuSeconds();
        Load load = run(client, servers, measure, time, rate);
        measure.add(load, server.cpuSeconds() - serverBefore, servers.postgresCpuSeconds() - postgresBefore);
    }

    private static Load run(LoadClient client, BenchServers servers, Measure measure, double seconds, double rate)
            throws InterruptedException {
        int port = servers.port(measure.bare());
        return rate > 0
                ? client.open(port, seconds, rate, measure.conversations())
                : client.closed(port, seconds, measure.conversations());
    }

    /** Measures bare server and next in an open loop, both at half of the rate that next can do. */
    private List<Measure> atHalfRate(LoadClient client, BenchServers servers, List<Measure> measures)
            throws InterruptedException, IOException, SQLException {
        if (measures.size() < 2 || !measures.get(1).key().equals("next")) {
            return List.of();
        }
        double rate = measures.get(1).roundsPerSecond() / 2;
        List<Measure> half = new ArrayList<>();
        for (Measure closed : measures.subList(0, 2)) {
            half.add(new Measure(
                    closed.key() + "-half",
                    closed.title() + " at half rate",
                    closed.bare(),
                    1,
                    closed.bare() ? 0 : 1,
                    closed.conversations()));
        }
        for (int round = 1; round <= halfRounds; round++) {
            for (Measure measure : half) {
                add(client, servers, measure, halfSeconds, rate);
            }
        }
        return half;
    }

    /** Returns what wrk says about bare server and next, requests a second; empty where it is missing. */
    private List<Double> wrk(BenchServers servers) throws IOException, InterruptedException {
        if (!PinnedProcess.present("wrk")) {
            return List.of();
        }
        Path script = Files.createTempFile("reissue-bench-", ".lua");
        Files.writeString(script, "wrk.method = \"POST\"\n");
        List<Double> rates = new ArrayList<>();
        for (boolean bare : new boolean[] {true, false}) {
            String url = "http://127.0.0.1:" + servers.port(bare) + Conversations.path("bench", "next");
            String time = Math.max(1, Math.round(seconds)) + "s";
            List<String> command = List.of("wrk", "-t1", "-c" + connections, "-d" + time, "-s", script.toString(), url);
            try (PinnedProcess process = PinnedProcess.start(clientCore, command)) {
                rates.add(requestsPerSecond(process.finish()));
            }
        }
        Files.delete(script);
        return rates;
    }

    private static double requestsPerSecond(String output) {
        return Arrays.stream(output.split("\n", -1))
                .filter(line -> line.startsWith("Requests/sec:"))
                .mapToDouble(line -> Double.parseDouble(
                        line.substring("Requests/sec:".length()).trim()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("wrk said: " + output));
    }

    private void save(Report report) throws IOException {
        Path parent = out.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        JsonObject setting = new JsonObject()
                .put("connections", connections)
                .put("warmupSeconds", warmup)
                .put("seconds", seconds)
                .put("rounds", rounds)
                .put("jvm", new JsonArray(List.of(jvm)))
                .put("java", System.getProperty("java.version"));
        Files.writeString(out, report.json().put("setting", setting).encodePrettily() + "\n");
        Path chart = out.resolveSibling(out.getFileName().toString().replace(".json", "") + ".svg");
        Files.writeString(chart, report.chart());
        print.println("written to " + out + " and " + chart);
    }
}
