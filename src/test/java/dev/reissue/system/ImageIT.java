package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.RawHttp;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import dev.reissue.support.UnpackedImage;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The container image, from the tar that {@code .ci/run image} builds on no base: what is in it, and the service started from its
 * layers by the command line that the image has. Skipped where no tar is named.
 */
@EnabledIfSystemProperty(named = "reissue.image", matches = ".+")
class ImageIT {
    private static final int SIGNALLED_BY_TERM = 143;

    @TempDir
    static Path dir;

    private final int port = TestRedis.freePort();
    private final int managementPort = TestRedis.freePort();
    private final UnpackedImage image = UnpackedImage.unpack(Path.of(System.getProperty("reissue.image")), dir);

    ImageIT() throws IOException {}

    @Test
    void itHoldsTheServiceAndNothingElse() {
        System.out.printf(
                "image: %d layers, %d files, %.1f MB packed; the JVM's arguments: %s%n",
                image.layers(), image.files().size(), image.packedBytes() / 1e6, image.command());
        assertThat(image.files())
                .contains("app/conf/jvm.options", "etc/reissue/reissue.yaml", "app/classes/dev/reissue/app/Main.class")
                .contains("app/resources/db/migration/V1__ledger.sql")
                .anyMatch(f -> f.matches("app/libs/hazelcast-[0-9.]+\\.jar"))
                .anyMatch(f -> f.matches("app/libs/vertx-core-[0-9.]+\\.jar"))
                .anyMatch(f -> f.matches("app/libs/netty-transport-native-epoll-.*linux-x86_64\\.jar"))
                .allMatch(f -> f.startsWith("app/") || f.startsWith("etc/reissue/"))
                .noneMatch(f -> f.matches("(?i).*(embedded|zonky|redis-server|junit|assertj|jmh|jcstress|archunit).*"));
        assertThat(image.config().getString("User")).isEqualTo("10001:10001");
        assertThat(image.config().getJsonObject("ExposedPorts").fieldNames())
                .containsExactlyInAnyOrder("8080/tcp", "8081/tcp", "5701/tcp");
        assertThat(image.command()).startsWith("java", "@/app/conf/jvm.options");
        assertThat(image.command()).endsWith("dev.reissue.app.Main", "serve", "--config", "/etc/reissue/reissue.yaml");
    }

    @Test
    void itServesAsNobodyOnAReadOnlyRootAndEndsInOrder() throws Exception {
        String database = TestPostgres.uri(TestPostgres.freshDatabase());
        Process process = start(image.command(), database);
        try {
            Await.until("the service is ready; its log: " + out(), Duration.ofMinutes(1), () -> isReady(process));
            assertThat(process.isAlive()).as(out()).isTrue();
            try (RawHttp http = new RawHttp("127.0.0.1", port)) {
                Json.expect(201, http.post("/v1/sequences", Json.sequence("image", 100, new JsonObject())));
                settle(http, "confirm");
                settle(http, "abandon");
            }
            image.signal(process, "TERM");
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(SIGNALLED_BY_TERM);
            assertThat(out())
                    .contains("\"ended\"")
                    .doesNotContain("a step of the shutdown")
                    .as("no warning of the JVM about flags, native or unsafe access")
                    .doesNotContain("WARNING:")
                    .doesNotContain("epoll cannot be had")
                    .doesNotContain("modular environment");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void itMigratesAndSaysThatItHasNoServersForDev() throws Exception {
        List<String> migrate = withArguments("migrate", "--config", "/etc/reissue/reissue.yaml");
        Process first = start(migrate, TestPostgres.uri(TestPostgres.freshDatabase()));
        assertThat(first.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(out()).contains("the schema is current");
        assertThat(first.exitValue()).isZero();
        Process dev = start(withArguments("dev", "--set", "dev.dataDir=/tmp/data"), "postgresql://u@127.0.0.1:1/d");
        assertThat(dev.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(out()).contains("run serve instead");
        assertThat(dev.exitValue()).isOne();
    }

    private List<String> withArguments(String... arguments) {
        List<String> command = new ArrayList<>(image.command());
        command.subList(command.indexOf("serve"), command.size()).clear();
        command.addAll(List.of(arguments));
        return command;
    }

    private Process start(List<String> command, String database) throws IOException {
        return image.run(
                command,
                dir.resolve("out"),
                "REISSUE_POSTGRES_URI=" + database,
                "REISSUE_REDIS_URI=" + TestRedis.uri(7),
                "REISSUE_HTTP_HOST=127.0.0.1",
                "REISSUE_HTTP_PORT=" + port,
                "REISSUE_AUTH_REQUIRED=false",
                "REISSUE_MANAGEMENT_PORT=" + managementPort,
                "REISSUE_CLUSTER_ENABLED=true",
                "REISSUE_CLUSTER_PORT_TRIES=100",
                "REISSUE_SHUTDOWN_PAUSE_MS=200");
    }

    private static void settle(RawHttp http, String what) throws IOException {
        JsonObject issued = Json.expect(200, http.post("/v1/sequences/image/next", ""));
        JsonObject ticket = new JsonObject().put("ticket", issued.getString("ticket"));
        Json.expect(200, http.post("/v1/sequences/image/" + what, ticket.encode()));
    }

    private boolean isReady(Process process) throws IOException {
        if (!process.isAlive()) {
            return true;
        }
        try (RawHttp http = new RawHttp("127.0.0.1", managementPort)) {
            return http.get("/health/ready").status() == 200;
        }
    }

    private static String out() throws IOException {
        Path out = dir.resolve("out");
        return Files.exists(out) ? Files.readString(out) : "";
    }
}
