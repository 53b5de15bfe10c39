package dev.reissue.faults;

import dev.reissue.faults.History.Lost;
import dev.reissue.support.Await;
import dev.reissue.support.KillablePostgres;
import dev.reissue.support.RawHttp;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** Three instances, PostgreSQL and Redis, all real processes, and the ways to break them. Each lane of faults is one thread. */
final class FaultWorld implements AutoCloseable {
    static final int LEASE_MS = 3_000;

    /** Short times, so that numbers come back within seconds; every rule between settings still holds. */
    static final String[] SETTINGS = {
        "instance.leaseMs=" + LEASE_MS,
        "instance.renewMs=500",
        "instance.marginMs=500",
        "instance.reapIntervalMs=300",
        "postgres.leaseDeadlineMs=1000",
        "postgres.settleDeadlineMs=1500",
        "postgres.queryDeadlineMs=3000",
        "postgres.recycleDeadlineMs=3000",
        "postgres.startWaitMs=60000",
        "settle.deadlineMs=2500",
        "issue.handOutMaxMs=800",
        "issue.waitMaxMs=1000",
        "redis.deadlineMs=500",
        "redis.pauseMs=200",
        "scan.intervalMs=250",
        "http.eventLoops=1",
        "log.format=text"
    };

    /** Members that hear nothing of each other for 10 s know that they are apart. */
    private static final long SPLIT_MS = 12_000;

    static final long TIMEOUT_MS = 2_000;
    static final long WINDOW_MS = 3_000;

    final History history = new History();
    final KillablePostgres postgres;
    final FaultRedis redis;
    final List<Node> nodes = new ArrayList<>();

    /** Held while the only ones who know what was lost have to live. */
    private final ReentrantLock memory = new ReentrantLock();

    FaultWorld() throws IOException {
        postgres = new KillablePostgres();
        redis = new FaultRedis();
        for (int i = 0; i < 3; i++) {
            nodes.add(new Node("instance " + i, postgres, redis, SETTINGS));
        }
        nodes.forEach(node -> node.join(nodes));
    }

    /** Starts the instances, creates the sequences, and watches the ledger from then on. */
    void start(List<String> sequences) throws IOException, SQLException {
        nodes.get(0).start();
        watch();
        nodes.get(1).start();
        nodes.get(2).start();
        int size = 10;
        for (String name : sequences) {
            JsonObject definition = new JsonObject()
                    .put("name", name)
                    .put("format", name + "-{seq}")
                    .put("batchSize", size)
                    .put("batchOpenMaxMs", 1_000)
                    .put("confirmTimeoutMs", TIMEOUT_MS)
                    .put("safetyWindowMs", WINDOW_MS)
                    .put("replayCap", 5);
            RawHttp.Answer answer = nodes.get(0).running().send("POST", "/v1/sequences", definition.encode());
            if (answer.status() != 201) {
                throw new AssertionError(answer.status() + ": " + answer.body());
            }
            size *= 10;
        }
        Await.until(
                "every instance knows the sequences",
                Duration.ofSeconds(60),
                () -> nodes.stream().allMatch(n -> knows(n, sequences)));
    }

    void watch() throws SQLException {
        try (Connection c = postgres.connect()) {
            LedgerWatch.install(c);
            history.readTickets(c);
        }
    }

    private static boolean knows(Node node, List<String> sequences) {
        try {
            for (String name : sequences) {
                if (node.running().send("GET", "/v1/sequences/" + name, "").status() != 200) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Breaks something and, where it does not heal by itself, mends it. */
    void inject(FaultPlan.Step step) throws Exception {
        Node node = nodes.get(step.target());
        switch (step.fault()) {
            case KILL_INSTANCE -> {
                withMemory(node::kill9);
                node.start();
            }
            case FREEZE_INSTANCE -> {
                node.freeze();
                try {
                    pause(LEASE_MS + 500 + step.size());
                } finally {
                    node.thaw();
                }
            }
            case ROLLING_RESTART -> {
                for (Node n : nodes) {
                    withMemory(n::term);
                    n.start();
                }
            }
            case CLOCK_OFF -> {
                withMemory(node::term);
                node.start(step.size() % 2 == 0 ? 3600 : -3600);
            }
            case SPLIT_CLUSTER -> {
                nodes.forEach(n -> n.members.shut());
                try {
                    pause(SPLIT_MS + step.size() * 4L);
                } finally {
                    nodes.forEach(n -> n.members.pass());
                }
            }
            case KILL_POSTGRES -> {
                postgres.kill9();
                pause(step.size() / 2);
                postgres.restart();
            }
            case RESTART_POSTGRES -> {
                postgres.stopFast();
                pause(step.size());
                postgres.restart();
            }
            case TERMINATE_BACKENDS -> terminate(step.size());
            case CUT_AT_COMMIT -> cut(node, step.size());
            case KILL_REDIS -> {
                redis.kill9();
                pause(500L + step.size() * 2L);
                redis.restart();
            }
            case FLUSH_REDIS -> redis.flush();
            case STALL_REDIS -> {
                redis.stall();
                try {
                    pause(1_000L + step.size() * 2L);
                } finally {
                    redis.resume();
                }
            }
            case DUPLICATE_POOL -> redis.duplicate();
            case RESTORE_COPY -> restoreCopy(step.size());
        }
    }

    private void terminate(int size) throws SQLException {
        try (Connection c = postgres.connect();
                Statement s = c.createStatement()) {
            for (int i = 0; i < 3; i++) {
                s.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where backend_type = 'client backend' and pid <> pg_backend_pid() and pid % 4 <> "
                        + (size + i) % 4);
                pause(100);
            }
        }
    }

    private static void cut(Node node, int size) throws InterruptedException {
        for (int i = 0; i < 12; i++) {
            switch ((size + i) % 3) {
                case 0 -> node.database.loseNextAnswer();
                case 1 -> node.database.cutBehindNextRequest();
                default -> node.database.loseNextRequest();
            }
            node.database.awaitCut(500);
            pause(40);
        }
        node.database.pass();
        node.database.cutAll();
    }

    /** Whoever saw the lost seconds lives through them: the guard knows what a process or Redis knows. */
    private void restoreCopy(int size) throws IOException {
        Path copy = Files.createTempDirectory("reissue-copy-");
        memory.lock();
        try {
            long copiedNanos = System.nanoTime();
            postgres.copyTo(copy);
            pause(1_500L + size * 2L);
            postgres.kill9();
            postgres.replaceBy(copy);
            postgres.restart();
            history.losses.add(new Lost(copiedNanos, System.nanoTime()));
            // Long enough for every sequence to be leased from once, which is when the loss is noticed.
            pause(2_500);
        } finally {
            memory.unlock();
            remove(copy);
        }
    }

    private void withMemory(Ending ending) throws IOException, InterruptedException {
        memory.lock();
        try {
            ending.run();
        } finally {
            memory.unlock();
        }
    }

    @FunctionalInterface
    private interface Ending {
        void run() throws IOException, InterruptedException;
    }

    static void pause(long ms) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        for (long left = ms; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(left));
        }
    }

    static void remove(Path dir) throws IOException {
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (Node node : nodes) {
            node.close();
        }
        redis.close();
        postgres.close();
    }
}
