package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Idempotency keys over HTTP, on real processes: several of them, cut connections, an emptied Redis, a killed process. */
class IdempotencyIT {
    private static final String REPLAYED = "Idempotency-Replayed";
    private static final String[] SHORT_LEASE = {
        "instance.leaseMs=3000", "instance.renewMs=500", "instance.marginMs=500", "postgres.leaseDeadlineMs=1000"
    };
    private static final String[] QUICK = {"issue.handOutMaxMs=300", "scan.intervalMs=100", "settle.flushMs=1"};

    private final String database = TestPostgres.freshDatabase();
    private final String postgres = TestPostgres.uri(database);
    private final String redis = TestRedis.uri(7);
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Test
    void hundredParallelRequestsWithOneKeyOverThreeInstancesTakeOneNumber() throws Exception {
        try (ServiceProcess a = ServiceProcess.start(postgres, redis);
                ServiceProcess b = ServiceProcess.start(postgres, redis);
                ServiceProcess c = ServiceProcess.start(postgres, redis)) {
            List<ServiceProcess> all = List.of(a, b, c);
            create(a, "many", new JsonObject());
            for (ServiceProcess service : all) {
                take(service, "many", null);
            }
            List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                calls.add(client.sendAsync(
                        request(all.get(i % 3), "/v1/sequences/many/next", "one", null), BodyHandlers.ofString()));
            }
            Set<String> bodies = new TreeSet<>();
            int busy = 0;
            for (CompletableFuture<HttpResponse<String>> call : calls) {
                HttpResponse<String> answer = call.get();
                if (answer.statusCode() == 409) {
                    assertThat(answer.body()).contains("idempotency-key-in-use");
                    busy++;
                } else {
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                    bodies.add(answer.body());
                }
            }
            System.out.printf("100 parallel with one key: %d answered, %d told to wait%n", 100 - busy, busy);
            assertThat(bodies).hasSize(1);
            for (ServiceProcess service : all) {
                HttpResponse<String> again = post(service, "/v1/sequences/many/next", "one", null);
                assertThat(again.body()).isEqualTo(bodies.iterator().next());
                assertThat(again.headers().firstValue(REPLAYED)).hasValue("true");
            }
            for (ServiceProcess service : all) {
                service.term();
            }
        }
        // Three without a key and one with it. What a slower instance took besides was abandoned, or never left its
        // cursor.
        long abandoned = count("select count(*) from issue_log where status = 3");
        assertThat(count("select sum(issued_to - lo + 1) from batch")).isEqualTo(4 + abandoned);
        assertThat(abandoned).isLessThan(12);
        System.out.printf("taken by slower event loops and abandoned: %d%n", abandoned);
    }

    @Test
    void aDroppedAnswerIsRepeatedAndTheCounterMovesByOne() throws Exception {
        try (ServiceProcess service = ServiceProcess.start(postgres, redis)) {
            create(service, "drop", new JsonObject());
            long first = take(service, "drop", null);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
                String request = String.join(
                        "\r\n",
                        "POST /v1/sequences/drop/next HTTP/1.1",
                        "Host: x",
                        "Idempotency-Key: \"d\"",
                        "Content-Length: 0",
                        "",
                        "");
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                Await.until(
                        "the number is kept",
                        Duration.ofSeconds(10),
                        () -> count("select count(*) from idempotent_next") == 1);
                // The caller hangs up without having read anything.
            }
            flushRedis();
            assertThat(take(service, "drop", "d")).isEqualTo(first + 1);
            assertThat(take(service, "drop", "d")).isEqualTo(first + 1);
            assertThat(take(service, "drop", null)).isEqualTo(first + 2);
        }
    }

    @Test
    void afterAKillAndARestartTheAnswersAreTheSame() throws Exception {
        String next;
        String list;
        String confirmed;
        String ticket;
        try (ServiceProcess service = ServiceProcess.start(postgres, redis, SHORT_LEASE)) {
            create(service, "kill", new JsonObject());
            next = post(service, "/v1/sequences/kill/next", "n", null).body();
            list = post(service, "/v1/sequences/kill/next?count=100", "l", null).body();
            ticket = new JsonObject()
                    .put("ticket", new JsonObject(next).getString("ticket"))
                    .encode();
            confirmed = post(service, "/v1/sequences/kill/confirm", "c", ticket).body();
            service.kill9();
        }
        flushRedis();
        try (ServiceProcess service = ServiceProcess.start(postgres, redis, SHORT_LEASE)) {
            repeated(next, post(service, "/v1/sequences/kill/next", "n", null));
            repeated(list, post(service, "/v1/sequences/kill/next?count=100", "l", null));
            repeated(confirmed, post(service, "/v1/sequences/kill/confirm", "c", ticket));
            // Now Redis knows the confirm; then it forgets it again.
            repeated(confirmed, post(service, "/v1/sequences/kill/confirm", "c", ticket));
            flushRedis();
            repeated(confirmed, post(service, "/v1/sequences/kill/confirm", "c", ticket));
            assertThat(post(service, "/v1/sequences/kill/next?count=2", "n", null)
                            .statusCode())
                    .isEqualTo(422);
            assertThat(post(service, "/v1/sequences/kill/confirm", "c", "{\"number\":\"5\"}")
                            .statusCode())
                    .isEqualTo(422);
        }
    }

    @Test
    void aNumberThatWentToSomebodyElseIsNotRepeated() throws Exception {
        try (ServiceProcess service = ServiceProcess.start(postgres, redis, QUICK)) {
            create(
                    service,
                    "gone",
                    new JsonObject()
                            .put("confirmTimeoutMs", 700)
                            .put("safetyWindowMs", 1100)
                            .put("batchOpenMaxMs", 200));
            String first = post(service, "/v1/sequences/gone/next", "a", null).body();
            String ticket = new JsonObject(first).getString("ticket");
            repeated(first, post(service, "/v1/sequences/gone/next", "a", null));
            post(service, "/v1/sequences/gone/abandon", null, "{\"ticket\":\"" + ticket + "\"}");
            String value = new JsonObject(first).getString("value");
            Await.until("somebody else has the number", Duration.ofSeconds(30), () -> {
                JsonObject other = new JsonObject(
                        post(service, "/v1/sequences/gone/next", null, null).body());
                post(service, "/v1/sequences/gone/confirm", null, "{\"ticket\":\"" + other.getString("ticket") + "\"}");
                return other.getString("value").equals(value);
            });
            HttpResponse<String> late = post(service, "/v1/sequences/gone/next", "a", null);
            assertThat(late.statusCode()).as(late.body()).isEqualTo(409);
            assertThat(new JsonObject(late.body()).getString("code")).isEqualTo("superseded");
            assertThat(new JsonObject(late.body()).getInteger("generation")).isEqualTo(1);
        }
    }

    @Test
    void aSequenceThatInsistsOnIssuedKeysTakesThemOfEveryInstance() throws Exception {
        try (ServiceProcess a = ServiceProcess.start(postgres, redis);
                ServiceProcess b = ServiceProcess.start(postgres, redis)) {
            create(a, "token", new JsonObject().put("requireKey", "issued"));
            HttpResponse<String> issued = post(a, "/v1/idempotency-keys", null, "{\"sequence\":\"token\"}");
            assertThat(issued.statusCode()).isEqualTo(201);
            String key = new JsonObject(issued.body()).getString("key");
            String first = post(b, "/v1/sequences/token/next", key, null).body();
            repeated(first, post(a, "/v1/sequences/token/next", key, null));
            assertThat(post(a, "/v1/sequences/token/next", null, null).body()).contains("idempotency-key-missing");
            assertThat(post(a, "/v1/sequences/token/next", "made-up", null).body())
                    .contains("idempotency-key-not-issued");
        }
    }

    private static void repeated(String first, HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(first);
        assertThat(answer.headers().firstValue(REPLAYED)).hasValue("true");
    }

    private void create(ServiceProcess service, String name, JsonObject more) throws IOException {
        Json.expect(201, service.send("POST", "/v1/sequences", Json.sequence(name, 1000, more)));
    }

    private long count(String sql) throws SQLException {
        try (Connection c = TestPostgres.connect(database);
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            r.next();
            return r.getLong(1);
        }
    }

    /** Empties the Redis database of this class. */
    private void flushRedis() throws IOException {
        URI uri = URI.create(redis);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort())) {
            socket.getOutputStream()
                    .write(("SELECT " + uri.getPath().substring(1) + "\r\nFLUSHDB\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            byte[] answers = socket.getInputStream().readNBytes("+OK\r\n+OK\r\n".length());
            assertThat(new String(answers, StandardCharsets.US_ASCII)).isEqualTo("+OK\r\n+OK\r\n");
        }
    }

    private long take(ServiceProcess service, String sequence, @Nullable String key) throws Exception {
        HttpResponse<String> answer = post(service, "/v1/sequences/" + sequence + "/next", key, null);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Long.parseLong(new JsonObject(answer.body()).getString("value"));
    }

    private HttpResponse<String> post(ServiceProcess service, String path, @Nullable String key, @Nullable String json)
            throws IOException, InterruptedException {
        return client.send(request(service, path, key, json), BodyHandlers.ofString());
    }

    private static HttpRequest request(
            ServiceProcess service, String path, @Nullable String key, @Nullable String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + path))
                .timeout(Duration.ofSeconds(30))
                .POST(json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json));
        if (key != null) {
            request.header("Idempotency-Key", '"' + key + '"');
        }
        return request.build();
    }
}
