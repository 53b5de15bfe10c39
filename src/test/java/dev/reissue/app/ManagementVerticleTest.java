package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.api.PortTls;
import dev.reissue.config.Config;
import dev.reissue.metrics.Health;
import dev.reissue.metrics.Metrics;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ManagementVerticleTest {
    private final Vertx vertx = Vertx.vertx();
    private final Health health = new Health();
    private final Metrics metrics = new Metrics("9.9", System::nanoTime);
    private final ManagementVerticle management = new ManagementVerticle(
            new Config.Management("127.0.0.1", 0, new Config.Tls("", "", "", 1_000)), PortTls.none(), health, metrics);

    @BeforeEach
    void start() {
        vertx.deployVerticle(management)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        metrics.close();
    }

    @Test
    void readinessFollowsItsChecksAndNamesThem() throws Exception {
        AtomicBoolean up = new AtomicBoolean();
        health.addReadiness(() -> new Health.Check("database", up.get(), "why \"so\""));
        health.addReadiness(() -> new Health.Check("lease", true, "valid"));
        HttpResponse<String> down = get("/health/ready");
        assertThat(down.statusCode()).isEqualTo(503);
        assertThat(down.body())
                .isEqualTo("{\"status\":\"down\",\"checks\":["
                        + "{\"name\":\"database\",\"status\":\"down\",\"detail\":\"why \\\"so\\\"\"},"
                        + "{\"name\":\"lease\",\"status\":\"up\",\"detail\":\"valid\"}]}");
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        up.set(true);
        assertThat(get("/health/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void metricsArePrometheusText() throws Exception {
        HttpResponse<String> answer = get("/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValueSatisfying(t -> assertThat(t).startsWith("text/plain"));
        assertThat(answer.body())
                .contains("reissue_build_info{")
                .contains("version=\"9.9\"")
                .contains("jvm_memory_used_bytes");
    }

    @Test
    void anythingElseIsRefused() throws Exception {
        assertThat(get("/").statusCode()).isEqualTo(404);
        HttpRequest post = request("/health/live")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(send(post).statusCode()).isEqualTo(405);
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path).build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + management.port() + path));
    }

    private static HttpResponse<String> send(HttpRequest request) throws Exception {
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
