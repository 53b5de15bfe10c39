package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.Futures;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both ports of a process with TLS, and certificates that are replaced under load. */
class TlsPortsIT {
    private static final Path TLS = Path.of("src/test/resources/tls").toAbsolutePath();
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Vertx vertx = Vertx.vertx();

    @TempDir
    Path dir;

    @AfterEach
    void close() throws Exception {
        Futures.get(vertx.close());
    }

    @Test
    void certificatesAreReplacedUnderLoadWithoutAFailedRequest() throws Exception {
        copy("server.pem", "cert.pem");
        copy("server.key", "key.pem");
        String cert = dir.resolve("cert.pem").toString();
        String key = dir.resolve("key.pem").toString();
        try (ServiceProcess service = ServiceProcess.launch(
                TestPostgres.uri(TestPostgres.freshDatabase()),
                TestRedis.uri(4),
                "http.tlsCertFile=" + cert,
                "http.tlsKeyFile=" + key,
                "management.tlsCertFile=" + cert,
                "management.tlsKeyFile=" + key,
                "tls.reloadMs=100")) {
            HttpClient before = client("ca.pem");
            Await.until(
                    "ready",
                    SOON,
                    () -> status(before, HttpMethod.GET, service.managementPort(), "/health/ready") == 200);
            assertThat(create(before, service.port())).isEqualTo(201);
            List<Future<Integer>> answers = load(before, service.port(), new ArrayList<>());
            copy("renewed.pem", "cert.pem");
            copy("renewed.key", "key.pem");
            for (int port : new int[] {service.port(), service.managementPort()}) {
                Await.until("port " + port + " has the new certificate", SOON, () -> {
                    load(before, service.port(), answers);
                    return status(client("renewed-ca.pem"), HttpMethod.GET, port, "/") == 404;
                });
            }
            load(before, service.port(), answers);
            for (Future<Integer> answer : answers) {
                assertThat(Futures.get(answer)).isEqualTo(200);
            }
        }
    }

    private List<Future<Integer>> load(HttpClient client, int port, List<Future<Integer>> answers) {
        for (int i = 0; i < 20; i++) {
            answers.add(send(client, HttpMethod.POST, port, "/v1/sequences/tls/next", Buffer.buffer()));
        }
        return answers;
    }

    private static int create(HttpClient client, int port) {
        return Futures.get(send(client, HttpMethod.POST, port, "/v1/sequences", Buffer.buffer("{\"name\":\"tls\"}")));
    }

    private static int status(HttpClient client, HttpMethod method, int port, String path) {
        return Futures.get(send(client, method, port, path, Buffer.buffer()));
    }

    private static Future<Integer> send(HttpClient client, HttpMethod method, int port, String path, Buffer body) {
        RequestOptions options = new RequestOptions()
                .setMethod(method)
                .setHost("localhost")
                .setPort(port)
                .setURI(path)
                .putHeader("Content-Type", "application/json");
        return client.request(options).compose(request -> {
            assertThat(request.version()).isEqualTo(HttpVersion.HTTP_2);
            return request.send(body).compose(r -> r.body().map(b -> r.statusCode()));
        });
    }

    private HttpClient client(String ca) {
        return vertx.createHttpClient(new HttpClientOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setTrustOptions(
                        new PemTrustOptions().addCertPath(TLS.resolve(ca).toString())));
    }

    private void copy(String from, String to) throws IOException {
        Files.copy(TLS.resolve(from), dir.resolve(to), StandardCopyOption.REPLACE_EXISTING);
    }
}
