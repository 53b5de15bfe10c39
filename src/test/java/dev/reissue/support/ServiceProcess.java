package dev.reissue.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The service as a process of its own, started from its jar with {@code serve}. One thread. */
public final class ServiceProcess implements AutoCloseable {
    private final Process process;
    private final Path log;
    private final int port;
    private final int managementPort;

    private ServiceProcess(Process process, Path log, int port, int managementPort) {
        this.process = process;
        this.log = log;
        this.port = port;
        this.managementPort = managementPort;
    }

    /**
     * Starts the service on free ports and waits until it is ready.
     *
     * @param settings further {@code key=value} settings
     */
    public static ServiceProcess start(String postgresUri, String redisUri, String... settings) throws IOException {
        return startIn(Map.of(), postgresUri, redisUri, settings);
    }

    /** Starts the service with more variables in its environment, and waits until it is ready. */
    public static ServiceProcess startIn(
            Map<String, String> environment, String postgresUri, String redisUri, String... settings)
            throws IOException {
        ServiceProcess started = launchIn(environment, postgresUri, redisUri, settings);
        try {
            // A library that is loaded before may make it slow.
            started.awaitReady(Duration.ofMinutes(environment.isEmpty() ? 1 : 3));
        } catch (AssertionError e) {
            started.close();
            throw e;
        }
        return started;
    }

    /** Starts the service on free ports and does not wait for it. */
    public static ServiceProcess launch(String postgresUri, String redisUri, String... settings) throws IOException {
        return launchIn(Map.of(), postgresUri, redisUri, settings);
    }

    /** Starts the service with more variables in its environment, and does not wait for it. */
    public static ServiceProcess launchIn(
            Map<String, String> environment, String postgresUri, String redisUri, String... settings)
            throws IOException {
        int port = TestRedis.freePort();
        int managementPort = TestRedis.freePort();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                System.getProperty("reissue.jar", "target/reissue.jar"),
                "serve"));
        List<String> all = new ArrayList<>(List.of(
                "http.host=127.0.0.1",
                "http.port=" + port,
                // Tests of tenants say otherwise: the last setting counts.
                "auth.required=false",
                "management.port=" + managementPort,
                "postgres.uri=" + postgresUri,
                "redis.uri=" + redisUri));
        all.addAll(Arrays.asList(settings));
        for (String setting : all) {
            command.add("--set");
            command.add(setting);
        }
        Path log = Files.createTempFile("reissue-", ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        return new ServiceProcess(process, log, port, managementPort);
    }

    /** Waits until the service says that it is ready. */
    public void awaitReady(Duration deadline) throws IOException {
        Await.until("the service is ready or has ended; its log: " + log, deadline, () -> {
            return !process.isAlive() || management("/health/ready").status() == 200;
        });
        if (!process.isAlive()) {
            throw new AssertionError("the service ended with " + process.exitValue() + ": " + output());
        }
    }

    /** Opens a connection to the public port. */
    public RawHttp connect() throws IOException {
        return new RawHttp("127.0.0.1", port);
    }

    /** Sends one request to the public port. */
    public RawHttp.Answer send(String method, String path, String json) throws IOException {
        try (RawHttp http = connect()) {
            return http.send(method, path, json);
        }
    }

    /** Gets a resource of the management port. */
    public RawHttp.Answer management(String path) throws IOException {
        try (RawHttp http = new RawHttp("127.0.0.1", managementPort)) {
            return http.get(path);
        }
    }

    /** Returns the public port. */
    public int port() {
        return port;
    }

    /** Returns the management port. */
    public int managementPort() {
        return managementPort;
    }

    /** Returns the process. */
    public Process process() {
        return process;
    }

    /** Returns what the service has printed so far. */
    public String output() throws IOException {
        return Files.readString(log);
    }

    /** Ends the service without any chance to clean up (SIGKILL) and waits for its end. */
    public void kill9() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /**
     * Asks the service to end (SIGTERM).
     *
     * @return how long it took
     * @throws AssertionError if it takes longer than 15 s
     */
    public Duration term() throws InterruptedException {
        long start = System.nanoTime();
        process.destroy();
        if (!process.waitFor(15, TimeUnit.SECONDS)) {
            throw new AssertionError("the service did not end within 15 s of TERM; its log: " + log);
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        process.onExit().join();
        Files.deleteIfExists(log);
    }
}
