package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.api.RawClient.Answer;
import dev.reissue.ledger.Ticket;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each bad request gets its status, its code and the offending value, and changes and consumes nothing. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {
    private static final String NEXT = "/v1/sequences/order/next";
    private static final String CONFIRM = "/v1/sequences/order/confirm";
    private static final String GOOD_TICKET = ApiFixture.TICKETS.encode(new Ticket(1, 7, 5, 0));

    private final ApiFixture api =
            new ApiFixture(new HttpSettings("127.0.0.1", 0, 64 * 1024, 700, 30_000, 8192, 50, true));

    @BeforeAll
    void warmUp() throws IOException {
        send("POST", NEXT, null);
        api.issuer.next.set(1);
    }

    @AfterEach
    void nothingWasChangedOrConsumed() {
        assertThat(api.issuer.next.get()).isEqualTo(1);
        assertThat(api.settle.settled).isZero();
        assertThat(api.store.writes).isZero();
        assertThat(ApiFixture.await(api.drain.idle(api.vertx, 5000))).isTrue();
    }

    @AfterAll
    void close() {
        api.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "count=0|count-invalid|0",
                "count=-1|count-invalid|-1",
                "count=1001|count-invalid|1001",
                "count=99999999999999999999|count-invalid|99999999999999999999",
                "count=abc|count-invalid|abc",
                "count=|count-invalid|''",
                "count|count-invalid|''",
                "count=1.5|count-invalid|1.5",
                "count=1e2|count-invalid|1e2",
                "count=%2B5|count-invalid|+5",
                "count=5%20|count-invalid|'5 '",
                "count=0x10|count-invalid|0x10",
                "count=1&count=1|count-invalid|count=1&count=1",
                "count=1;count=2|count-invalid|1;count=2",
                "cuont=5|unknown-parameter|cuont",
                "Count=5|unknown-parameter|Count",
                "count=5&x=1|unknown-parameter|x",
                "&|unknown-parameter|''",
                "count=%|uri-malformed|count=%",
                "count=%ff|uri-malformed|count=%ff",
            })
    void badQueriesOfNext(String query, String code, String value) throws IOException {
        assertProblem(send("POST", NEXT + "?" + query, null), 400, code, value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"count\":5}|unknown-field|count",
                "[]|bad-json|",
                "5|bad-json|",
                "{|bad-json|",
            })
    void nextTakesNoBody(String body, String code, @Nullable String value) throws IOException {
        assertProblem(send("POST", NEXT, body), 400, code, value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST|/v1/sequences/nosuch/next|unknown-sequence|nosuch",
                "POST|/v1/sequences/ORDER/next|unknown-sequence|ORDER",
                "POST|/v1/sequences/%2e%2e/next|unknown-sequence|..",
                "POST|/v1/sequences/order%20/next|unknown-sequence|'order '",
                "GET|/v1/sequences/nosuch|unknown-sequence|nosuch",
                "GET|/|not-found|/",
                "GET|/v1|not-found|/v1",
                "GET|/v1/sequence|not-found|/v1/sequence",
                "POST|/v1/sequences/order/next/|not-found|/v1/sequences/order/next/",
                "POST|/v1/sequences//next|not-found|/v1/sequences//next",
                "POST|/v1/sequences/order/renew|not-found|/v1/sequences/order/renew",
                "POST|//v1/sequences/order/next|not-found|//v1/sequences/order/next",
                "GET|/v1/../openapi.yaml|not-found|/v1/../openapi.yaml",
                "OPTIONS|*|not-found|",
            })
    void unknownThings(String method, String target, String code, @Nullable String value) throws IOException {
        assertProblem(send(method, target, null), 404, code, value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET|/v1/sequences/order/next|POST",
                "HEAD|/v1/sequences/order/next|POST",
                "PUT|/v1/sequences/order/next|POST",
                "GET|/v1/sequences/order/confirm|POST",
                "DELETE|/v1/sequences/order|GET, PATCH",
                "PUT|/v1/sequences|POST, GET",
                "OPTIONS|/v1/sequences/order/next|POST",
                "TRACE|/v1/sequences/order/next|POST",
                "BREW|/v1/sequences/order/next|POST",
                "POST|/openapi.yaml|GET",
            })
    void wrongMethods(String method, String path, String allow) throws IOException {
        Answer answer = send(method, path, null);
        assertThat(answer.header("Allow")).isEqualTo(allow);
        if (method.equals("HEAD")) {
            assertThat(answer.status()).isEqualTo(405);
        } else {
            assertProblem(answer, 405, "method-not-allowed", method);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/sequences/%/next",
                "/v1/sequences/%zz/next",
                "/v1/sequences/%c3%28/next",
                "/v1/sequences/a%00b/next"
            })
    void brokenPaths(String path) throws IOException {
        assertProblem(send("POST", path, null), 400, "uri-malformed", path);
        assertProblem(send("GET", path.replace("/next", ""), null), 400, "uri-malformed", path.replace("/next", ""));
    }

    static Stream<Arguments> badSettles() {
        String foreignTicket = ApiFixture.TICKETS.encode(new Ticket(2, 7, 5, 0));
        String altered = (GOOD_TICKET.charAt(20) == 'A' ? "B" : "A");
        String forged = GOOD_TICKET.substring(0, 20) + altered + GOOD_TICKET.substring(21);
        String cut = GOOD_TICKET.substring(0, 43);
        return Stream.of(
                Arguments.of("{}", "missing-field", "number", null),
                Arguments.of("{\"bizKey\":\"k\"}", "missing-field", "number", null),
                Arguments.of("{\"number\":null}", "missing-field", "number", null),
                Arguments.of("{\"number\":5}", "wrong-type", "number", "5"),
                Arguments.of("{\"number\":\"5\"}", "number-malformed", "number", "5"),
                Arguments.of("{\"number\":\"ORD-5\"}", "number-malformed", "number", "ORD-5"),
                Arguments.of("{\"number\":\"ORD-000000005\"}", "number-malformed", "number", "ORD-000000005"),
                Arguments.of("{\"number\":\"ord-00000005\"}", "number-malformed", "number", "ord-00000005"),
                Arguments.of("{\"number\":\"ORD-0000000\u0665\"}", "number-malformed", "number", "ORD-0000000\u0665"),
                Arguments.of("{\"number\":\"PAY-00000005\"}", "number-malformed", "number", "PAY-00000005"),
                Arguments.of("{\"number\":\"\"}", "number-malformed", "number", ""),
                Arguments.of("{\"ticket\":\"\"}", "ticket-malformed", "ticket", ""),
                Arguments.of("{\"ticket\":\"" + cut + "\"}", "ticket-malformed", "ticket", cut),
                Arguments.of("{\"ticket\":\"" + GOOD_TICKET + "A\"}", "ticket-malformed", "ticket", GOOD_TICKET + "A"),
                Arguments.of("{\"ticket\":\"" + forged + "\"}", "ticket-malformed", "ticket", forged),
                // Of a sequence that nobody here knows, so perhaps of another tenant.
                Arguments.of("{\"ticket\":\"" + foreignTicket + "\"}", "ticket-malformed", "ticket", foreignTicket),
                Arguments.of(
                        "{\"number\":\"ORD-00000006\",\"ticket\":\"" + GOOD_TICKET + "\"}",
                        "ticket-foreign",
                        "ticket",
                        GOOD_TICKET),
                Arguments.of("{\"number\":\"ORD-00000005\",\"foo\":1}", "unknown-field", "foo", "foo"),
                Arguments.of("{\"number\":\"ORD-00000005\",\"value\":\"5\"}", "unknown-field", "value", "value"),
                Arguments.of(
                        "{\"number\":\"ORD-00000005\",\"bizKey\":\"" + "k".repeat(201) + "\"}",
                        "text-invalid",
                        null,
                        null),
                Arguments.of("{\"number\":\"ORD-00000005\",\"reason\":\"a\\u0000b\"}", "text-invalid", null, null),
                Arguments.of("{\"items\":[]}", "no-items", "items", null),
                Arguments.of("{\"items\":5}", "wrong-type", "items", "5"),
                Arguments.of(
                        "{\"items\":[{\"number\":\"ORD-00000005\"},{}]}", "missing-field", "items[1].number", null),
                Arguments.of(
                        "{\"items\":[{\"number\":\"ORD-00000005\"},{\"number\":\"x\"}]}",
                        "number-malformed",
                        "items[1].number",
                        "x"),
                Arguments.of(
                        "{\"items\":[{\"ticket\":\"" + GOOD_TICKET + "\"},{\"ticket\":\"t\"}]}",
                        "ticket-malformed",
                        "items[1].ticket",
                        "t"),
                Arguments.of("{\"items\":[\"ORD-00000005\"]}", "wrong-type", "items[0]", "ORD-00000005"));
    }

    @ParameterizedTest
    @MethodSource("badSettles")
    void badBodiesOfConfirmAbandonAndVoid(String body, String code, @Nullable String at, @Nullable String value)
            throws IOException {
        String reasoned = body.contains("reason")
                ? body
                : body.replace("\"number\"", "\"reason\":\"r\",\"number\"")
                        .replace("{\"ticket\"", "{\"reason\":\"r\",\"ticket\"");
        for (String verb : List.of("confirm", "abandon", "void")) {
            Answer answer = send("POST", "/v1/sequences/order/" + verb, verb.equals("void") ? reasoned : body);
            JsonObject json = assertProblem(answer, 400, code, value);
            JsonObject error = json.getJsonArray("errors").getJsonObject(0);
            assertThat(error.getString("code")).isEqualTo(code);
            if (at != null) {
                assertThat(error.getString("at")).isEqualTo(at);
            }
        }
    }

    @Test
    void everyMalformedItemIsTold() throws IOException {
        JsonObject json = assertProblem(
                send(
                        "POST",
                        CONFIRM,
                        "{\"items\":[{\"number\":\"x\"},{\"number\":\"ORD-00000005\"},{\"ticket\":\"y\"}]}"),
                400,
                "number-malformed",
                "x");
        assertThat(json.getJsonArray("errors"))
                .extracting(e -> ((JsonObject) e).getString("at"))
                .containsExactly("items[0].number", "items[2].ticket");
    }

    @Test
    void aVoidNeedsAReason() throws IOException {
        JsonObject json = assertProblem(
                send("POST", "/v1/sequences/order/void", "{\"number\":\"ORD-00000005\"}"), 400, "missing-field", null);
        assertThat(json.getJsonArray("errors").getJsonObject(0).getString("at")).isEqualTo("reason");
    }

    @Test
    void moreThanAThousandItems() throws IOException {
        String items = String.join(",", Collections.nCopies(1001, "{\"number\":\"ORD-00000005\"}"));
        assertProblem(send("POST", CONFIRM, "{\"items\":[" + items + "]}"), 400, "too-many-items", null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "x", "null", "[]", "{\"number\":\"ORD-00000005\"", "{\"number\":\"ORD-00000005\"}}"})
    void bodiesThatAreNoJsonObject(String body) throws IOException {
        assertProblem(send("POST", CONFIRM, body), 400, "bad-json", null);
        assertProblem(send("POST", "/v1/sequences", body), 400, "bad-json", null);
        assertProblem(send("PATCH", "/v1/sequences/order", body), 400, "bad-json", null);
    }

    @Test
    void settlesTakeNoQuery() throws IOException {
        assertProblem(
                send("POST", CONFIRM + "?force=true", "{\"number\":\"ORD-00000005\"}"),
                400,
                "unknown-parameter",
                "force");
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain, 415",
        "application/x-www-form-urlencoded, 415",
        "application/jsonx, 415",
        "application/xml+jsonx, 415",
    })
    void otherMediaTypes(String type, int status) throws IOException {
        Answer answer = send("POST", CONFIRM, "{\"number\":\"ORD-00000005\"}", "Content-Type: " + type);
        assertProblem(answer, status, "unsupported-media-type", type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "APPLICATION/JSON; charset=utf-8", "application/vnd.x+json"})
    void jsonUnderAllItsNamesIsRead(String type) throws IOException {
        Answer answer = send("POST", CONFIRM, "{\"number\":\"bad\"}", "Content-Type: " + type);
        assertProblem(answer, 400, "number-malformed", "bad");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"format\":\"X-{seq}\"}|missing-field|",
                "{\"name\":\"\"}|field-invalid|''",
                "{\"name\":\"A\"}|field-invalid|A",
                "{\"name\":5}|wrong-type|5",
                "{\"name\":\"x\",\"nextValue\":5}|unknown-field|5",
                "{\"name\":\"x\",\"format\":\"X\"}|field-invalid|X",
                "{\"name\":\"x\",\"batchSize\":1e999999999}|wrong-type|1E+999999999",
                "{\"name\":\"x\",\"batchSize\":1.5}|wrong-type|1.5",
                "{\"name\":\"x\",\"batchSize\":99999999999999999999999}|field-invalid|99999999999999999999999",
                "{\"name\":\"x\",\"safetyWindowMs\":10}|field-invalid|10",
            })
    void badDefinitions(String body, String code, @Nullable String value) throws IOException {
        assertProblem(send("POST", "/v1/sequences", body), 400, code, value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"name\":\"other\"}|immutable-field|other",
                "{\"format\":\"X-{seq}\"}|immutable-field|X-{seq}",
                "{\"first\":5}|immutable-field|5",
                "{\"size\":5}|unknown-field|5",
                "{\"trace\":\"yes\"}|wrong-type|yes",
            })
    void badChanges(String body, String code, String value) throws IOException {
        assertProblem(send("PATCH", "/v1/sequences/order", body), 400, code, value);
    }

    @ParameterizedTest
    @CsvSource({
        "limit=0, parameter-invalid, 0",
        "limit=501, parameter-invalid, 501",
        "limit=x, parameter-invalid, x",
        "page=2, unknown-parameter, page",
        "after=%00, uri-malformed, after=%00",
        "after=a&after=b, parameter-invalid, after=a&after=b"
    })
    void badPages(String query, String code, String value) throws IOException {
        assertProblem(send("GET", "/v1/sequences?" + query, null), 400, code, value);
    }

    @Test
    void aBodyThatIsAnnouncedTooLargeIsRefusedAtOnceAndTheConnectionClosed() throws IOException {
        try (RawClient http = api.connect()) {
            http.write("POST " + CONFIRM + " HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n");
            Answer answer = http.read(false);
            assertProblem(answer, 413, "body-too-large", null);
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(http.closedByServer()).isTrue();
        }
    }

    @Test
    void aBodyThatBecomesTooLargeIsCutOff() throws IOException {
        try (RawClient http = api.connect()) {
            http.write("POST " + CONFIRM + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
            String chunk = "4000\r\n" + " ".repeat(0x4000) + "\r\n";
            for (int i = 0; i < 5; i++) {
                http.write(chunk);
            }
            assertProblem(http.read(false), 413, "body-too-large", null);
            assertThat(http.closedByServer()).isTrue();
        }
    }

    @Test
    void aBodyOfExactlyTheLimitIsRead() throws IOException {
        String body = "{\"number\":\"bad\"}";
        assertProblem(
                send("POST", CONFIRM, body + " ".repeat(64 * 1024 - body.length())), 400, "number-malformed", "bad");
    }

    @Test
    void aBodyThatDoesNotCompleteInTimeIsGivenUp() throws IOException {
        try (RawClient http = api.connect()) {
            http.write("POST " + CONFIRM + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"num");
            assertProblem(http.read(false), 408, "body-timeout", null);
            assertThat(http.closedByServer()).isTrue();
        }
    }

    @Test
    void aChunkedBodyThatNobodyReadsCostsTheConnection() throws IOException {
        try (RawClient http = api.connect()) {
            http.write("GET " + NEXT + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
            assertProblem(http.read(false), 405, "method-not-allowed", "GET");
            assertThat(http.closedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GARBAGE|bad-request|400",
                "POST /v1/sequences/order/next HTTP/1.1\\nContent-Length: x|bad-request|400",
                "POST /v1/sequences/order/next HTTP/1.1\\nContent-Length: -1|bad-request|400",
                "POST /v1/sequences/order/next HTTP/1.1\\nContent-Length: 1\\nContent-Length: 2|bad-request|400",
            })
    void whatIsNotHttp(String lines, String code, int status) throws IOException {
        try (RawClient http = api.connect()) {
            http.write(lines.replace("\\n", "\r\n") + "\r\n\r\n");
            assertProblem(http.read(false), status, code, null);
            assertThat(http.closedByServer()).isTrue();
        }
    }

    @Test
    void headsThatAreTooLong() throws IOException {
        try (RawClient http = api.connect()) {
            http.write("GET /" + "x".repeat(5000) + " HTTP/1.1\r\n\r\n");
            assertProblem(http.read(false), 414, "uri-too-long", null);
        }
        try (RawClient http = api.connect()) {
            http.write("GET / HTTP/1.1\r\nX: " + "x".repeat(9000) + "\r\n\r\n");
            assertProblem(http.read(false), 431, "headers-too-large", null);
        }
    }

    @Test
    void connectionsAboveTheLimitAreClosed() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                clients.add(api.connect());
                assertThat(clients.get(i)
                                .send("GET", "/v1/sequences/order", (String) null)
                                .status())
                        .isEqualTo(200);
            }
            try (RawClient oneMore = api.connect()) {
                // A connection counts from its first byte on.
                oneMore.write("GET /openapi.yaml HTTP/1.1\r\n\r\n");
                assertThat(oneMore.closedByServer()).isTrue();
            }
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    private Answer send(String method, String target, @Nullable String body, String... headers) throws IOException {
        try (RawClient http = api.connect()) {
            return http.send(method, target, body == null ? null : body.getBytes(StandardCharsets.UTF_8), headers);
        }
    }

    private static JsonObject assertProblem(Answer answer, int status, String code, @Nullable String value) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        JsonObject json = new JsonObject(answer.body());
        assertThat(json.getString("code")).isEqualTo(code);
        assertThat(json.getInteger("status")).isEqualTo(status);
        if (value != null) {
            assertThat(json.getString("value")).isEqualTo(value);
        }
        return json;
    }
}
