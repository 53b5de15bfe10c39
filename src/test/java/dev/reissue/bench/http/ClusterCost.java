package dev.reissue.bench.http;

import dev.reissue.support.Await;
import dev.reissue.support.KillablePostgres;
import dev.reissue.support.RawHttp;
import dev.reissue.support.TestRedis;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what the cluster costs: {@code next} at a process without one and at a member of a cluster of two, in one run, in turn, both
 * on the same core; the other member, the client, PostgreSQL and Redis on another core.
 *
 * <p>Run it like {@link HttpBench}. It prints a table.
 */
@Command(name = "cluster-cost", description = "Measures what the cluster costs.", mixinStandardHelpOptions = true)
public final class ClusterCost implements Callable<Integer> {
    private static final int CONNECTIONS = 64;
    private static final Duration START = Duration.ofSeconds(60);

    @Option(names = "--jar", description = "The service's jar.", defaultValue = "target/reissue.jar")
    private Path jar = Path.of("target/reissue.jar");

    @Option(names = "--warmup", description = "Seconds of load on each before it counts.", defaultValue = "40")
    private double warmup;

    @Option(names = "--seconds", description = "Seconds of one run.", defaultValue = "8")
    private double seconds;

    @Option(names = "--rounds", description = "How often both are run, in turn.", defaultValue = "5")
    private int rounds;

    private ClusterCost() {}

    /** Runs the benchmark; ends with status 1 where a request failed. */
    public static void main(String[] args) {
        // No daemon thread of a server's client may keep the program alive.
        System.exit(new CommandLine(new ClusterCost()).execute(args));
    }

    /** A service, and what its runs summed up to. */
    private static final class Subject {
        private final String title;
        private final PinnedProcess process;
        private final int port;
        private final double startSeconds;
        private long requests;
        private long failures;
        private double took;
        private double cpu;

        Subject(String title, PinnedProcess process, int port, double startSeconds) {
            this.title = title;
            this.process = process;
            this.port = port;
            this.startSeconds = startSeconds;
        }

        double rate() {
            return requests / took;
        }

        double cpuPerMillion() {
            return cpu * 1e6 / requests;
        }
    }

    @Override
    public Integer call() throws Exception {
        boolean pinned = PinnedProcess.present("taskset");
        if (pinned) {
            PinnedProcess.pinMyself(1);
        }
        int core = pinned ? 0 : -1;
        List<Integer> ports = List.of(TestRedis.freePort(), TestRedis.freePort());
        List<Subject> all = new ArrayList<>();
        try (KillablePostgres postgres = new KillablePostgres();
                LoadClient client = new LoadClient(CONNECTIONS)) {
            try {
                all.add(start("without", postgres, core, List.of()));
                all.add(start("clustered", postgres, core, member(ports, 0)));
                all.add(start("the other member", postgres, pinned ? 1 : -1, member(ports, 1)));
                awaitMembers(all.get(1));
                return measure(client, all.subList(0, 2));
            } finally {
                all.forEach(subject -> subject.process.close());
            }
        }
    }

    private int measure(LoadClient client, List<Subject> both) throws Exception {
        for (Subject subject : both) {
            client.closed(subject.port, warmup, i -> Conversations.repeat(path(subject)));
        }
        for (int round = 0; round < rounds; round++) {
            for (Subject subject : both) {
                double before = subject.process.cpuSeconds();
                Load load = client.closed(subject.port, seconds, i -> Conversations.repeat(path(subject)));
                subject.cpu += subject.process.cpuSeconds() - before;
                subject.requests += load.rounds();
                subject.failures += load.failures();
                subject.took += load.seconds();
            }
        }
        for (Subject subject : both) {
            System.out.printf(
                    "%-10s %8.0f next/s  %5.2f CPU s per million  %d failed  ready after %.2f s  resident %d MB%n",
                    subject.title,
                    subject.rate(),
                    subject.cpuPerMillion(),
                    subject.failures,
                    subject.startSeconds,
                    subject.process.residentMb());
        }
        Subject without = both.get(0);
        Subject clustered = both.get(1);
        System.out.printf(
                "clustered to without: %.3f of the requests, %.3f of the CPU for each%n",
                clustered.rate() / without.rate(), clustered.cpuPerMillion() / without.cpuPerMillion());
        return without.failures + clustered.failures == 0 ? 0 : 1;
    }

    private static String path(Subject subject) {
        return Conversations.path(subject.title.equals("without") ? "alone" : "shared", "next");
    }

    private static List<String> member(List<Integer> ports, int place) {
        return List.of(
                "cluster.enabled=true",
                "cluster.name=cost-" + ports.get(0),
                "cluster.discovery=tcp",
                "cluster.members=127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1),
                "cluster.port=" + ports.get(place));
    }

    private Subject start(String title, KillablePostgres postgres, int core, List<String> settings) throws IOException {
        int port = TestRedis.freePort();
        int managementPort = TestRedis.freePort();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                jar.toString(),
                "serve"));
        List<String> all = new ArrayList<>(List.of(
                "http.host=127.0.0.1",
                "auth.required=false",
                "http.port=" + port,
                "management.port=" + managementPort,
                "postgres.uri=" + postgres.uri(),
                "redis.uri=" + TestRedis.uri(0)));
        all.addAll(settings);
        for (String setting : all) {
            command.add("--set");
            command.add(setting);
        }
        long began = System.nanoTime();
        PinnedProcess process = PinnedProcess.start(core, command);
        Await.until(title + " is ready", START, () -> {
            try (RawHttp http = new RawHttp("127.0.0.1", managementPort)) {
                return http.get("/health/ready").status() == 200;
            }
        });
        Subject subject = new Subject(title, process, port, (System.nanoTime() - began) / 1e9);
        if (settings.isEmpty()) {
            create(subject, "alone");
            create(subject, "shared");
        }
        return subject;
    }

    private static void create(Subject subject, String sequence) throws IOException {
        try (RawHttp http = new RawHttp("127.0.0.1", subject.port)) {
            RawHttp.Answer answer = http.post("/v1/sequences", """
                    {"name":"%s","format":"%s-{seq:10}","confirmTimeoutMs":3600000,"safetyWindowMs":7200000}
                    """.formatted(sequence, sequence));
            if (answer.status() != 201) {
                throw new IllegalStateException(answer.toString());
            }
        }
    }

    private static void awaitMembers(Subject subject) {
        Await.until("the two see each other", START, () -> {
            try (RawHttp http = new RawHttp("127.0.0.1", subject.port)) {
                return http.get("/v1/recycle").body().split("\"self\":", -1).length == 3;
            }
        });
    }
}
