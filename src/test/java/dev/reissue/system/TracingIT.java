package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.reissue.support.Await;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The names of requests on their way through a real process: log, history, spans at a collector. */
class TracingIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String SAMPLED = "0af7651916cd43dd8448eb211c80319c";
    private static final String UNSAMPLED = "1af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "b7ad6b7169203331";

    private final String database = TestPostgres.freshDatabase();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Test
    void aRequestIsFoundAgainInLogHistoryAndSpans() throws Exception {
        try (Collector collector = new Collector();
                ServiceProcess service = start(collector.url(), "tracing.samplePercent=0", "log.level=debug")) {
            create(service);
            JsonObject taken = Json.expect(200, service.send("POST", "/v1/sequences/order/next", ""));
            String number = taken.getString("number");
            String body = new JsonObject()
                    .put("ticket", taken.getString("ticket"))
                    .put("bizKey", "k")
                    .encode();
            HttpResponse<String> confirmed = post(
                    service,
                    "/v1/sequences/order/confirm",
                    body,
                    "traceparent",
                    "00-" + SAMPLED + "-" + PARENT + "-01");
            assertThat(confirmed.statusCode()).isEqualTo(200);
            post(service, "/v1/sequences/order/confirm", body, "traceparent", "00-" + UNSAMPLED + "-" + PARENT + "-00");
            post(service, "/v1/sequences/order/confirm", body, "traceparent", "ff-" + UNSAMPLED + "-" + PARENT + "-01");

            JsonObject known = Json.expect(200, service.send("GET", "/v1/sequences/order/numbers/" + number, ""));
            assertThat(known.getString("settledBy")).isEqualTo(SAMPLED);
            assertThat(known.getString("traceId")).isEqualTo(SAMPLED);
            assertThat(known.getJsonArray("history").getJsonObject(0).getString("actor"))
                    .isEqualTo(SAMPLED);
            assertThat(known.getJsonArray("history").getJsonObject(0).getString("traceId"))
                    .isEqualTo(SAMPLED);
            Await.until("the span is there", SOON, () -> collector.has("POST /v1/sequences/{name}/confirm"));
            assertThat(collector.hasBytes(SAMPLED)).isTrue();
            assertThat(collector.hasBytes(PARENT)).as("the caller's span").isTrue();

            service.term();
            assertThat(collector.hasBytes(UNSAMPLED)).isFalse();
            assertThat(collector.has("/next")).as("nobody asked to record it").isFalse();
            assertThat(collector.has(number)).isFalse();
            assertThat(collector.has(taken.getString("ticket"))).isFalse();
            assertThat(collector.paths).containsOnly("/v1/traces");
            String log = service.output();
            assertThat(log.lines().filter(l -> l.contains(SAMPLED)).toList())
                    .hasSize(1)
                    .allSatisfy(line -> assertThat(line)
                            .contains("requestId", "traceId", "sequences", "confirm", "200")
                            .doesNotContain(number));
        }
    }

    @Test
    void aCollectorThatIsAwayOrStuckCostsNoRequestAnything() throws Exception {
        try (Collector stuck = new Collector()) {
            stuck.stuck.set(true);
            for (String url : List.of("http://127.0.0.1:" + TestRedis.freePort() + "/v1/traces", stuck.url())) {
                try (ServiceProcess service =
                        start(url, "tracing.samplePercent=100", "tracing.queueMax=50", "tracing.deadlineMs=500")) {
                    if (url.equals(stuck.url())) {
                        assertThat(service.send("GET", "/v1/sequences/order", "")
                                        .status())
                                .isEqualTo(200);
                    } else {
                        create(service);
                    }
                    try (RawHttp http = service.connect()) {
                        for (int i = 0; i < 500; i++) {
                            assertThat(http.post("/v1/sequences/order/next", "").status())
                                    .isEqualTo(200);
                        }
                    }
                    Await.until(
                            "spans are dropped",
                            SOON,
                            () -> service.management("/metrics")
                                    .body()
                                    .lines()
                                    .anyMatch(l -> l.startsWith("reissue_spans_total{outcome=\"dropped\"}")
                                            && !l.endsWith(" 0.0")));
                    assertThat(service.term()).isLessThan(Duration.ofSeconds(8));
                    assertThat(service.output().lines().filter(l -> l.contains("spans cannot be exported")))
                            .hasSize(1);
                    assertThat(service.output()).contains("\"ended\"").doesNotContain("io.opentelemetry");
                }
            }
        }
    }

    private ServiceProcess start(String url, String... settings) throws IOException {
        String[] all = new String[settings.length + 2];
        System.arraycopy(settings, 0, all, 0, settings.length);
        all[settings.length] = "tracing.otlpEndpoint=" + url;
        all[settings.length + 1] = "tracing.delayMs=50";
        return ServiceProcess.start(TestPostgres.uri(database), TestRedis.uri(11), all);
    }

    private static void create(ServiceProcess service) throws IOException {
        Json.expect(
                201,
                service.send(
                        "POST",
                        "/v1/sequences",
                        Json.sequence(
                                "order",
                                100,
                                new JsonObject().put("trace", true).put("format", "ORD-{seq:8}"))));
    }

    private HttpResponse<String> post(ServiceProcess service, String path, String body, String... headers)
            throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + path))
                        .header("Content-Type", "application/json")
                        .headers(headers)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    /** A collector that keeps what it is sent as it is, and answers unless it is told to hang. */
    private static final class Collector implements AutoCloseable {
        final Queue<String> bodies = new ConcurrentLinkedQueue<>();
        final Queue<String> paths = new ConcurrentLinkedQueue<>();
        final AtomicBoolean stuck = new AtomicBoolean();
        private final HttpServer server;

        Collector() {
            try {
                server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            server.createContext("/", exchange -> {
                bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
                paths.add(exchange.getRequestURI().getPath());
                if (!stuck.get()) {
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                }
            });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
        }

        boolean has(String text) {
            return bodies.stream().anyMatch(body -> body.contains(text));
        }

        boolean hasBytes(String hex) {
            return has(new String(HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1));
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
