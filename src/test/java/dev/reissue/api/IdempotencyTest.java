package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.api.RawClient.Answer;
import dev.reissue.issuance.CallKey;
import dev.reissue.issuance.KeyedNumberStore.Entry;
import dev.reissue.issuance.KeyedNumberStore.Gone;
import dev.reissue.issuance.KeyedNumberStore.Run;
import dev.reissue.issuance.NextResult;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.Ticket;
import dev.reissue.support.Await;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What callers see of idempotency keys, on stores in memory. */
class IdempotencyTest {
    private static final String NEXT = "/v1/sequences/order/next";
    private static final String CONFIRM = "/v1/sequences/order/confirm";
    private static final String FIFTH = "{\"number\":\"ORD-00000005\"}";

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
    void equalRequestsGetTheSameAnswerAndTakeOneNumber() throws IOException {
        Answer first = post(NEXT, "a", null);
        Answer again = post(NEXT, "a", null);
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.header("Idempotency-Replayed")).isNull();
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(api.issuer.next).hasValue(2);
        assertThat(post(NEXT, "b", null).body()).contains("ORD-00000002");
    }

    @Test
    void aListIsRepeatedWithAllItsNumbers() throws IOException {
        Answer first = post(NEXT + "?count=500", "a", null);
        assertThat(post(NEXT + "?count=500", "a", null).body())
                .isEqualTo(first.body())
                .contains("ORD-00000500");
        assertThat(api.issuer.next).hasValue(501);
    }

    @Test
    void quotedAndBareAreTheSameKey() throws IOException {
        Answer bare = post(NEXT, "k\\1", null);
        assertThat(post(NEXT, "\"k\\\\1\"", null).body()).isEqualTo(bare.body());
        assertThat(post(NEXT, "\"with space, comma and \\\" quote\"", null).status())
                .isEqualTo(200);
        assertThat(post(NEXT, "x".repeat(255), null).status()).isEqualTo(200);
        assertThat(post(NEXT, '"' + "\\\\".repeat(255) + '"', null).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "",
                "a b",
                "a,b",
                "\"",
                "\"a",
                "a\"",
                "\"a\"b\"",
                "\"\\x\"",
                "\"a\\\"",
                "\u00e4",
                "\"\u00e4\""
            })
    void whatIsNoKeyIsRefusedWithItsValueAndTakesNothing(String key) throws IOException {
        JsonObject problem = problem(post(NEXT, key, null), 400, "idempotency-key-invalid");
        assertThat(problem.getString("value")).isNotNull();
        assertThat(api.issuer.next).hasValue(1);
    }

    @Test
    void aKeyThatIsTooLongOrSentTwiceIsRefused() throws IOException {
        problem(post(NEXT, "x".repeat(256), null), 400, "idempotency-key-invalid");
        problem(post(NEXT, '"' + "x".repeat(256) + '"', null), 400, "idempotency-key-invalid");
        Answer twice = http().send("POST", NEXT, (String) null, "Idempotency-Key: a", "Idempotency-Key: b");
        assertThat(problem(twice, 400, "idempotency-key-invalid").getString("value"))
                .isEqualTo("a, b");
        assertThat(api.issuer.next).hasValue(1);
    }

    @Test
    void theSameKeyWithAnotherRequestIsRefused() throws IOException {
        post(NEXT, "a", null);
        problem(post(NEXT + "?count=1", "a", null), 422, "idempotency-key-reused");
        problem(post(NEXT + "?count=2", "a", null), 422, "idempotency-key-reused");
        post(CONFIRM, "a", FIFTH);
        int settled = api.settle.settled;
        problem(post(CONFIRM, "a", "{\"number\":\"ORD-00000006\"}"), 422, "idempotency-key-reused");
        assertThat(api.settle.settled).isEqualTo(settled);
    }

    @ParameterizedTest
    @EnumSource(SettleKind.class)
    void settlingRunsOnceAndIsAnsweredAgain(SettleKind kind) throws IOException {
        String path = "/v1/sequences/order/" + kind.name().toLowerCase(Locale.ROOT);
        String body =
                "{\"items\":[{\"number\":\"ORD-00000005\",\"reason\":\"r\"},{\"number\":\"ORD-00000006\",\"reason\":\"r\"}]}";
        Answer first = post(path, "a", body);
        Answer again = post(path, "a", body.replace(":", " : "));
        assertThat(first.status()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(api.settle.settled).isEqualTo(2);
    }

    @Test
    void redriveRunsOnceAndIsAnsweredAgain() throws IOException {
        String path = "/v1/dead-letters/redrive";
        Answer first = post(path, "a", "{\"all\":true}");
        Answer again = post(path, "a", "{\"all\":true}");
        assertThat(first.header("Idempotency-Replayed")).isNull();
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        problem(post(path, "a", "{\"sequence\":\"order\"}"), 422, "idempotency-key-reused");
    }

    @Test
    void aPartlyAcceptedListIsRepeatedAsItWas() throws IOException {
        api.settle.answer(6, SettleOutcome.SUPERSEDED, NumberState.REPLAYED, 1);
        String body = "{\"items\":[{\"number\":\"ORD-00000005\"},{\"number\":\"ORD-00000006\"}]}";
        Answer first = post(CONFIRM, "a", body);
        assertThat(first.status()).isEqualTo(207);
        Answer again = post(CONFIRM, "a", body);
        assertThat(again.status()).isEqualTo(207);
        assertThat(again.body()).isEqualTo(first.body());
    }

    @Test
    void aFailedAttemptFreesTheKey() throws IOException {
        api.issuer.reason = NextResult.Reason.EXHAUSTED;
        problem(post(NEXT, "a", null), 409, "sequence-exhausted");
        api.issuer.reason = null;
        assertThat(post(NEXT + "?count=2", "a", null).status()).isEqualTo(200);

        api.settle.answer(5, SettleOutcome.TICKET_REQUIRED, null, 0);
        problem(post(CONFIRM, "a", FIFTH), 409, "ticket-required");
        api.settle.answer(5, SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0);
        Answer later = post(CONFIRM, "a", FIFTH);
        assertThat(later.status()).isEqualTo(200);
        assertThat(later.header("Idempotency-Replayed")).isNull();

        api.settle.fault = StoreException.Kind.UNAVAILABLE;
        problem(post(CONFIRM, "b", FIFTH), 503, "store-unavailable");
        api.settle.fault = null;
        assertThat(post(CONFIRM, "b", "{\"number\":\"ORD-00000007\"}").status()).isEqualTo(200);
    }

    @Test
    void withoutTheStoreNothingIsTakenAndNothingAnswered() throws IOException {
        api.keys.fault = StoreException.Kind.UNKNOWN;
        problem(post(NEXT, "a", null), 503, "store-unavailable");
        problem(post(CONFIRM, "a", FIFTH), 503, "store-unavailable");
        assertThat(api.issuer.next).hasValue(1);
        assertThat(api.settle.settled).isZero();
        assertThat(http().send("POST", NEXT, (String) null).status()).isEqualTo(200);
    }

    @Test
    void anEqualRequestWhileTheFirstRunsIsRefused() throws IOException {
        Promise<NextResult> wait = Promise.promise();
        api.issuer.wait = wait;
        try (RawClient other = api.connect()) {
            http().write("POST " + NEXT + " HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\r\n\r\n");
            Await.until("the first one runs", Duration.ofSeconds(5), () -> api.drain.inFlight() == 1);
            other.write("POST " + NEXT + " HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\r\n\r\n");
            Await.until(
                    "the second one is refused",
                    Duration.ofSeconds(5),
                    () -> api.refused.contains(Code.IDEMPOTENCY_KEY_IN_USE));
            Answer second = other.read(false);
            wait.complete(api.issuer.result(1));
            assertThat(http().read(false).status()).isEqualTo(200);
            problem(second, 409, "idempotency-key-in-use");
            assertThat(second.header("Retry-After")).isEqualTo("1");
        }
    }

    @Test
    void whoeverIsSlowerGivesItsNumberBackAndAnswersAsItWasAnswered() throws IOException {
        api.keys.rival = key -> new Entry(key, 1, List.of(new Run(9, 77, 1, 0)));
        Answer answer = post(NEXT, "a", null);
        assertThat(answer.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(new JsonObject(answer.body()).getString("value")).isEqualTo("77");
        Await.until("the slower one's number is abandoned", Duration.ofSeconds(5), () -> api.settle.settled == 1);
        SettleStore.Item back = Objects.requireNonNull(api.settle.last);
        assertThat(back.kind()).isEqualTo(SettleKind.ABANDON);
        assertThat(back.value()).isEqualTo(1);
        assertThat(back.generation()).isZero();
        assertThat(post(NEXT, "a", null).body()).isEqualTo(answer.body());
    }

    @Test
    void whoeverIsSlowerWithAnotherRequestIsRefused() throws IOException {
        api.keys.rival = key -> new Entry(new CallKey(key.id(), 99, CallKey.NO_END), 1, List.of(new Run(9, 77, 1, 0)));
        problem(post(NEXT, "a", null), 422, "idempotency-key-reused");
        Await.until("the slower one's number is abandoned", Duration.ofSeconds(5), () -> api.settle.settled == 1);
    }

    @Test
    void anEntryWhoseAnswerWasLostIsKnownForOnesOwn() throws IOException {
        api.keys.loseOneAnswer = true;
        Answer answer = post(NEXT, "a", null);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Idempotency-Replayed")).isNull();
        assertThat(api.settle.settled).isZero();
        assertThat(post(NEXT, "a", null).body()).isEqualTo(answer.body());
    }

    @Test
    void numbersOfAnEntryThatMayBeCommittedAreLeftAlone() throws IOException {
        api.keys.recordFault = StoreException.Kind.UNKNOWN;
        problem(post(NEXT, "a", null), 503, "outcome-unknown");
        api.keys.recordFault = null;
        assertThat(api.settle.settled).isZero();
        assertThat(post(NEXT, "a", null).status()).isEqualTo(200);
    }

    @Test
    void aNumberThatIsSomebodyElsesIsNotHandedOutAgain() throws IOException {
        post(NEXT, "a", null);
        api.keys.gone = new Gone(1, NumberState.REPLAYED, 1);
        JsonObject problem = problem(post(NEXT, "a", null), 409, "superseded");
        assertThat(problem.getString("number")).isEqualTo("ORD-00000001");
        assertThat(problem.getString("state")).isEqualTo("REPLAYED");
        assertThat(problem.getInteger("generation")).isEqualTo(1);
    }

    @Test
    void aLeaseThatIsLostBindsNoKey() throws IOException {
        api.leaseValid = false;
        problem(post(NEXT, "a", null), 503, "lease-lost");
        api.leaseValid = true;
        assertThat(post(NEXT + "?count=2", "a", null).status()).isEqualTo(200);
    }

    @Test
    void aSequenceMayInsistOnAKey() throws IOException {
        change("any");
        problem(http().send("POST", NEXT, (String) null), 400, "idempotency-key-missing");
        assertThat(api.issuer.next).hasValue(1);
        assertThat(post(NEXT, "a", null).status()).isEqualTo(200);
        assertThat(http().send("POST", CONFIRM, FIFTH).status()).isEqualTo(200);
        change("none");
        assertThat(http().send("POST", NEXT, (String) null).status()).isEqualTo(200);
    }

    @Test
    void aSequenceMayInsistOnIssuedKeys() throws IOException {
        change("issued");
        String issued = issue("{\"sequence\":\"order\"}");
        problem(http().send("POST", NEXT, (String) null), 400, "idempotency-key-missing");
        problem(post(NEXT, "made-up", null), 400, "idempotency-key-not-issued");
        problem(
                post(NEXT, issued.substring(0, 43) + (issued.charAt(43) == 'A' ? 'B' : 'A'), null),
                400,
                "idempotency-key-not-issued");
        assertThat(api.issuer.next).hasValue(1);
        Answer first = post(NEXT, issued, null);
        assertThat(first.status()).isEqualTo(200);
        assertThat(post(NEXT, '"' + issued + '"', null).body()).isEqualTo(first.body());
        problem(post(NEXT + "?count=2", issued, null), 422, "idempotency-key-reused");
        assertThat(post(NEXT, issue("{}"), null).status()).isEqualTo(200);
        assertThat(post(NEXT, issue(null), null).status()).isEqualTo(200);
    }

    @Test
    void anIssuedKeyOfAnotherSequenceOrThatIsOverIsRefused() throws IOException {
        http().send("POST", "/v1/sequences", "{\"name\":\"pay\",\"format\":\"PAY-{seq}\"}");
        change("issued");
        problem(post(NEXT, issue("{\"sequence\":\"pay\"}"), null), 400, "idempotency-key-not-issued");
        String used = issue("{\"sequence\":\"order\"}");
        String late = issue("{\"sequence\":\"order\"}");
        Answer first = post(NEXT, used, null);
        api.keys.nowMs.addAndGet(3_601_000);
        problem(post(NEXT, late, null), 400, "idempotency-key-expired");
        assertThat(post(NEXT, used, null).body()).isEqualTo(first.body());
    }

    @Test
    void badRequestsForAKeyAreRefused() throws IOException {
        String path = "/v1/idempotency-keys";
        problem(http().send("POST", path, "{\"sequence\":\"nope\"}"), 404, "unknown-sequence");
        problem(http().send("POST", path, "{\"sequence\":5}"), 400, "wrong-type");
        problem(http().send("POST", path, "{\"count\":5}"), 400, "unknown-field");
        problem(http().send("POST", path, "[]"), 400, "bad-json");
        problem(http().send("POST", path + "?a=b", "{}"), 400, "unknown-parameter");
        problem(http().send("PATCH", "/v1/sequences/order", "{\"requireKey\":\"some\"}"), 400, "field-invalid");
        problem(http().send("PATCH", "/v1/sequences/order", "{\"requireKey\":true}"), 400, "wrong-type");
    }

    @Test
    void randomKeysAreEitherServedOrRefusedAndNeverMore() throws IOException {
        long seed = Long.getLong("fuzz.seed", 20_261_129);
        Random random = new Random(seed);
        String alphabet = "abcXYZ019\"\\ ,;=:-_.!\t\u00e4\u00ff%";
        for (int i = 0; i < 5_000; i++) {
            StringBuilder key = new StringBuilder();
            for (int n = random.nextInt(random.nextInt(20) == 0 ? 300 : 12); n > 0; n--) {
                key.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            if (random.nextBoolean()) {
                key.insert(0, '"').append('"');
            }
            String path = random.nextInt(4) == 0 ? "/v1/sequences/order/confirm" : NEXT;
            Answer answer = post(path, key.toString(), path.equals(NEXT) ? null : FIFTH);
            boolean valid = RequestKeys.unquote(key.toString().strip()) != null;
            assertThat(answer.status())
                    .as("seed " + seed + ", request " + i + ": " + key)
                    .isEqualTo(valid ? 200 : 400);
        }
        assertThat(api.refused).containsOnly(Code.IDEMPOTENCY_KEY_INVALID);
    }

    @Test
    void theTicketsOfARepeatAreThoseOfTheFirstAnswer() throws IOException {
        post(NEXT, "a", null);
        JsonObject again = new JsonObject(post(NEXT, "a", null).body());
        assertThat(again.getString("ticket")).isEqualTo(ApiFixture.TICKETS.encode(new Ticket(1, 7, 1, 0)));
    }

    private void change(String rule) throws IOException {
        Answer changed = http().send("PATCH", "/v1/sequences/order", "{\"requireKey\":\"" + rule + "\"}");
        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
        assertThat(new JsonObject(changed.body()).getString("requireKey")).isEqualTo(rule);
    }

    private String issue(@Nullable String body) throws IOException {
        Answer answer = http().send("POST", "/v1/idempotency-keys", body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        return new JsonObject(answer.body()).getString("key");
    }

    private Answer post(String path, String key, @Nullable String body) throws IOException {
        return http().send("POST", path, body, "Idempotency-Key: " + key);
    }

    private static JsonObject problem(Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        JsonObject json = new JsonObject(answer.body());
        assertThat(json.getString("code")).isEqualTo(code);
        return json;
    }

    private RawClient http() {
        return Objects.requireNonNull(connected);
    }
}
