package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.audit.Fate;
import dev.reissue.issuance.Settlement;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.recycle.DeadReason;
import dev.reissue.sequence.SequenceAdmin;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The description says what the code does: the same routes, codes, states and limits. */
class OpenApiTest {
    private static final Set<String> METHODS = Set.of("get", "post", "patch", "put", "delete");

    private final Map<String, Object> description = load();

    @Test
    void everyRouteIsDescribedAndNoOther() {
        Set<String> described = new TreeSet<>();
        map(description, "paths")
                .forEach((path, item) -> map(item).keySet().stream()
                        .filter(METHODS::contains)
                        .forEach(method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path)));
        try (ApiFixture api = new ApiFixture(HttpSettings.DEFAULT)) {
            assertThat(described)
                    .containsExactlyInAnyOrderElementsOf(api.routes().descriptions());
        }
    }

    @Test
    void everyCodeIsDescribedAndNoOther() {
        assertThat(enumOf("Problem", "code"))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Code.values()).map(Code::text).toList());
    }

    @Test
    void everyOutcomeStateAndReasonIsDescribedAndNoOther() {
        assertThat(enumOf("Settled", "outcome"))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(SettleOutcome.values())
                        .map(SettleOutcome::code)
                        .toList());
        assertThat(strings(schema("State").get("enum")))
                .containsExactlyElementsOf(
                        Arrays.stream(NumberState.values()).map(Enum::name).toList());
        assertThat(strings(schema("Fate").get("enum")))
                .containsExactlyElementsOf(
                        Arrays.stream(Fate.values()).map(Enum::name).toList());
        assertThat(strings(schema("DeadReason").get("enum")))
                .containsExactlyElementsOf(
                        Arrays.stream(DeadReason.values()).map(DeadReason::code).toList());
    }

    @Test
    void theLimitsAreThoseOfTheCode() {
        String text = description.toString();
        assertThat(text).contains("maxItems=" + Settlement.MAX_ITEMS);
        assertThat(text).contains("maximum=" + SequenceAdmin.MAX_PAGE + ", default=100");
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        List<String> references = new ArrayList<>();
        walk(description, node -> {
            if (node instanceof Map<?, ?> map && map.get("$ref") instanceof String reference) {
                references.add(reference);
            }
        });
        assertThat(references).isNotEmpty().allSatisfy(reference -> {
            Object target = description;
            for (String step : reference.substring("#/".length()).split("/", -1)) {
                target = map(target).get(step);
                assertThat(target).as(reference).isNotNull();
            }
        });
    }

    @Test
    void everyAnswerBesidesSuccessIsAProblem() {
        walk(description, node -> {
            if (node instanceof Map<?, ?> map
                    && map.get("responses") instanceof Map<?, ?> responses
                    && map.containsKey("operationId")) {
                responses
                        .keySet()
                        .forEach(
                                status -> assertThat(status.toString()).matches("20[017]|400|404|409|422|503|default"));
            }
        });
    }

    @Test
    void codesAreStableNamesWithSaneStatuses() {
        for (Code code : Code.values()) {
            assertThat(code.text()).matches("[a-z]+(-[a-z]+)*");
            assertThat(code.status()).isBetween(400, 503);
            assertThat(code.retryAfterSeconds() > 0)
                    .isEqualTo(code.status() == 503 || code.status() == 429 || code == Code.IDEMPOTENCY_KEY_IN_USE);
        }
        for (SettleOutcome outcome : SettleOutcome.values()) {
            if (!outcome.accepted(SettleKind.CONFIRM)) {
                assertThat(Code.of(outcome).text()).isEqualTo(outcome.code());
            }
        }
    }

    private List<String> enumOf(String schema, String property) {
        return strings(map(map(schema(schema), "properties").get(property)).get("enum"));
    }

    private Map<String, Object> schema(String name) {
        return map(map(map(description, "components"), "schemas").get(name));
    }

    private static void walk(@Nullable Object node, Consumer<@Nullable Object> visitor) {
        visitor.accept(node);
        if (node instanceof Map<?, ?> map) {
            map.values().forEach(child -> walk(child, visitor));
        } else if (node instanceof List<?> list) {
            list.forEach(child -> walk(child, visitor));
        }
    }

    private static Map<String, Object> map(Map<String, Object> parent, String name) {
        return map(parent.get(name));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(@Nullable Object node) {
        assertThat(node).isInstanceOf(Map.class);
        return (Map<String, Object>) Objects.requireNonNull(node);
    }

    private static List<String> strings(@Nullable Object node) {
        assertThat(node).isInstanceOf(List.class);
        return ((List<?>) Objects.requireNonNull(node))
                .stream().map(Object::toString).toList();
    }

    private static Map<String, Object> load() {
        try (InputStream in = Objects.requireNonNull(OpenApiTest.class.getResourceAsStream("/openapi.yaml"))) {
            return map(new Load(LoadSettings.builder().build()).loadFromInputStream(in));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
