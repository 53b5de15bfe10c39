package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.config.ConfigLoader;
import dev.reissue.config.ConfigResult;
import dev.reissue.config.Layer;
import dev.reissue.support.RawHttp;
import dev.reissue.support.RawHttp.Answer;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The public interface on a real PostgreSQL and a real Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApiIT {
    private final String database = TestPostgres.freshDatabase();
    private final Teardown teardown = new Teardown(System::nanoTime);
    private final Service service = Service.start(
            ((ConfigResult.Loaded) ConfigLoader.load(List.of(Layer.options(List.of(
                            "http.host=127.0.0.1",
                            "auth.required=false",
                            "http.port=" + freePort(),
                            "management.port=" + freePort(),
                            "postgres.uri=" + TestPostgres.uri(database),
                            "redis.uri=" + TestRedis.uri(11))))))
                    .config(),
            teardown);
    private final RawHttp http = connect();

    @BeforeAll
    void create() throws IOException {
        for (String name : List.of("life", "strict", "other")) {
            String definition = "{\"name\":\"" + name + "\",\"format\":\"" + name + "-{seq:6}\",\"batchSize\":10}";
            assertThat(http.post("/v1/sequences", definition).status()).isEqualTo(201);
            assertThat(http.post("/v1/sequences", definition).status()).isEqualTo(200);
        }
    }

    @AfterAll
    void close() throws IOException {
        http.close();
        teardown.run(10_000);
    }

    @Test
    void aNumberLivesItsLifeOverHttp() throws IOException {
        JsonArray three = items(http.post("/v1/sequences/life/next?count=3", ""));
        JsonObject first = three.getJsonObject(0);
        JsonObject second = three.getJsonObject(1);
        assertThat(first.getString("number")).isEqualTo("life-000001");

        JsonObject confirmed = json(settle("life", "confirm", first), 200);
        assertThat(confirmed.getString("outcome")).isEqualTo("confirmed");
        assertThat(confirmed.getString("state")).isEqualTo("CONFIRMED");
        assertThat(json(settle("life", "confirm", first), 200).getString("outcome"))
                .isEqualTo("confirmed");
        assertThat(json(settle("life", "abandon", first), 409).getString("code"))
                .isEqualTo("already-confirmed");

        assertThat(json(settle("life", "abandon", second), 200).getString("outcome"))
                .isEqualTo("abandoned");
        assertThat(settle("life", "abandon", second).status()).isEqualTo(200);
        JsonObject late = json(settle("life", "confirm", second), 409);
        assertThat(late.getString("code")).isEqualTo("already-abandoned");
        assertThat(late.getString("state")).isEqualTo("ABANDONED");

        JsonObject story = json(http.get("/v1/sequences/life/numbers/life-000002"), 200);
        assertThat(story.getString("state")).isEqualTo("ABANDONED");
        assertThat(story.getJsonArray("history")).isNotEmpty();
        assertThat(json(http.get("/v1/sequences/life/numbers/life-000001"), 200).getString("state"))
                .isEqualTo("CONFIRMED");

        JsonObject closure = json(http.get("/v1/sequences/life/closure?from=1&to=3"), 200);
        assertThat(closure.getInteger("unaccounted")).isZero();
        assertThat(closure.getJsonObject("counts").getInteger("confirmed")).isEqualTo(1);
        assertThat(closure.getJsonObject("counts").getInteger("abandoned")).isEqualTo(1);
    }

    @Test
    void whatMakesNoSenseChangesNothingAndConsumesNothing() throws IOException, SQLException {
        JsonObject held = json(http.post("/v1/sequences/strict/next", ""), 200);
        String ticket = held.getString("ticket");
        String foreign = json(http.post("/v1/sequences/other/next", ""), 200).getString("ticket");
        String altered = (ticket.charAt(30) == 'A' ? "B" : "A");
        String before = ledger();

        for (String count : List.of("0", "-1", "1001", "abc", "", "1.5", "1&count=1")) {
            assertProblem(http.post("/v1/sequences/strict/next?count=" + count, ""), "count-invalid");
        }
        assertProblem(http.post("/v1/sequences/strict/next?cuont=5", ""), "unknown-parameter");
        assertProblem(http.post("/v1/sequences/strict/next", "{\"count\":5}"), "unknown-field");
        for (String verb : List.of("confirm", "abandon")) {
            String path = "/v1/sequences/strict/" + verb;
            String good = "{\"ticket\":\"" + ticket + "\"}";
            assertProblem(http.post(path, "{\"ticket\":\"" + ticket.substring(0, 43) + "\"}"), "ticket-malformed");
            assertProblem(
                    http.post(path, good.replace(ticket, ticket.substring(0, 30) + altered + ticket.substring(31))),
                    "ticket-malformed");
            assertProblem(http.post(path, "{\"ticket\":\"" + foreign + "\"}"), "ticket-foreign");
            assertProblem(http.post(path, "{\"number\":\"other-000001\"}"), "number-malformed");
            assertProblem(http.post(path, good.replace("}", ",\"x\":1}")), "unknown-field");
            assertProblem(http.post(path, good + "x"), "bad-json");
            assertProblem(http.post(path, "{\"items\":[" + good + ",{\"number\":7}]}"), "wrong-type");
            assertProblem(http.post(path, "{\"items\":[" + good + ",{\"number\":\"x\"}]}"), "number-malformed");
            assertProblem(http.post(path, "{\"items\":[" + (good + ",").repeat(1000) + good + "]}"), "too-many-items");
        }
        assertProblem(http.post("/v1/sequences/strict/void", "{\"ticket\":\"" + ticket + "\"}"), "missing-field");
        assertThat(http.post("/v1/sequences/strict/confirm", "{\"number\":\"strict-000009\"}")
                        .status())
                .as("a number that nobody holds yet")
                .isIn(404, 409);
        assertThat(http.get("/v1/sequences/strict/numbers/strict-000900").status())
                .isEqualTo(404);

        assertThat(ledger()).isEqualTo(before);
        assertThat(json(http.post("/v1/sequences/strict/next", ""), 200).getString("value"))
                .isEqualTo("2");
    }

    @Test
    void tenAcrossTheEndOfABatchAreTenDistinctNumbers() throws IOException {
        create("across", "\"format\":\"across-{seq}\",\"batchSize\":3");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            items(http.post("/v1/sequences/across/next?count=10", ""))
                    .forEach(item -> seen.add(((JsonObject) item).getString("number")));
        }
        assertThat(seen).hasSize(200);
    }

    @Test
    void aBoundedSequenceEndsAndNeverWraps() throws IOException {
        create("bounded", "\"format\":\"bounded-{seq:1}\"");
        List<String> values = new ArrayList<>();
        Answer answer = http.post("/v1/sequences/bounded/next", "");
        while (answer.status() == 200 && values.size() < 100) {
            values.add(new JsonObject(answer.body()).getString("value"));
            answer = http.post("/v1/sequences/bounded/next", "");
        }
        assertThat(values).containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9");
        assertThat(json(answer, 409).getString("code")).isEqualTo("sequence-exhausted");
    }

    @Test
    void theNextValueIsRaisedAtOnceAndNeverLowered() throws IOException {
        create("raised", "\"format\":\"raised-{seq}\"");
        http.post("/v1/sequences/raised/next?count=120", "");
        assertThat(json(http.send("PATCH", "/v1/sequences/raised", "{\"nextValue\":50}"), 409)
                        .getString("code"))
                .isEqualTo("next-value-lower");
        assertThat(http.send("PATCH", "/v1/sequences/raised", "{\"nextValue\":\"50000\"}")
                        .status())
                .isEqualTo(200);
        assertThat(Long.parseLong(
                        json(http.post("/v1/sequences/raised/next", ""), 200).getString("value")))
                .isGreaterThanOrEqualTo(50_000);
    }

    @Test
    void sequencesThatCouldProduceTheSameNumberAreRefused() throws IOException {
        Answer answer = http.post("/v1/sequences", "{\"name\":\"twin\",\"format\":\"life-{seq:6}\"}");
        assertThat(json(answer, 409).getString("code")).isEqualTo("format-ambiguous");
    }

    @Test
    void deadLettersAreNoneAtFirst() throws IOException {
        assertThat(json(http.get("/v1/dead-letters"), 200).getJsonArray("items"))
                .isEmpty();
        assertThat(json(http.post("/v1/dead-letters/redrive", "{\"all\":true}"), 200)
                        .getInteger("redriven"))
                .isZero();
    }

    private void create(String name, String fields) throws IOException {
        assertThat(http.post("/v1/sequences", "{\"name\":\"" + name + "\"," + fields + "}")
                        .status())
                .isEqualTo(201);
    }

    private Answer settle(String sequence, String verb, JsonObject held) throws IOException {
        return http.post(
                "/v1/sequences/" + sequence + "/" + verb,
                new JsonObject().put("ticket", held.getString("ticket")).encode());
    }

    /** Returns everything that a call on the sequence strict could have changed. */
    private String ledger() throws SQLException {
        String sql = "select json_build_array("
                + "(select json_agg(t order by t.id) from issue_log t where sequence_id = s.id),"
                + "(select json_agg(t order by t.id) from issue_event t where sequence_id = s.id),"
                + "(select sum(bit_count(confirmed)) from batch where sequence_id = s.id),"
                + "(select sum(bit_count(abandoned)) from batch where sequence_id = s.id))::text"
                + " from sequence s where name = 'strict'";
        try (Connection c = TestPostgres.connect(database);
                ResultSet rows = c.createStatement().executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static void assertProblem(Answer answer, String code) {
        assertThat(json(answer, 400).getString("code")).isEqualTo(code);
    }

    private static JsonArray items(Answer answer) {
        return json(answer, 200).getJsonArray("items");
    }

    private static JsonObject json(Answer answer, int status) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        return new JsonObject(answer.body());
    }

    private RawHttp connect() {
        try {
            return new RawHttp("127.0.0.1", service.port());
        } catch (IOException e) {
            throw new IllegalStateException("cannot connect", e);
        }
    }

    private static int freePort() {
        try {
            return TestRedis.freePort();
        } catch (IOException e) {
            throw new IllegalStateException("no port is free", e);
        }
    }
}
