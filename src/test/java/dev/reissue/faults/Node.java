package dev.reissue.faults;

import dev.reissue.support.CutProxy;
import dev.reissue.support.KillablePostgres;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.Signals;
import dev.reissue.support.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One instance of the service with its own way to the database; killed and started again, it is a new process. One thread changes it. */
final class Node implements AutoCloseable {
    /** Where Debian's package {@code faketime} has its library. */
    private static final List<Path> FAKETIME = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
            Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"));

    private static final Duration START = Duration.ofMinutes(2);

    /** A start that meets a server that is away for too long ends, and whoever runs the service starts it again. */
    private static final int STARTS_MAX = 50;

    final String name;
    final CutProxy database;

    /** The way of the other instances to this one. */
    final CutProxy members;

    private final int memberPort;
    private final String postgresUri;
    private final String redisUri;
    private final String[] settings;
    private List<String> cluster;
    private final List<String> logs = new ArrayList<>();
    private volatile @Nullable ServiceProcess process;

    Node(String name, KillablePostgres postgres, FaultRedis redis, String... settings) throws IOException {
        this.name = name;
        this.memberPort = TestRedis.freePort();
        this.members = new CutProxy(memberPort);
        this.database = new CutProxy(postgres.port());
        this.postgresUri = postgres.uri().replace(":" + postgres.port() + "/", ":" + database.port() + "/");
        this.redisUri = redis.uri();
        this.settings = settings;
        this.cluster = List.of();
    }

    /** Makes it a member of a cluster with others, all of which reach each other by their proxies only. */
    void join(List<Node> all) {
        List<String> ways =
                all.stream().map(n -> "127.0.0.1:" + n.members.port()).toList();
        cluster = List.of(
                "cluster.enabled=true",
                "cluster.name=faults-" + ways.get(0),
                "cluster.discovery=tcp",
                "cluster.members=" + String.join(",", ways),
                "cluster.port=" + memberPort,
                "cluster.advertise=127.0.0.1:" + members.port());
    }

    static @Nullable Path faketime() {
        return FAKETIME.stream().filter(Files::exists).findFirst().orElse(null);
    }

    /** Starts it, its wall clock off by so many seconds, and does not wait for it. */
    void launch(int clockSeconds) throws IOException {
        Map<String, String> environment = new HashMap<>();
        Path library = faketime();
        if (clockSeconds != 0 && library != null) {
            environment.put("LD_PRELOAD", library.toString());
            environment.put("FAKETIME", (clockSeconds > 0 ? "+" : "") + clockSeconds + "s");
            // The monotonic clock of a machine is right even where its wall clock is not.
            environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            // Without this every timed wait of the JVM ends at once, and all its threads spin.
            environment.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
            environment.put("DONT_FAKE_MONOTONIC", "1");
        }
        List<String> all = new ArrayList<>(List.of(settings));
        all.addAll(cluster);
        process = ServiceProcess.launchIn(environment, postgresUri, redisUri, all.toArray(String[]::new));
    }

    /** Starts it and waits until it is ready; a start that fails because a server is away is repeated. */
    void start() throws IOException {
        start(0);
    }

    void start(int clockSeconds) throws IOException {
        AssertionError last = new AssertionError("never tried");
        for (int i = 0; i < STARTS_MAX; i++) {
            launch(clockSeconds);
            try {
                running().awaitReady(START);
                return;
            } catch (AssertionError e) {
                last = e;
                end();
            }
        }
        throw last;
    }

    void kill9() throws IOException, InterruptedException {
        running().kill9();
        end();
    }

    /** Asks it to end and waits. */
    Duration term() throws IOException, InterruptedException {
        Duration took = running().term();
        end();
        return took;
    }

    void freeze() {
        Signals.send("STOP", running().process().pid());
    }

    void thaw() {
        Signals.send("CONT", running().process().pid());
    }

    boolean isRunning() {
        return process != null;
    }

    /** Returns the port of the API, 0 while there is no process. */
    int port() {
        ServiceProcess p = process;
        return p == null ? 0 : p.port();
    }

    ServiceProcess running() {
        ServiceProcess p = process;
        if (p == null) {
            throw new IllegalStateException(name + " does not run");
        }
        return p;
    }

    /** Returns the lines of all its processes so far that have a text in them. */
    List<String> logged(String text) throws IOException {
        ServiceProcess p = process;
        Stream<String> all = p == null ? logs.stream() : Stream.concat(logs.stream(), Stream.of(p.output()));
        return all.flatMap(String::lines).filter(line -> line.contains(text)).toList();
    }

    private void end() throws IOException {
        ServiceProcess p = running();
        process = null;
        logs.add(p.output());
        p.close();
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            thaw();
            end();
        }
        database.close();
        members.close();
    }
}
