package dev.reissue.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SequenceSpecTest {
    private static final long HAND_OUT_MAX_MS = 2000;

    @Test
    void aNameIsEnough() {
        SequenceDefinition order = created(Map.of("name", "order"));

        assertThat(order)
                .isEqualTo(new SequenceDefinition(
                        0,
                        "acme",
                        "order",
                        NumberFormat.parse("{seq}"),
                        1,
                        NumberFormat.MAX_VALUE,
                        1000,
                        5000,
                        60_000,
                        120_000,
                        true,
                        2,
                        null,
                        null,
                        false,
                        false,
                        0));
    }

    @Test
    void everyFieldIsTaken() {
        Map<String, Object> fields = new HashMap<>();
        fields.put("name", "pay.2026_x-1");
        fields.put("format", "PAY-{seq:8}");
        fields.put("first", "100");
        fields.put("last", 5_000_000L);
        fields.put("batchSize", 50);
        fields.put("batchOpenMaxMs", 2000);
        fields.put("confirmTimeoutMs", 30_000);
        fields.put("safetyWindowMs", 1000);
        fields.put("recycle", false);
        fields.put("replayCap", 0);
        fields.put("recycleAgeMaxMs", 86_400_000L);
        fields.put("probeUrl", "https://erp.example/probe?x=1");
        fields.put("trace", true);
        fields.put("force", true);

        assertThat(created(fields))
                .isEqualTo(new SequenceDefinition(
                        0,
                        "acme",
                        "pay.2026_x-1",
                        NumberFormat.parse("PAY-{seq:8}"),
                        100,
                        5_000_000,
                        50,
                        2000,
                        30_000,
                        1000,
                        false,
                        0,
                        86_400_000L,
                        "https://erp.example/probe?x=1",
                        true,
                        true,
                        0));
    }

    @Test
    void withoutAnEndItEndsWithItsFormat() {
        assertThat(created(Map.of("name", "a", "format", "{seq:3}")).last()).isEqualTo(999);
    }

    @Test
    void nullMeansNoneWhereNoneIsPossible() {
        Map<String, @Nullable Object> fields = new HashMap<>();
        fields.put("name", "a");
        fields.put("last", null);
        fields.put("recycleAgeMaxMs", null);
        fields.put("probeUrl", null);
        fields.put("batchSize", null);

        assertThat(problems(fields)).containsExactly("batchSize wrong-type");
    }

    @Test
    void everyProblemIsListedAtOnceWithTheValueRefused() {
        Map<String, @Nullable Object> fields = new HashMap<>();
        fields.put("name", "Order No");
        fields.put("format", "ORD");
        fields.put("first", -1);
        fields.put("last", new BigInteger("1000000000000000000"));
        fields.put("batchSize", 0);
        fields.put("batchOpenMaxMs", "5000");
        fields.put("confirmTimeoutMs", 3999);
        fields.put("safetyWindowMs", 1.5);
        fields.put("recycle", "yes");
        fields.put("replayCap", -1);
        fields.put("recycleAgeMaxMs", 0);
        fields.put("probeUrl", "ftp://x");
        fields.put("trace", null);
        fields.put("force", 1);
        fields.put("bachSize", 7);

        assertThat(problems(fields))
                .containsExactlyInAnyOrder(
                        "name invalid-name",
                        "format invalid-format",
                        "first out-of-range",
                        "last out-of-range",
                        "batchSize out-of-range",
                        "batchOpenMaxMs wrong-type",
                        "confirmTimeoutMs timeout-too-short",
                        "safetyWindowMs wrong-type",
                        "recycle wrong-type",
                        "replayCap out-of-range",
                        "recycleAgeMaxMs out-of-range",
                        "probeUrl invalid-url",
                        "trace wrong-type",
                        "force wrong-type",
                        "bachSize unknown-field");
        SpecResult.Invalid invalid = (SpecResult.Invalid) SequenceSpec.parse("acme", fields, HAND_OUT_MAX_MS);
        assertThat(invalid.problems())
                .extracting(FieldProblem::message)
                .contains(
                        "last has to be 0 to 999999999999999999, but is 1000000000000000000",
                        "safetyWindowMs has to be a whole number, but is 1.5",
                        "recycle has to be true or false, but is \"yes\"",
                        "there is no field \"bachSize\"");
    }

    @Test
    void aNameIsRequired() {
        assertThat(problems(Map.of())).containsExactly("name required");
        assertThat(problems(Map.of("name", 7))).containsExactly("name wrong-type");
    }

    @ParameterizedTest
    @CsvSource({
        "{seq:3}, 1, 1000, last out-of-range",
        "{seq:3}, 1000, , first out-of-range",
        "{seq}, 10, 9, last out-of-range",
    })
    void theRangeHasToFitTheFormatAndItself(String format, String first, @Nullable String last, String problem) {
        Map<String, @Nullable Object> fields = new HashMap<>(Map.of("name", "a", "format", format, "first", first));
        fields.put("last", last);

        assertThat(problems(fields)).containsExactly(problem);
    }

    @ParameterizedTest
    @CsvSource({
        "60000, 90000, false, ''",
        "60000, 89999, false, safetyWindowMs window-too-short",
        "60000, 0, true, ''",
        "100000, 120000, false, safetyWindowMs window-too-short",
        "4000, 6000, false, ''",
        "3999, 6000, false, confirmTimeoutMs timeout-too-short",
        "3999, 6000, true, confirmTimeoutMs timeout-too-short",
    })
    void aWindowNeedsItsDistanceUnlessForced(int timeout, int window, boolean force, String problem) {
        Map<String, Object> fields =
                Map.of("name", "a", "confirmTimeoutMs", timeout, "safetyWindowMs", window, "force", force);

        assertThat(problems(fields)).isEqualTo(problem.isEmpty() ? List.of() : List.of(problem));
    }

    @ParameterizedTest
    @CsvSource({
        "http://erp.example, true",
        "HTTPS://erp.example:8443/a, true",
        "http://[::1]:80/a, true",
        "/a, false",
        "erp.example/a, false",
        "file:///etc/passwd, false",
        "http:///a, false",
        "http://user:secret@erp.example/, false",
        "http://erp.example/#a, false",
        "http://erp example/, false",
        "'', false",
    })
    void aProbeIsAnAbsoluteUrlWithoutSecrets(String url, boolean good) {
        assertThat(problems(Map.of("name", "a", "probeUrl", url)))
                .isEqualTo(good ? List.of() : List.of("probeUrl invalid-url"));
    }

    @Test
    void aChangeKeepsWhatIsAbsentAndRefusesWhatIsFixed() {
        SequenceDefinition order = created(Map.of("name", "order", "format", "{seq:4}", "last", 500, "batchSize", 7));
        Map<String, @Nullable Object> fields = new HashMap<>();
        fields.put("last", null);
        fields.put("replayCap", 3);
        fields.put("next_value", "77");

        SpecResult.Valid changed = (SpecResult.Valid) SequenceSpec.parseChange(order, fields, HAND_OUT_MAX_MS);

        assertThat(changed.nextValue()).isEqualTo(77);
        assertThat(changed.definition().last()).isEqualTo(9999);
        assertThat(changed.definition().batchSize()).isEqualTo(7);
        assertThat(changed.definition().replayCap()).isEqualTo(3);
        assertThat(changeProblems(order, Map.of("name", "order", "format", "{seq}", "first", 2, "id", 3)))
                .containsExactlyInAnyOrder(
                        "name immutable-field", "format immutable-field", "first immutable-field", "id unknown-field");
        assertThat(changeProblems(order, Map.of("nextValue", 501))).containsExactly("nextValue out-of-range");
        assertThat(changeProblems(order, Map.of("nextValue", 1, "next_value", 1)))
                .containsExactly("next_value duplicate-field");
        assertThat(changeProblems(order, Map.of("confirmTimeoutMs", 120_000)))
                .containsExactly("safetyWindowMs window-too-short");
        assertThat(problems(Map.of("name", "a", "nextValue", 7))).containsExactly("nextValue unknown-field");
    }

    private static SequenceDefinition created(Map<String, ? extends @Nullable Object> fields) {
        SpecResult result = SequenceSpec.parse("acme", fields, HAND_OUT_MAX_MS);
        assertThat(result).isInstanceOf(SpecResult.Valid.class);
        return ((SpecResult.Valid) result).definition();
    }

    private static List<String> problems(Map<String, ? extends @Nullable Object> fields) {
        return problems(SequenceSpec.parse("acme", fields, HAND_OUT_MAX_MS));
    }

    private static List<String> changeProblems(SequenceDefinition current, Map<String, Object> fields) {
        return problems(SequenceSpec.parseChange(current, fields, HAND_OUT_MAX_MS));
    }

    private static List<String> problems(SpecResult result) {
        return result instanceof SpecResult.Invalid invalid
                ? invalid.problems().stream()
                        .map(problem -> problem.field() + " " + problem.code())
                        .toList()
                : List.of();
    }
}
