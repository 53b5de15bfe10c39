package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.api.RawClient.Answer;
import dev.reissue.issuance.NextResult;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.Ticket;
import dev.reissue.ledger.TicketCodec;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ApiTest {
    private final ApiFixture api = new ApiFixture(HttpSettings.DEFAULT);
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
    void nextGivesNumberValueAndATicketOfThem() throws IOException {
        Answer answer = post("/v1/sequences/order/next", null);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
        JsonObject json = new JsonObject(answer.body());
        assertThat(json.fieldNames()).containsExactly("number", "value", "ticket");
        assertThat(json.getString("number")).isEqualTo("ORD-00000001");
        assertThat(json.getString("value")).isEqualTo("1");
        assertThat(ApiFixture.TICKETS.decode(json.getString("ticket")))
                .isEqualTo(new TicketCodec.DecodeResult.Ok(new Ticket(1, 7, 1, 0)));
    }

    @Test
    void nextWithACountGivesAListForOneToo() throws IOException {
        assertThat(items(post("/v1/sequences/order/next?count=1", null))).hasSize(1);
        JsonArray items = items(post("/v1/sequences/order/next?count=1000", "{}"));
        assertThat(items).hasSize(1000);
        assertThat(items.getJsonObject(999).getString("number")).isEqualTo("ORD-00001001");
    }

    @Test
    void nextThatHasToWaitIsAnsweredOnItsOwnEventLoop() throws IOException {
        Promise<NextResult> wait = Promise.promise();
        api.issuer.wait = wait;
        http().write("POST /v1/sequences/order/next HTTP/1.1\r\nHost: x\r\n\r\n");
        awaitInFlight();
        wait.complete(new NextResult.Refused(NextResult.Reason.TIMED_OUT));

        assertProblem(http().read(false), 503, "overloaded");
        assertThat(api.refusedOn).allMatch(thread -> thread.startsWith("vert.x-eventloop"));
    }

    @Test
    void requestsSentBehindOneAnotherAreAnsweredInTheirOrder() throws IOException {
        Promise<NextResult> wait = Promise.promise();
        api.issuer.wait = wait;
        http().write("POST /v1/sequences/order/next HTTP/1.1\r\nHost: x\r\n\r\n"
                + "POST /v1/sequences/order/confirm HTTP/1.1\r\nHost: x\r\nContent-Length: 25\r\n\r\n"
                + "{\"number\":\"ORD-00000005\"}"
                + "GET /v1/none HTTP/1.1\r\nHost: x\r\n\r\n");
        awaitInFlight();
        wait.complete(api.issuer.result(1));

        assertThat(http().read(false).body()).contains("ticket");
        assertThat(http().read(false).body()).contains("confirmed");
        assertThat(http().read(false).status()).isEqualTo(404);
    }

    @Test
    void aCallerThatLeavesWhileItWaitsIsForgotten() throws IOException {
        Promise<NextResult> wait = Promise.promise();
        api.issuer.wait = wait;
        try (RawClient leaving = api.connect()) {
            leaving.write("POST /v1/sequences/order/next HTTP/1.1\r\nHost: x\r\n\r\n");
            awaitInFlight();
        }
        wait.complete(api.issuer.result(1));
        api.issuer.wait = null;
        assertThat(post("/v1/sequences/order/next", null).status()).isEqualTo(200);
    }

    @Test
    void aCallerThatLeavesInTheMiddleOfItsBodyIsForgottenAtOnce() throws IOException {
        try (RawClient leaving = api.connect()) {
            leaving.write("POST /v1/sequences/order/confirm HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
            awaitInFlight();
        }
        // Well before the body's deadline, which would end it too.
        assertThat(ApiFixture.await(api.drain.idle(api.vertx, 5000))).isTrue();
    }

    @Test
    void theTypeOfAProblemLeadsToItsMeaning() throws IOException {
        String type = new JsonObject(post("/v1/sequences/none/next", null).body()).getString("type");
        JsonObject meaning = new JsonObject(get(type).body());
        assertThat(meaning.getString("code")).isEqualTo("unknown-sequence");
        assertThat(meaning.getInteger("status")).isEqualTo(404);
        assertProblem(get("/problems/none"), 404, "not-found");
    }

    @ParameterizedTest
    @CsvSource({
        "EXHAUSTED, 409, sequence-exhausted, ",
        "OVERLOADED, 503, overloaded, 1",
        "TIMED_OUT, 503, overloaded, 1",
        "FENCED, 503, lease-lost, 1"
    })
    void everyReasonWhyNextRefusesHasItsCode(
            NextResult.Reason reason, int status, String code, @Nullable String retryAfter) throws IOException {
        api.issuer.reason = reason;

        Answer answer = post("/v1/sequences/order/next", null);

        assertProblem(answer, status, code);
        assertThat(answer.header("Retry-After")).isEqualTo(retryAfter);
    }

    @Test
    void aNumberThatIsTooOldOrWhoseLeaseIsOverDoesNotLeave() throws IOException {
        Promise<NextResult> wait = Promise.promise();
        api.issuer.wait = wait;
        http().write("POST /v1/sequences/order/next HTTP/1.1\r\nHost: x\r\n\r\n");
        NextResult taken = api.issuer.result(1);
        api.skippedNanos.set(3_000_000_000L);
        wait.complete(taken);
        assertProblem(http().read(false), 503, "lease-lost");

        api.issuer.wait = null;
        api.leaseValid = false;
        assertProblem(post("/v1/sequences/order/next", null), 503, "lease-lost");
    }

    @Test
    void confirmAnswersTheCommittedTruth() throws IOException {
        Answer answer = post("/v1/sequences/order/confirm", "{\"number\":\"ORD-00000005\"}", "X-Request-Id: r-1");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"number\":\"ORD-00000005\",\"value\":\"5\",\"outcome\":\"confirmed\",\"state\":\"CONFIRMED\","
                                + "\"generation\":0}");
        assertThat(answer.header("X-Request-Id")).isEqualTo("r-1");
        assertThat(Objects.requireNonNull(api.settle.last).actor()).isEqualTo("r-1");
        assertThat(post("/v1/sequences/order/abandon", "{\"number\":\"ORD-00000006\"}")
                        .body())
                .contains("\"outcome\":\"abandoned\"");
        assertThat(post("/v1/sequences/order/void", "{\"number\":\"ORD-00000007\",\"reason\":\"printed\"}")
                        .body())
                .contains("\"outcome\":\"voided\"");
    }

    @Test
    void aTicketNamesItsNumber() throws IOException {
        String ticket = ApiFixture.TICKETS.encode(new Ticket(1, 7, 12, 3));
        assertThat(post("/v1/sequences/order/confirm", "{\"ticket\":\"" + ticket + "\"}")
                        .status())
                .isEqualTo(200);
        assertThat(Objects.requireNonNull(api.settle.last).value()).isEqualTo(12);
        assertThat(Objects.requireNonNull(api.settle.last).generation()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(
            value = SettleOutcome.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"CONFIRMED", "ABANDONED", "VOIDED"})
    void everyRefusalOfASingleNumberIsAProblemThatTellsItsState(SettleOutcome outcome) throws IOException {
        NumberState state = outcome == SettleOutcome.NEVER_ISSUED ? null : NumberState.REPLAYED;
        api.settle.answer(9, outcome, state, 2);

        Answer answer = post("/v1/sequences/order/confirm", "{\"number\":\"ORD-00000009\"}");

        JsonObject json = assertProblem(answer, outcome == SettleOutcome.NEVER_ISSUED ? 404 : 409, outcome.code());
        assertThat(json.getString("number")).isEqualTo("ORD-00000009");
        assertThat(json.getString("outcome")).isEqualTo(outcome.code());
        assertThat(json.getString("state")).isEqualTo(state == null ? null : "REPLAYED");
        assertThat(json.getInteger("generation")).isEqualTo(state == null ? null : 2);
    }

    @Test
    void aRepeatedAbandonIsAccepted() throws IOException {
        api.settle.answer(9, SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED, 0);
        assertThat(post("/v1/sequences/order/abandon", "{\"number\":\"ORD-00000009\"}")
                        .status())
                .isEqualTo(200);
        assertProblem(post("/v1/sequences/order/confirm", "{\"number\":\"ORD-00000009\"}"), 409, "already-abandoned");
    }

    @Test
    void aListTellsEachItemsOutcome() throws IOException {
        api.settle.answer(2, SettleOutcome.SUPERSEDED, NumberState.REPLAYED, 1);
        String two = "{\"items\":[{\"number\":\"ORD-00000001\"},{\"number\":\"ORD-00000002\"}]}";

        Answer partly = post("/v1/sequences/order/confirm", two);
        Answer all = post("/v1/sequences/order/confirm", "{\"items\":[{\"number\":\"ORD-00000001\"}]}");

        assertThat(partly.status()).isEqualTo(207);
        assertThat(items(partly).getJsonObject(0).getString("outcome")).isEqualTo("confirmed");
        assertThat(items(partly).getJsonObject(1).getString("outcome")).isEqualTo("superseded");
        assertThat(items(partly).getJsonObject(1).getString("code")).isEqualTo("superseded");
        assertThat(all.status()).isEqualTo(200);
        assertThat(items(all)).hasSize(1);
    }

    @Test
    void aThousandItemsWithTicketsAndKeysFitTheBodyLimit() throws IOException {
        JsonArray items = new JsonArray();
        for (int i = 1; i <= 1000; i++) {
            items.add(new JsonObject()
                    .put("number", String.format("ORD-%08d", i))
                    .put("ticket", ApiFixture.TICKETS.encode(new Ticket(1, 7, i, 0)))
                    .put("bizKey", "order-" + "k".repeat(100)));
        }
        Answer answer = post(
                "/v1/sequences/order/confirm",
                new JsonObject().put("items", items).encode());
        assertThat(answer.status()).isEqualTo(200);
        assertThat(items(answer)).hasSize(1000);
    }

    @ParameterizedTest
    @CsvSource({"UNAVAILABLE, store-unavailable", "REFUSED, store-unavailable", "UNKNOWN, outcome-unknown"})
    void aFaultOfTheStoreIsToldWithoutItsInside(StoreException.Kind kind, String code) throws IOException {
        api.settle.fault = kind;

        Answer answer = post("/v1/sequences/order/confirm", "{\"number\":\"ORD-00000001\"}");

        assertProblem(answer, 503, code);
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(answer.body()).doesNotContain("secret");
        api.store.fault = kind;
        assertProblem(http().send("GET", "/v1/sequences/order", (String) null), 503, "store-unavailable");
    }

    @Test
    void aBugIsAnswered500WithoutItsInsideAndTheConnectionLivesOn() throws IOException {
        api.issuer.fault = new IllegalStateException("secret");
        Answer answer = post("/v1/sequences/order/next", null);
        assertProblem(answer, 500, "internal");
        assertThat(answer.body()).doesNotContain("secret").doesNotContain("Exception");
        api.issuer.fault = null;
        assertThat(post("/v1/sequences/order/next", null).status()).isEqualTo(200);
    }

    @Test
    void sequencesAreCreatedShownListedAndChanged() throws IOException {
        Answer created = post("/v1/sequences", "{\"name\":\"pay\",\"format\":\"PAY-{seq}\"}");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo("/v1/sequences/pay");
        assertThat(new JsonObject(created.body()).getString("first")).isEqualTo("1");
        assertThat(post("/v1/sequences", "{\"name\":\"pay\",\"format\":\"PAY-{seq}\"}")
                        .status())
                .isEqualTo(200);
        JsonObject conflict = assertProblem(
                post("/v1/sequences", "{\"name\":\"pay\",\"format\":\"PAX-{seq}\",\"batchSize\":5}"),
                409,
                "sequence-conflict");
        assertThat(conflict.getJsonArray("differing")).containsExactlyInAnyOrder("format", "batchSize");

        assertThat(new JsonObject(get("/v1/sequences/pay").body()).getString("name"))
                .isEqualTo("pay");
        JsonObject page = new JsonObject(get("/v1/sequences?limit=1").body());
        assertThat(page.getJsonArray("items").getJsonObject(0).getString("name"))
                .isEqualTo("order");
        assertThat(page.getString("next")).isEqualTo("order");
        JsonObject rest = new JsonObject(get("/v1/sequences?after=order").body());
        assertThat(rest.getJsonArray("items")).hasSize(1);
        assertThat(rest.getString("next")).isNull();

        Answer changed = http().send("PATCH", "/v1/sequences/pay", "{\"nextValue\":100,\"batchSize\":7}");
        assertThat(new JsonObject(changed.body()).getString("nextValue")).isEqualTo("100");
        JsonObject lower = assertProblem(
                http().send("PATCH", "/v1/sequences/pay", "{\"nextValue\":\"50\"}"), 409, "next-value-lower");
        assertThat(lower.getString("value")).isEqualTo("50");
        assertProblem(http().send("PATCH", "/v1/sequences/pay", "{\"last\":50}"), 409, "last-below-issued");
    }

    @Test
    void formatsThatCouldProduceTheSameNumberAreRefused() throws IOException {
        JsonObject json = assertProblem(
                post("/v1/sequences", "{\"name\":\"twin\",\"format\":\"ORD-{seq}\"}"), 409, "format-ambiguous");
        assertThat(json.getString("value")).startsWith("ORD-");
    }

    @Test
    void everyProblemOfADefinitionIsListed() throws IOException {
        JsonObject json = assertProblem(
                post(
                        "/v1/sequences",
                        "{\"name\":\"x\",\"batchSize\":0,\"recycle\":\"yes\",\"cuont\":1,\"format\":\"X\"}"),
                400,
                null);
        assertThat(json.getJsonArray("errors"))
                .extracting(e -> ((JsonObject) e).getString("at"))
                .containsExactlyInAnyOrder("batchSize", "recycle", "cuont", "format");
        assertThat(api.store.writes).isZero();
    }

    @Test
    void aNumberTellsItsStory() throws IOException {
        JsonObject json =
                new JsonObject(get("/v1/sequences/order/numbers/ORD-0000000%33").body());
        assertThat(json.getString("number")).isEqualTo("ORD-00000003");
        assertThat(json.getString("state")).isEqualTo("ABANDONED");
        assertThat(json.getInteger("generation")).isZero();
        assertThat(json.getJsonArray("history").getJsonObject(0).getString("actor"))
                .isEqualTo("r-1");
        JsonObject never = assertProblem(get("/v1/sequences/order/numbers/ORD-00000006"), 404, "never-issued");
        assertThat(never.getString("value")).isEqualTo("ORD-00000006");
        JsonObject foreign = assertProblem(get("/v1/sequences/order/numbers/x%2Fy"), 400, "number-malformed");
        assertThat(foreign.getString("value")).isEqualTo("x/y");
    }

    @Test
    void aRangeTellsItsCountsAndGaps() throws IOException {
        JsonObject json = new JsonObject(get("/v1/sequences/order/closure").body());
        assertThat(json.getString("from")).isEqualTo("1");
        assertThat(json.getString("to")).isEqualTo("5");
        assertThat(json.getJsonObject("counts").getLong("confirmed")).isEqualTo(4);
        assertThat(json.getInteger("unaccounted")).isZero();
        assertThat(json.getJsonArray("gaps").getJsonObject(0).getString("fromNumber"))
                .isEqualTo("ORD-00000003");
        assertThat(get("/v1/sequences/order/closure?from=ORD-00000002&to=4").status())
                .isEqualTo(200);
        assertThat(assertProblem(get("/v1/sequences/order/closure?from=x"), 400, "parameter-invalid")
                        .getString("value"))
                .isEqualTo("x");
        assertThat(assertProblem(get("/v1/sequences/order/closure?from=4&to=3"), 400, "parameter-invalid")
                        .getString("value"))
                .isEqualTo("3");
    }

    @Test
    void recyclingIsShownWithItsMembersPassesAndBacklogs() throws IOException {
        JsonObject shown = new JsonObject(get("/v1/recycle").body());
        assertThat(shown.getBoolean("clustered")).isFalse();
        JsonObject member = shown.getJsonArray("members").getJsonObject(0);
        assertThat(member.getValue("id")).isNull();
        assertThat(member.getString("instance")).isEqualTo("instance-1");
        assertThat(member.getJsonArray("roles").encode()).isEqualTo("[\"issue\",\"recycle\"]");
        JsonObject release = member.getJsonArray("passes").getJsonObject(0);
        assertThat(release.getString("pass")).isEqualTo("release");
        assertThat(release.getLong("tookMs")).isEqualTo(7);
        assertThat(release.getValue("failure")).isNull();
        assertThat(release.getJsonObject("counters").getInteger("released")).isEqualTo(3);
        assertThat(member.getJsonArray("passes").getJsonObject(1).getString("failure"))
                .isEqualTo("unavailable");
        JsonObject order = shown.getJsonArray("sequences").getJsonObject(0);
        assertThat(order.getString("sequence")).isEqualTo("order");
        assertThat(order.getLong("pool")).isEqualTo(12);
        assertThat(order.getLong("cooling")).isEqualTo(5);
        assertThat(order.getLong("oldestUnsettledMs")).isEqualTo(9_000);
        assertThat(shown.getValue("next")).isNull();

        JsonObject page = new JsonObject(get("/v1/recycle?limit=1").body());
        assertThat(page.getString("next")).isEqualTo("order");
        assertThat(new JsonObject(get("/v1/recycle?limit=1&after=order").body()).getJsonArray("sequences"))
                .isEmpty();
        assertProblem(get("/v1/recycle?limit=501"), 400, "parameter-invalid");
        assertProblem(get("/v1/recycle?x=1"), 400, "unknown-parameter");
    }

    @Test
    void deadLettersAreListedInPages() throws IOException {
        JsonObject page = new JsonObject(get("/v1/dead-letters?limit=2").body());
        assertThat(page.getJsonArray("items").getJsonObject(0).getString("number"))
                .isEqualTo("ORD-00000041");
        assertThat(page.getString("next")).isEqualTo("2");
        JsonObject last = new JsonObject(
                get("/v1/dead-letters?limit=2&after=2&reason=entry-lost").body());
        assertThat(last.getJsonArray("items")).hasSize(1);
        assertThat(last.getString("next")).isNull();
        assertProblem(get("/v1/dead-letters?reason=x"), 400, "parameter-invalid");
        assertProblem(get("/v1/dead-letters?limit=0"), 400, "parameter-invalid");
        assertProblem(get("/v1/dead-letters?after=-1"), 400, "parameter-invalid");
    }

    @Test
    void deadLettersAreRedrivenByFilterAndAllOfThemOnlyWhenAsked() throws IOException {
        Answer answer = post(
                "/v1/dead-letters/redrive", "{\"ids\":[1,\"2\"],\"sequence\":\"order\",\"reason\":\"entry-lost\"}");
        assertThat(answer.body()).isEqualTo("{\"redriven\":3,\"more\":false}");
        assertThat(Objects.requireNonNull(api.dead.redriven).ids()).containsExactly(1L, 2L);
        assertThat(post("/v1/dead-letters/redrive", "{\"all\":true}").status()).isEqualTo(200);
        api.dead.redriven = null;
        assertProblem(post("/v1/dead-letters/redrive", "{}"), 400, "missing-field");
        assertProblem(post("/v1/dead-letters/redrive", "{\"all\":false}"), 400, "missing-field");
        assertProblem(post("/v1/dead-letters/redrive", "{\"all\":1}"), 400, "wrong-type");
        assertProblem(post("/v1/dead-letters/redrive", "{\"ids\":[-1]}"), 400, "field-invalid");
        assertProblem(post("/v1/dead-letters/redrive", "{\"ids\":5}"), 400, "wrong-type");
        assertProblem(post("/v1/dead-letters/redrive", "{\"reason\":\"x\"}"), 400, "field-invalid");
        assertProblem(post("/v1/dead-letters/redrive", "{\"sequence\":\"\\u0000\"}"), 400, "wrong-type");
        assertProblem(post("/v1/dead-letters/redrive", "{\"id\":1,\"all\":true}"), 400, "unknown-field");
        assertThat(api.dead.redriven).isNull();
    }

    @Test
    void aHeadIsAnsweredLikeItsGetWithoutABody() throws IOException {
        Answer head = http().send("HEAD", "/v1/sequences/order", (String) null);
        assertThat(head.status()).isEqualTo(200);
        assertThat(get("/v1/sequences/order").status()).isEqualTo(200);
    }

    @Test
    void theDescriptionIsServed() throws IOException {
        Answer answer = get("/openapi.yaml");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo("application/yaml");
        assertThat(answer.body()).startsWith("openapi: 3.1.0");
    }

    @Test
    void aRequestIdIsTakenOverWhereItIsSane() throws IOException {
        assertThat(post("/v1/sequences/order/next", null, "X-Request-Id: a.B_9-")
                        .header("X-Request-Id"))
                .isEqualTo("a.B_9-");
        assertThat(post("/v1/sequences/order/next", null).header("X-Request-Id"))
                .isNull();
        for (String insane : new String[] {"a b", "x".repeat(65), "\u00e9", "a\"b", ""}) {
            Answer answer = post("/v1/sequences/none/next", null, "X-Request-Id: " + insane);
            String made = new JsonObject(answer.body()).getString("requestId");
            assertThat(made).matches("[0-9a-f]{16}").isEqualTo(answer.header("X-Request-Id"));
        }
        assertThat(new JsonObject(post("/v1/sequences/none/next", null, "X-Request-Id: mine")
                                .body())
                        .getString("requestId"))
                .isEqualTo("mine");
    }

    @Test
    void aTraceNamesARequestThatHasNoOtherName() throws IOException {
        String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        String header = "traceparent: 00-" + trace + "-00f067aa0ba902b7-01";
        JsonObject refused =
                new JsonObject(post("/v1/sequences/none/next", null, header).body());
        assertThat(refused.getString("requestId")).isEqualTo(trace);
        refused = new JsonObject(post("/v1/sequences/none/next", null, header, "X-Request-Id: mine")
                .body());
        assertThat(refused.getString("requestId")).isEqualTo("mine");
        refused = new JsonObject(post("/v1/sequences/none/next", null, header.replace("00-4", "ff-4"))
                .body());
        assertThat(refused.getString("requestId")).matches("[0-9a-f]{16}");

        String abandon = "{\"number\":\"ORD-00000001\"}";
        post("/v1/sequences/order/abandon", abandon, header, "X-Request-Id: mine");
        assertThat(Objects.requireNonNull(api.settle.last).actor()).isEqualTo("mine");
        assertThat(Objects.requireNonNull(api.settle.last).traceId()).isEqualTo(trace);
        post("/v1/sequences/order/abandon", abandon, header);
        assertThat(Objects.requireNonNull(api.settle.last).actor()).isEqualTo(trace);
        post("/v1/sequences/order/abandon", abandon, "X-Request-Id: mine");
        assertThat(Objects.requireNonNull(api.settle.last).traceId()).isNull();
    }

    @Test
    void aSpanIsNamedByTheRouteAndEndsOnce() throws IOException {
        String header = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        post("/v1/sequences/order/next", null, header, "X-Request-Id: a");
        post("/v1/sequences/order/abandon", "{}", "X-Request-Id: b");
        http().send("BREW", "/v1/nothing", (String) null);
        assertThat(api.spans).hasSize(3);
        assertThat(api.spans.get(0))
                .isEqualTo(
                        "POST /v1/sequences/{name}/next 200 a 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        assertThat(api.spans.get(1)).isEqualTo("POST /v1/sequences/{name}/abandon 400 b null");
        assertThat(api.spans.get(2)).matches("BREW null 404 [0-9a-f]{16} null");
    }

    @Test
    void aDrainingServerAnswersAndAsksToCloseThenRefuses() throws IOException {
        assertThat(post("/v1/sequences/order/next", null).header("Connection")).isNull();
        api.drain.announce();
        Answer last = post("/v1/sequences/order/next", null);
        assertThat(last.status()).isEqualTo(200);
        assertThat(last.header("Connection")).isEqualTo("close");
        api.drain.refuse();
        long before = api.issuer.next.get();
        assertProblem(post("/v1/sequences/order/next", null), 503, "shutting-down");
        assertThat(api.issuer.next.get()).isEqualTo(before);
        assertThat(http().closedByServer()).isTrue();
    }

    @Test
    void drainCountsWhatIsNotAnsweredYet() throws IOException {
        Promise<NextResult> wait = Promise.promise();
        api.issuer.wait = wait;
        http().write("POST /v1/sequences/order/next HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(ApiFixture.await(api.drain.idle(api.vertx, 1))).isIn(true, false);
        while (api.drain.inFlight() == 0) {
            Thread.onSpinWait();
        }
        assertThat(ApiFixture.await(api.drain.idle(api.vertx, 20))).isFalse();
        wait.complete(api.issuer.result(1));
        assertThat(http().read(false).status()).isEqualTo(200);
        assertThat(ApiFixture.await(api.drain.idle(api.vertx, 5000))).isTrue();
    }

    private void awaitInFlight() {
        while (api.drain.inFlight() == 0) {
            Thread.onSpinWait();
        }
    }

    private RawClient http() {
        return Objects.requireNonNull(connected);
    }

    private Answer post(String path, @Nullable String body, String... headers) throws IOException {
        return http().send("POST", path, body, headers);
    }

    private Answer get(String path) throws IOException {
        return http().send("GET", path, (String) null);
    }

    private static JsonArray items(Answer answer) {
        return new JsonObject(answer.body()).getJsonArray("items");
    }

    private JsonObject assertProblem(Answer answer, int status, @Nullable String code) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        JsonObject json = new JsonObject(answer.body());
        assertThat(json.getInteger("status")).isEqualTo(status);
        assertThat(json.getString("title")).isNotBlank();
        assertThat(json.getString("detail")).isNotBlank();
        assertThat(json.getString("requestId")).isEqualTo(answer.header("X-Request-Id"));
        if (code != null) {
            assertThat(json.getString("code")).isEqualTo(code);
            assertThat(json.getString("type")).isEqualTo("/problems/" + code);
            assertThat(api.refused).extracting(Code::text).contains(code);
        }
        return json;
    }
}
