package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.api.RawClient.Answer;
import dev.reissue.issuance.NextResult;
import dev.reissue.tenant.ApiKeys;
import dev.reissue.tenant.Scope;
import dev.reissue.tenant.Scopes;
import dev.reissue.tenant.TenantStore.Terms;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The public port where keys are asked for. */
class GateTest {
    private static final String NEXT = "/v1/sequences/order/next";

    private final ApiFixture api = new ApiFixture(HttpSettings.DEFAULT, true);
    private @Nullable RawClient connected;

    @BeforeEach
    void connect() throws IOException {
        connected = api.connect();
    }

    @AfterEach
    void close() throws IOException {
        http().close();
        assertThat(ApiFixture.await(api.drain.idle(api.vertx, 5000))).isTrue();
        api.close();
    }

    @Test
    void aKeyIsTakenFromEitherHeader() throws IOException {
        String key = key(Scope.ISSUE);
        for (String header : List.of(
                "Authorization: Bearer " + key,
                "authorization: bearer   " + key,
                "X-Api-Key: " + key,
                "x-api-key: " + key)) {
            assertThat(next(header).status()).as(header).isEqualTo(200);
        }
        assertThat(next("Authorization: Bearer " + key, "X-Api-Key: " + key).status())
                .isEqualTo(200);
        assertThat(next("Authorization: Basic eDp5", "X-Api-Key: " + key).status())
                .as("a proxy may have a key of its own")
                .isEqualTo(200);
    }

    @Test
    void whateverIsWrongWithAKeyTheAnswerIsTheSame() throws IOException {
        String key = key(Scope.ISSUE);
        String other = key(Scope.ISSUE);
        Set<String> bodies = new HashSet<>();
        for (String[] headers : List.of(
                new String[] {},
                new String[] {"Authorization: " + key},
                new String[] {"Authorization: Bearer"},
                new String[] {"Authorization: Bearer "},
                new String[] {"Authorization: Basic " + key},
                new String[] {"Authorization: Bearer " + key + "0"},
                new String[] {"Authorization: Bearer " + key.substring(0, 84)},
                new String[] {"X-Api-Key:"},
                new String[] {"X-Api-Key: " + key.substring(0, 20) + other.substring(20)},
                new String[] {"Authorization: Bearer " + key, "X-Api-Key: " + other})) {
            Answer answer = next(headers);
            assertThat(answer.status()).as(String.join(", ", headers)).isEqualTo(401);
            assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer realm=\"reissue\"");
            assertThat(answer.body()).doesNotContain(key.substring(4));
            bodies.add(answer.body().replaceAll("\"requestId\":\"[^\"]*\"", ""));
        }
        assertThat(bodies).hasSize(1);
        assertThat(api.refused).containsOnly(Code.UNAUTHORIZED);
        assertThat(next("X-Api-Key: " + key).status()).isEqualTo(200);
        assertThat(new JsonObject(next("X-Api-Key: " + key).body()).getString("value"))
                .as("none of them took a number")
                .isEqualTo("2");
    }

    @Test
    void aBodyThatNobodyReadsCostsTheConnectionOnlyWhereItsEndIsNotKnown() throws IOException {
        assertThat(http().send("POST", "/v1/sequences/order/confirm", "{\"number\":\"ORD-00000001\"}")
                        .status())
                .isEqualTo(401);
        assertThat(http().send("POST", "/v1/sequences/order/confirm", "{}").status())
                .isEqualTo(401);
        Answer chunked =
                http().send("POST", "/v1/sequences/order/confirm", (String) null, "Transfer-Encoding: chunked");
        assertThat(chunked.status()).isEqualTo(401);
        assertThat(chunked.header("Connection")).isEqualTo("close");
    }

    @Test
    void someThingsNeedNoKeyAndUnknownPathsTellNothing() throws IOException {
        assertThat(http().send("GET", "/openapi.yaml", (String) null).status()).isEqualTo(200);
        assertThat(http().send("GET", "/problems/unauthorized", (String) null).status())
                .isEqualTo(200);
        assertThat(http().send("GET", "/nowhere", (String) null).status()).isEqualTo(404);
        assertThat(http().send("PUT", NEXT, (String) null).status()).isEqualTo(405);
        assertThat(http().send("HEAD", "/v1/sequences", (String) null).status()).isEqualTo(401);
    }

    @Test
    void aMissingScopeIsNamed() throws IOException {
        Answer answer = next("X-Api-Key: " + key(Scope.SETTLE, Scope.OPERATE, Scope.ADMIN));
        assertThat(answer.status()).isEqualTo(403);
        JsonObject problem = new JsonObject(answer.body());
        assertThat(problem.getString("code")).isEqualTo("scope-missing");
        assertThat(problem.getString("scope")).isEqualTo("issue");
        assertThat(problem.getString("detail")).contains("issue");
    }

    @Test
    void aKeyIsMadeShownReplacedAndRevokedOverHttp() throws IOException {
        String admin = "X-Api-Key: " + key(Scope.ADMIN);
        JsonObject made = json(
                201,
                "POST",
                "/v1/api-keys",
                "{\"scopes\":[\"issue\",\"settle\"],\"note\":\"shop\",\"expiresInMs\":60000}",
                admin);
        assertThat(made.getString("key"))
                .startsWith("rsk_" + made.getString("id") + "_")
                .hasSize(85);
        assertThat(made.getString("state")).isEqualTo("live");
        assertThat(made.getString("expiresAt")).isNotNull();
        String first = "X-Api-Key: " + made.getString("key");
        assertThat(next(first).status()).isEqualTo(200);

        JsonObject page = json(200, "GET", "/v1/api-keys?limit=1", null, admin);
        assertThat(page.getJsonArray("items")).hasSize(1);
        JsonObject rest = json(200, "GET", "/v1/api-keys?after=" + page.getString("next"), null, admin);
        JsonArray all = page.getJsonArray("items").copy().addAll(rest.getJsonArray("items"));
        assertThat(all).hasSize(2);
        assertThat(all.encode())
                .contains("shop")
                .doesNotContain(made.getString("key").substring(21));

        String path = "/v1/api-keys/" + made.getString("id");
        JsonObject replaced = json(201, "POST", path + "/rotate", "{\"overlapMs\":0}", admin);
        assertThat(replaced.getJsonArray("scopes"))
                .isEqualTo(new JsonArray().add("issue").add("settle"));
        assertThat(next(first).status()).isEqualTo(401);
        String second = "X-Api-Key: " + replaced.getString("key");
        assertThat(next(second).status()).isEqualTo(200);

        for (int i = 0; i < 2; i++) {
            JsonObject revoked = json(200, "DELETE", "/v1/api-keys/" + replaced.getString("id"), null, admin);
            assertThat(revoked.getString("state")).isEqualTo("revoked");
        }
        assertThat(next(second).status()).isEqualTo(401);
        assertThat(json(404, "DELETE", "/v1/api-keys/0123456789abcdef", null, admin)
                        .getString("code"))
                .isEqualTo("unknown-key");
        assertThat(json(404, "POST", path + "/rotate", "{}", admin).getString("code"))
                .isEqualTo("unknown-key");
    }

    @Test
    void mistakesInABodyAboutAKeyAreNamed() throws IOException {
        String admin = "X-Api-Key: " + key(Scope.ADMIN);
        String[][] mistakes = {
            {"{}", "missing-field"},
            {"{\"scopes\":\"issue\"}", "wrong-type"},
            {"{\"scopes\":[1]}", "wrong-type"},
            {"{\"scopes\":[]}", "field-invalid"},
            {"{\"scopes\":[\"root\"]}", "field-invalid"},
            {"{\"scopes\":[\"issue\"],\"note\":7}", "wrong-type"},
            {"{\"scopes\":[\"issue\"],\"note\":\"a\\u0000b\"}", "text-invalid"},
            {"{\"scopes\":[\"issue\"],\"note\":\"" + "x".repeat(201) + "\"}", "text-invalid"},
            {"{\"scopes\":[\"issue\"],\"expiresInMs\":0}", "field-invalid"},
            {"{\"scopes\":[\"issue\"],\"expiresInMs\":\"1\"}", "wrong-type"},
            {"{\"scopes\":[\"issue\"],\"expiresInMs\":315360000001}", "field-invalid"},
            {"{\"scopes\":[\"issue\"],\"secret\":\"x\"}", "unknown-field"}
        };
        for (String[] mistake : mistakes) {
            assertThat(json(400, "POST", "/v1/api-keys", mistake[0], admin).getString("code"))
                    .as(mistake[0])
                    .isEqualTo(mistake[1]);
        }
        assertThat(json(400, "DELETE", "/v1/api-keys/%00", null, admin).getString("code"))
                .isEqualTo("uri-malformed");
        assertThat(json(404, "DELETE", "/v1/api-keys/%C3%A4", null, admin).getString("code"))
                .isEqualTo("unknown-key");
    }

    @Test
    void whatIsTooMuchIsRefusedBeforeItIsReadAndTakesNothing() throws IOException {
        api.stopClock();
        api.tenants.change("default", 1, new Terms(null, 10, 2, false));
        String key = "X-Api-Key: " + key(Scope.values());
        assertThat(next(key).status()).isEqualTo(200);
        Answer many = http().send("POST", NEXT + "?count=10", (String) null, key);
        assertThat(many.status()).isEqualTo(429);
        assertThat(many.header("Retry-After")).isEqualTo("1");
        assertThat(http().send("POST", NEXT + "?count=9", (String) null, key).status())
                .isEqualTo(200);
        Answer refused = next(key);
        assertThat(refused.status()).isEqualTo(429);
        JsonObject problem = new JsonObject(refused.body());
        assertThat(problem.getString("code")).isEqualTo("rate-limited");
        assertThat(problem.getString("detail")).contains("numbers");
        assertThat(http().send("POST", NEXT + "?count=1000", (String) null, key).header("Retry-After"))
                .isEqualTo("1");

        // Each of the others has its own.
        String eleven =
                "{\"items\":[" + "{\"number\":\"ORD-00000001\"},".repeat(10) + "{\"number\":\"ORD-00000001\"}]}";
        String confirm = "/v1/sequences/order/confirm";
        assertThat(http().send("POST", confirm, eleven, key).status())
                .as("more than a second's worth, once")
                .isIn(200, 207);
        assertThat(http().send("POST", confirm, "{\"number\":\"ORD-00000001\"}", key)
                        .status())
                .isEqualTo(429);
        for (int i = 0; i < 2; i++) {
            assertThat(http().send("GET", "/v1/sequences", (String) null, key).status())
                    .isEqualTo(200);
        }
        assertThat(http().send("GET", "/v1/sequences", (String) null, key).status())
                .isEqualTo(429);
        assertThat(http().send("GET", "/openapi.yaml", (String) null, key).status())
                .isEqualTo(200);

        api.skippedNanos.addAndGet(1_100_000_000L);
        assertThat(new JsonObject(next(key).body()).getString("value"))
                .as("refused ones took none")
                .isEqualTo("11");
    }

    @Test
    void numbersThatNobodyGotAreNotCounted() throws IOException {
        api.stopClock();
        api.tenants.change("default", 1, new Terms(null, 10, 2, false));
        String key = "X-Api-Key: " + key(Scope.values());
        api.issuer.reason = NextResult.Reason.EXHAUSTED;
        assertThat(http().send("POST", NEXT + "?count=10", (String) null, key).status())
                .isEqualTo(409);
        api.issuer.reason = null;
        assertThat(http().send("POST", NEXT + "?count=9", (String) null, key).status())
                .as("the request itself counts as one")
                .isEqualTo(200);
        assertThat(next(key).status()).isEqualTo(429);
    }

    private Answer next(String... headers) throws IOException {
        return http().send("POST", NEXT, (String) null, headers);
    }

    private JsonObject json(int status, String method, String path, @Nullable String body, String header)
            throws IOException {
        Answer answer = http().send(method, path, body, header);
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        return new JsonObject(answer.body());
    }

    private String key(Scope... scopes) {
        ApiKeys.Result result = ApiFixture.await(api.apiKeys.create("default", Scopes.of(scopes), "", null));
        return result.text().reveal();
    }

    private RawClient http() {
        return Objects.requireNonNull(connected);
    }
}
