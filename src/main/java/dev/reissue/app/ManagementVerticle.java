package dev.reissue.app;

import dev.reissue.api.PortTls;
import dev.reissue.config.Config;
import dev.reissue.metrics.Health;
import dev.reissue.metrics.Metrics;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** The port of operators: {@code /health/live}, {@code /health/ready} and {@code /metrics}. One event loop. */
final class ManagementVerticle extends VerticleBase {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final int IDLE_SECONDS = 120;
    private static final int LONGEST_HEADERS = 8192;

    private final Config.Management settings;
    private final PortTls tls;
    private final Health health;
    private final Metrics metrics;
    private volatile int port;

    ManagementVerticle(Config.Management settings, PortTls tls, Health health, Metrics metrics) {
        this.settings = settings;
        this.tls = tls;
        this.health = health;
        this.metrics = metrics;
    }

    /** Returns the port that was taken; 0 before the start. */
    int port() {
        return port;
    }

    @Override
    public Future<?> start() {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(settings.host())
                .setPort(settings.port())
                .setIdleTimeout(IDLE_SECONDS)
                .setMaxHeaderSize(LONGEST_HEADERS);
        tls.configure(options);
        HttpServer server = vertx.createHttpServer(options).requestHandler(this::handle);
        return server.listen().onSuccess(listening -> {
            port = listening.actualPort();
            tls.add(listening);
        });
    }

    private void handle(HttpServerRequest request) {
        HttpServerResponse response = request.response().putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        if (!HttpMethod.GET.equals(request.method()) && !HttpMethod.HEAD.equals(request.method())) {
            response.setStatusCode(405).putHeader("Allow", "GET, HEAD").end();
            return;
        }
        switch (request.path()) {
            case "/health/live" -> report(response, health.live());
            case "/health/ready" -> report(response, health.ready());
            case "/metrics" -> scrape(response);
            default -> response.setStatusCode(404).end();
        }
    }

    private static void report(HttpServerResponse response, Health.Report report) {
        JsonArray checks = new JsonArray();
        for (Health.Check check : report.checks()) {
            checks.add(new JsonObject()
                    .put("name", check.name())
                    .put("status", check.up() ? "up" : "down")
                    .put("detail", check.detail()));
        }
        JsonObject body =
                new JsonObject().put("status", report.up() ? "up" : "down").put("checks", checks);
        response.setStatusCode(report.up() ? 200 : 503)
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .end(body.toBuffer());
    }

    private void scrape(HttpServerResponse response) {
        vertx.executeBlocking(metrics::scrape)
                .onSuccess(text ->
                        response.putHeader(HttpHeaders.CONTENT_TYPE, PROMETHEUS).end(text))
                .onFailure(e -> response.setStatusCode(500).end());
    }
}
