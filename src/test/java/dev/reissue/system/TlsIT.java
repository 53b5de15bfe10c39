package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reissue.ledger.StoreException;
import dev.reissue.postgres.Migrations;
import dev.reissue.postgres.PgDatabase;
import dev.reissue.redis.RedisClient;
import dev.reissue.support.Futures;
import dev.reissue.support.TestRedis;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.sqlclient.Tuple;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS to PostgreSQL and Redis: who proves what to whom. The server's certificate is for localhost, by a CA of the test's own. */
class TlsIT {
    private static final Path CERTIFICATES = Path.of("src/test/resources/tls").toAbsolutePath();
    private static final Path CA = CERTIFICATES.resolve("ca.pem");
    private static final Path OTHER_CA = CERTIFICATES.resolve("other-ca.pem");

    private final Vertx vertx = Vertx.vertx();

    @TempDir
    Path dir;

    @AfterEach
    void close() throws Exception {
        Futures.get(vertx.close());
    }

    @Test
    void postgresIsSpokenToAsSslmodeSays() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setServerConfig("ssl", "on")
                .setServerConfig("ssl_cert_file", copy("server.pem").toString())
                .setServerConfig("ssl_key_file", copy("server.key").toString())
                .start()) {
            String local = "postgresql://postgres:postgres@localhost:" + server.getPort()
                    + "/postgres?application_name=t&sslmode=";
            String byAddress = local.replace("localhost", "127.0.0.1");
            assertThat(encrypted(local + "disable")).isFalse();
            assertThat(encrypted(byAddress + "require")).isTrue();
            assertThat(encrypted(byAddress + "verify-ca&sslrootcert=" + CA)).isTrue();
            assertThat(encrypted(local + "verify-full&sslrootcert=" + CA)).isTrue();
            for (String refused : new String[] {
                byAddress + "verify-full&sslrootcert=" + CA,
                local + "verify-full&sslrootcert=" + OTHER_CA,
                byAddress + "require&sslrootcert=" + OTHER_CA,
                local + "verify-full"
            }) {
                assertThatThrownBy(() -> encrypted(refused)).as(refused).hasRootCauseInstanceOf(Exception.class);
                assertThatThrownBy(() -> Futures.get(new Migrations(vertx, refused).migrate()))
                        .as(refused)
                        .isInstanceOf(StoreException.class);
            }
            Futures.get(new Migrations(vertx, local + "verify-full&sslrootcert=" + CA).migrate());
        }
    }

    @Test
    void redisProvesItsName() throws Exception {
        int plain = URI.create(TestRedis.uri(0)).getPort();
        NetServer tls = Futures.get(vertx.createNetServer(new NetServerOptions()
                        .setSsl(true)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .addCertPath(CERTIFICATES.resolve("server.pem").toString())
                                .addKeyPath(CERTIFICATES.resolve("server.key").toString())))
                .connectHandler(in -> {
                    in.pause();
                    vertx.createNetClient().connect(plain, "127.0.0.1").onSuccess(out -> {
                        in.pipeTo(out);
                        out.pipeTo(in);
                    });
                })
                .listen(0, "127.0.0.1"));
        String local = "rediss://localhost:" + tls.actualPort() + "/9";
        assertThat(ping(local + "?sslrootcert=" + CA)).isEqualTo("PONG");
        for (String refused : new String[] {
            local, local + "?sslrootcert=" + OTHER_CA, local.replace("localhost", "127.0.0.1") + "?sslrootcert=" + CA
        }) {
            assertThatThrownBy(() -> ping(refused)).as(refused).isInstanceOf(StoreException.class);
        }
    }

    private boolean encrypted(String uri) throws Exception {
        PgDatabase database = new PgDatabase(vertx, uri, "tls", 1, 1, 10_000);
        try {
            return Futures.get(
                            database.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()", Tuple.tuple()))
                    .iterator()
                    .next()
                    .getBoolean(0);
        } finally {
            Futures.get(database.close());
        }
    }

    private String ping(String uri) throws Exception {
        RedisClient client =
                new RedisClient(vertx, new RedisClient.Settings(uri, 5_000, 0, 10, false), System::nanoTime);
        try {
            return String.valueOf(Futures.get(client.send(Request.cmd(Command.PING))));
        } finally {
            Futures.get(client.close());
        }
    }

    /** The server insists on a key that only its user can read. */
    private Path copy(String name) throws IOException {
        Path copy = Files.copy(CERTIFICATES.resolve(name), dir.resolve(name));
        return Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-------"));
    }
}
