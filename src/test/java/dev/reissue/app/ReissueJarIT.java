package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as its users start it: {@code java -jar reissue.jar}. */
class ReissueJarIT {
    private static final int SIGNALLED_BY_TERM = 143;

    @TempDir
    Path dir;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(p -> p.destroyForcibly().onExit().join());
    }

    @Test
    void theVersionIsPrinted() throws Exception {
        Process process = start(Map.of(), "--version");
        assertThat(process.waitFor()).isZero();
        assertThat(out(process)).matches("(?s)reissue \\d+\\.\\d+\\.\\d+.*");
    }

    @Test
    void aWrongCommandLineEndsWithTwo() throws Exception {
        for (String[] arguments : List.of(new String[] {}, new String[] {"cook"}, new String[] {"dev", "--cook"})) {
            Process process = start(Map.of(), arguments);
            assertThat(process.waitFor()).isEqualTo(2);
            assertThat(err(process)).containsAnyOf("Usage: reissue", "Unknown option: '--cook'");
        }
    }

    @Test
    void everyErrorOfTheConfigurationIsListedAndNothingStarts() throws Exception {
        Path file = Files.writeString(dir.resolve("c.yaml"), "http:\n  prot: 1\nscan: {pageSize: 3}\n");
        Process process = start(
                Map.of("REISSUE_HTTP_PORT", "x"),
                "serve",
                "--config",
                file.toString(),
                "--set",
                "postgres.uri=mysql://u:hunter2@h/d");
        assertThat(process.waitFor()).isEqualTo(2);
        assertThat(err(process))
                .contains("http.prot: no such key, did you mean http.port? (from " + file + ":2)")
                .contains("scan.pageSize = \"3\": must be an integer from 200 to 1000 (from " + file + ":3)")
                .contains("http.port = \"x\": must be an integer from 0 to 65535 (from REISSUE_HTTP_PORT)")
                .contains("postgres.uri: must be a URI")
                .doesNotContain("hunter2")
                .doesNotContain("\tat ");
        assertThat(out(process)).isEmpty();
    }

    @Test
    void aDatabaseThatIsNotThereEndsTheStartWithOneAndKeepsThePassword() throws Exception {
        String uri = "postgresql://u:hunter2@127.0.0.1:" + TestRedis.freePort() + "/d";
        Process process = start(
                Map.of("REISSUE_POSTGRES_URI", uri),
                "serve",
                "--set",
                "postgres.startWaitMs=0",
                "--set",
                "http.port=0");
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(out(process)).contains("cannot bring up the schema").doesNotContain("hunter2");
    }

    @Test
    void devStartsEndsCleanlyAndComesBackAfterAKill() throws Exception {
        int managementPort = TestRedis.freePort();
        Process first = dev(managementPort);
        Await.until("the banner", Duration.ofSeconds(20), () -> out(first).contains("curl -X POST http://127.0.0.1:"));

        Process second = dev(TestRedis.freePort());
        assertThat(second.waitFor()).isEqualTo(1);
        assertThat(out(second)).contains("another dev process uses");

        first.destroyForcibly().waitFor();
        Process third = dev(managementPort);
        long began = System.nanoTime();
        third.destroy();
        assertThat(third.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
        assertThat(third.exitValue()).isEqualTo(SIGNALLED_BY_TERM);
        assertThat(out(third)).contains("ended").doesNotContain("a step of the shutdown");
        assertThat(dir.resolve("data/postgres/postmaster.pid")).doesNotExist();
    }

    @Test
    void aSecondSignalEndsTheProcessAtOnce() throws Exception {
        String database = TestPostgres.uri(TestPostgres.freshDatabase());
        try (ServiceProcess service = ServiceProcess.start(database, TestRedis.uri(15), "shutdown.pauseMs=50000")) {
            service.process().destroy();
            Await.until(
                    "the shutdown begins",
                    Duration.ofSeconds(20),
                    () -> service.output().contains("shutting down"));
            assertThat(service.management("/health/ready").status()).isEqualTo(503);
            assertThat(service.process().isAlive()).isTrue();
            service.process().destroy();
            assertThat(service.process().waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(service.process().exitValue()).isEqualTo(SIGNALLED_BY_TERM);
        }
    }

    @Test
    void checkIsACallerAndMigrateOnlyMigrates() throws Exception {
        String database = TestPostgres.uri(TestPostgres.emptyDatabase());
        Process migrated = start(Map.of("REISSUE_POSTGRES_URI", database, "REISSUE_LOG_FORMAT", "text"), "migrate");
        assertThat(migrated.waitFor()).isZero();
        assertThat(out(migrated)).contains("the schema is current");
        try (ServiceProcess service = ServiceProcess.start(database, TestRedis.uri(15), "postgres.migrate=false")) {
            String url = "http://127.0.0.1:" + service.port();
            Process good = start(Map.of(), "check", "--url", url, "--header", "X-Request-Id: c1");
            assertThat(good.waitFor()).as(err(good)).isZero();
            assertThat(out(good)).containsPattern("issued and confirmed: \\d+\\s+issued and abandoned: \\d+");
            Process bad = start(Map.of(), "check", "--url", url + "/elsewhere");
            assertThat(bad.waitFor()).isOne();
            assertThat(err(bad))
                    .contains("Failed: POST /v1/sequences answered 404")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void withoutARightToMigrateAnOutdatedSchemaIsRefused() throws Exception {
        String database = TestPostgres.uri(TestPostgres.emptyDatabase());
        Process process = start(
                Map.of("REISSUE_POSTGRES_URI", database, "REISSUE_POSTGRES_MIGRATE", "false"),
                "serve",
                "--set",
                "postgres.startWaitMs=0",
                "--set",
                "http.port=0",
                "--set",
                "management.port=" + TestRedis.freePort());
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(out(process)).contains("schema");
    }

    /** Starts the dev command, and waits until it is ready or has ended. */
    private Process dev(int managementPort) throws IOException {
        Process process = start(
                Map.of(),
                "dev",
                "--set",
                "dev.dataDir=" + dir.resolve("data"),
                "--set",
                "http.port=0",
                "--set",
                "management.port=" + managementPort);
        Await.until("dev is ready", Duration.ofMinutes(2), () -> !process.isAlive() || ready(managementPort));
        return process;
    }

    private static boolean ready(int managementPort) throws IOException {
        try (RawHttp http = new RawHttp("127.0.0.1", managementPort)) {
            return http.get("/health/ready").status() == 200;
        }
    }

    private Process start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                System.getProperty("reissue.jar", "target/reissue.jar")));
        command.addAll(List.of(arguments));
        int number = started.size();
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(dir.resolve(number + ".out").toFile())
                .redirectError(dir.resolve(number + ".err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("REISSUE_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private String out(Process process) throws IOException {
        return Files.readString(dir.resolve(started.indexOf(process) + ".out"));
    }

    private String err(Process process) throws IOException {
        return Files.readString(dir.resolve(started.indexOf(process) + ".err"));
    }
}
