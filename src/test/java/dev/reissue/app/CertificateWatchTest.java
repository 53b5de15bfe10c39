package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reissue.config.Config;
import dev.reissue.metrics.Health;
import dev.reissue.metrics.Metrics;
import dev.reissue.support.Futures;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificate of a port, read, checked and replaced; shown on the management port, whose server is as plain as can be. */
class CertificateWatchTest {
    private static final Path TLS = Path.of("src/test/resources/tls").toAbsolutePath();
    private static final long NEVER_MS = 3_600_000;

    private final Vertx vertx = Vertx.vertx();
    private final Metrics metrics = new Metrics("9.9", System::nanoTime);

    @TempDir
    Path dir;

    @BeforeEach
    void files() throws IOException {
        copy("server.pem", "cert.pem");
        copy("server.key", "key.pem");
    }

    @AfterEach
    void close() throws Exception {
        Futures.get(vertx.close());
        metrics.close();
    }

    @Test
    void newFilesServeNewConnectionsWhileOldOnesGoOn() throws Exception {
        CertificateWatch watch = CertificateWatch.start(vertx, "management", settings(""));
        int port = listen(watch);
        HttpClient old = trusting("ca.pem");
        assertThat(status(old, port)).isEqualTo(200);
        copy("renewed.pem", "cert.pem");
        Futures.get(watch.look());
        assertThat(status(trusting("ca.pem"), port))
                .as("a certificate without its key changes nothing")
                .isEqualTo(200);
        copy("renewed.key", "key.pem");
        Futures.get(watch.look());
        assertThat(status(trusting("renewed-ca.pem"), port)).isEqualTo(200);
        assertThatThrownBy(() -> status(trusting("ca.pem"), port)).isInstanceOf(Exception.class);
        assertThat(status(old, port)).as("a connection that was open").isEqualTo(200);
    }

    @Test
    void whatCannotBeUsedChangesNothing() throws Exception {
        CertificateWatch watch = CertificateWatch.start(vertx, "management", settings(""));
        int port = listen(watch);
        Files.writeString(dir.resolve("cert.pem"), "-----BEGIN CERTIFICATE-----\nnot one\n-----END CERTIFICATE-----\n");
        Futures.get(watch.look());
        Files.delete(dir.resolve("key.pem"));
        Futures.get(watch.look());
        assertThat(status(trusting("ca.pem"), port)).isEqualTo(200);
    }

    @Test
    void aCallerWithoutACertificateIsNotHeardWhereOneIsWanted() throws Exception {
        CertificateWatch watch = CertificateWatch.start(
                vertx, "management", settings(TLS.resolve("renewed-ca.pem").toString()));
        int port = listen(watch);
        assertThatThrownBy(() -> status(trusting("ca.pem"), port)).isInstanceOf(Exception.class);
        HttpClientOptions known = options("ca.pem")
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertPath(TLS.resolve("client.pem").toString())
                        .addKeyPath(TLS.resolve("client.key").toString()));
        assertThat(status(vertx.createHttpClient(known), port)).isEqualTo(200);
    }

    @Test
    void filesThatDoNotBelongTogetherStopTheStart() throws IOException {
        copy("renewed.key", "key.pem");
        assertThatThrownBy(() -> CertificateWatch.start(vertx, "http", settings("")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("http.tls")
                .hasMessageContaining("does not match");
        copy("client.key", "key.pem");
        assertThatThrownBy(() -> CertificateWatch.start(vertx, "http", settings("")))
                .hasMessageContaining("not that of the certificate");
        Files.delete(dir.resolve("cert.pem"));
        assertThatThrownBy(() -> CertificateWatch.start(vertx, "http", settings("")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cert.pem");
    }

    @Test
    void theEndOfTheCertificateIsAMeter() throws Exception {
        CertificateWatch watch = CertificateWatch.start(vertx, "http", settings(""));
        metrics.watchCertificate("http", watch::notAfter);
        assertThat(metrics.scrape())
                .containsPattern("reissue_tls_certificate_not_after_seconds\\{port=\"http\",?} 4\\.9\\d*E9");
    }

    private int listen(CertificateWatch watch) throws Exception {
        ManagementVerticle verticle = new ManagementVerticle(
                new Config.Management("127.0.0.1", 0, settings("")), watch.tls(), new Health(), metrics);
        Futures.get(vertx.deployVerticle(verticle));
        return verticle.port();
    }

    private Config.Tls settings(String clientCa) {
        return new Config.Tls(
                dir.resolve("cert.pem").toString(), dir.resolve("key.pem").toString(), clientCa, NEVER_MS);
    }

    private HttpClient trusting(String ca) {
        return vertx.createHttpClient(options(ca));
    }

    private static HttpClientOptions options(String ca) {
        return new HttpClientOptions()
                .setSsl(true)
                .setTrustOptions(
                        new PemTrustOptions().addCertPath(TLS.resolve(ca).toString()));
    }

    private static int status(HttpClient client, int port) throws Exception {
        return Futures.get(client.request(HttpMethod.GET, port, "localhost", "/health/live")
                .compose(request -> request.send())
                .compose(response -> response.body().map(body -> response.statusCode())));
    }

    private void copy(String from, String to) throws IOException {
        Files.copy(TLS.resolve(from), dir.resolve(to), StandardCopyOption.REPLACE_EXISTING);
    }
}
