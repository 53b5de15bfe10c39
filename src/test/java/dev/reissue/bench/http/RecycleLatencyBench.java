package dev.reissue.bench.http;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures whether issuance waits for recycling: the latency of {@code next} at a steady rate, while beside it numbers of the same
 * sequence are taken and settled, of which none, 0.3 %, 6 % or 30 % are abandoned and come back after two seconds. In turn, in one run;
 * latencies count from when a request was due, so a stall is not hidden.
 *
 * <p>Run {@code mvn -q package -DskipTests exec:java -Dexec.classpathScope=test
 * -Dexec.mainClass=dev.reissue.bench.http.RecycleLatencyBench}.
 */
@Command(name = "recycle-latency-bench", mixinStandardHelpOptions = true)
public final class RecycleLatencyBench implements Callable<Integer> {
    private static final double[] SHARES = {0, 0.003, 0.06, 0.3};

    @Option(names = "--jar", defaultValue = "target/reissue.jar", description = "The service's jar.")
    private Path jar = Path.of("target/reissue.jar");

    @Option(names = "--warmup", defaultValue = "8", description = "Seconds of load on each before it counts.")
    private double warmup;

    @Option(names = "--seconds", defaultValue = "8", description = "Seconds of one run.")
    private double seconds;

    @Option(names = "--rounds", defaultValue = "4", description = "How often all of them are run, in turn.")
    private int rounds;

    @Option(names = "--rate", defaultValue = "1000", description = "Measured calls of next a second.")
    private double rate;

    @Option(names = "--load", defaultValue = "1000", description = "Numbers taken and settled a second beside them.")
    private double load;

    private final List<Histogram> latencies = new ArrayList<>();
    private long failures;

    private RecycleLatencyBench() {}

    /** Runs the benchmark; ends with status 1 where a request failed. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new RecycleLatencyBench()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        boolean pinned = PinnedProcess.present("taskset");
        if (pinned) {
            PinnedProcess.pinMyself(1);
        }
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (BenchServers servers = new BenchServers(jar, pinned ? 0 : -1, List.of("-Xmx256m"));
                LoadClient probe = new LoadClient(16);
                LoadClient beside = new LoadClient(32)) {
            for (int i = 0; i < SHARES.length; i++) {
                servers.createRecyclingSequence("share" + i + "x");
                latencies.add(new Histogram(3));
            }
            for (int i = 0; i < SHARES.length; i++) {
                run(servers, probe, beside, threads, i, warmup);
            }
            for (int round = 0; round < rounds; round++) {
                // Forwards and backwards, so that none of them always comes after the same one.
                for (int i = 0; i < SHARES.length; i++) {
                    int share = round % 2 == 0 ? i : SHARES.length - 1 - i;
                    latencies.get(share).add(run(servers, probe, beside, threads, share, seconds));
                }
            }
        } finally {
            threads.shutdownNow();
        }
        print();
        return failures == 0 ? 0 : 1;
    }

    private Histogram run(
            BenchServers servers,
            LoadClient probe,
            LoadClient beside,
            ExecutorService threads,
            int share,
            double duration)
            throws Exception {
        String sequence = "share" + share + "x";
        int port = servers.port(false);
        Future<Load> settled = threads.submit(() -> beside.open(port, duration, load, i -> {
            SplittableRandom random = new SplittableRandom(i);
            return Conversations.takeAndSettle(sequence, SHARES[share], random::nextDouble);
        }));
        Load measured =
                probe.open(port, duration, rate, i -> Conversations.repeat(Conversations.path(sequence, "next")));
        count(measured);
        count(settled.get());
        return measured.latency();
    }

    private void count(Load of) throws IOException {
        failures += of.failures();
        if (of.failures() > 0) {
            System.out.println("failed: " + of.failures() + ", the first: " + of.firstFailure());
        }
    }

    private void print() {
        System.out.printf(
                Locale.ROOT,
                "%-12s %10s %10s %10s %10s %10s%n",
                "abandoned",
                "calls",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "p99 to none");
        for (int i = 0; i < SHARES.length; i++) {
            Histogram h = latencies.get(i);
            System.out.printf(
                    Locale.ROOT,
                    "%-12s %10d %10.3f %10.3f %10.3f %10.2f%n",
                    SHARES[i] == 0 ? "none" : SHARES[i] * 100 + " %",
                    h.getTotalCount(),
                    h.getValueAtPercentile(50) / 1e6,
                    h.getValueAtPercentile(99) / 1e6,
                    h.getValueAtPercentile(99.9) / 1e6,
                    h.getValueAtPercentile(99) / (double) latencies.get(0).getValueAtPercentile(99));
        }
    }
}
