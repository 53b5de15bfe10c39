package dev.reissue.api;

import dev.reissue.issuance.KeyDigest;
import dev.reissue.recycle.DeadLetterStore.Filter;
import dev.reissue.recycle.DeadLetterStore.Letter;
import dev.reissue.recycle.DeadLetters;
import dev.reissue.recycle.DeadReason;
import dev.reissue.sequence.NumberFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code /v1/dead-letters}: numbers that wait for an operator, and the way back for them. One event loop. */
final class DeadLetterEndpoint {
    private static final int DEFAULT_PAGE = 100;
    private static final Set<String> PARAMETERS = Set.of("sequence", "reason", "limit", "after");
    private static final Set<String> FIELDS = Set.of("ids", "sequence", "reason", "all");

    private final DeadLetters letters;
    private final BodyReader bodies;
    private final KeyedSettling keyed;

    DeadLetterEndpoint(DeadLetters letters, BodyReader bodies, KeyedSettling keyed) {
        this.letters = letters;
        this.bodies = bodies;
        this.keyed = keyed;
    }

    /** Answers {@code GET /v1/dead-letters}. */
    void list(Exchange exchange) {
        Query query = exchange.query(PARAMETERS);
        if (query == null) {
            return;
        }
        String reason = query.get("reason");
        if (reason != null && reason(reason) == null) {
            exchange.refuse(Problem.of(Code.PARAMETER_INVALID, "reason has to be one of " + reasons() + ".", reason));
            return;
        }
        Long after = query.number("after", 0, 0, Long.MAX_VALUE).orRefuse(exchange);
        Long limit = after == null
                ? null
                : query.number("limit", DEFAULT_PAGE, 1, DeadLetters.LIST_MAX).orRefuse(exchange);
        if (after != null && limit != null) {
            Filter filter = new Filter(exchange.tenant(), query.get("sequence"), reason(reason), null);
            exchange.on(letters.list(filter, after, limit.intValue()), found -> listed(exchange, found, limit));
        }
    }

    private static void listed(Exchange exchange, List<Letter> found, long limit) {
        JsonOut json = exchange.json().object().name("items").array();
        for (Letter letter : found) {
            write(json, letter);
        }
        json.endArray().name("next");
        boolean more = found.size() == limit;
        json.text(more ? Long.toString(found.get(found.size() - 1).row().id()) : null);
        exchange.answer(json.endObject());
    }

    private static void write(JsonOut json, Letter letter) {
        json.object().name("id").longText(letter.row().id());
        json.name("sequence").text(letter.sequence());
        json.name("number")
                .text(NumberFormat.parse(letter.format()).format(letter.row().value()));
        json.name("value").longText(letter.row().value());
        json.name("batch").longText(letter.row().batchId());
        json.name("generation").number(letter.row().generation());
        json.name("holderGeneration").number(letter.holderGeneration());
        json.name("reason").text(letter.reason().code());
        json.name("since").text(letter.since().toInstant().toString());
        json.name("pushFailures").number(letter.pushFailures());
        json.name("probeTries").number(letter.probeTries()).endObject();
    }

    /** Answers {@code POST /v1/dead-letters/redrive}. */
    void redrive(Exchange exchange) {
        bodies.readFields(exchange, fields -> redrive(exchange, fields));
    }

    private void redrive(Exchange exchange, Map<String, @Nullable Object> fields) {
        List<Problem.Part> errors = new ArrayList<>();
        Filter filter = filter(exchange.tenant(), fields, errors);
        if (!errors.isEmpty()) {
            exchange.refuse(Problem.of(errors));
            return;
        }
        keyed.run(
                exchange,
                new KeyedSettling.Subject(0, KeyDigest.Operation.REDRIVE, digest -> digest.texts(texts(filter))),
                () -> letters.redriveAll(filter, exchange.requestId()),
                new KeyedSettling.Ending<>(DeadLetterEndpoint::write, done -> {
                    JsonOut json = exchange.json();
                    write(json, done);
                    exchange.answer(json);
                }));
    }

    private static List<@Nullable String> texts(Filter filter) {
        return Arrays.asList(
                filter.sequence(),
                filter.reason() == null ? null : filter.reason().code(),
                filter.ids() == null ? null : filter.ids().toString());
    }

    private static int write(JsonOut json, DeadLetters.Redriven done) {
        json.object().name("redriven").number(done.redriven());
        json.name("more").bool(done.more()).endObject();
        return 200;
    }

    /** Reads what is to be redriven; everything only when it is asked for by {@code "all": true}. */
    private static Filter filter(String tenant, Map<String, @Nullable Object> fields, List<Problem.Part> errors) {
        for (String name : fields.keySet()) {
            if (!FIELDS.contains(name)) {
                errors.add(
                        new Problem.Part(name, Code.UNKNOWN_FIELD, "Known fields: ids, sequence, reason, all.", name));
            }
        }
        String sequence = text(fields, "sequence", errors);
        String reason = text(fields, "reason", errors);
        List<Long> ids = ids(fields.get("ids"), errors);
        Object all = fields.get("all");
        if (all != null && !(all instanceof Boolean)) {
            errors.add(new Problem.Part("all", Code.WRONG_TYPE, "It has to be true or false.", String.valueOf(all)));
        }
        if (reason != null && reason(reason) == null) {
            errors.add(
                    new Problem.Part("reason", Code.FIELD_INVALID, "It has to be one of " + reasons() + ".", reason));
        }
        if (errors.isEmpty() && sequence == null && reason == null && ids == null && !Boolean.TRUE.equals(all)) {
            errors.add(
                    new Problem.Part("all", Code.MISSING_FIELD, "Give ids, sequence, reason, or all as true.", null));
        }
        return new Filter(tenant, sequence, reason(reason), ids);
    }

    private static @Nullable String text(Map<String, @Nullable Object> fields, String name, List<Problem.Part> errors) {
        Object value = fields.get(name);
        if (value instanceof String text && text.chars().noneMatch(Character::isISOControl)) {
            return text;
        }
        if (value != null) {
            errors.add(new Problem.Part(
                    name, Code.WRONG_TYPE, "It has to be a string without control characters.", String.valueOf(value)));
        }
        return null;
    }

    private static @Nullable List<Long> ids(@Nullable Object value, List<Problem.Part> errors) {
        if (value == null) {
            return null;
        }
        List<Long> ids = new ArrayList<>();
        if (value instanceof List<?> list && list.size() <= DeadLetters.LIST_MAX) {
            for (Object element : list) {
                long id = element instanceof Long || element instanceof String
                        ? Query.wholeNumber(element.toString())
                        : -1;
                if (id < 0) {
                    errors.add(new Problem.Part(
                            "ids[" + ids.size() + "]",
                            Code.FIELD_INVALID,
                            "An id is a whole number.",
                            String.valueOf(element)));
                }
                ids.add(id);
            }
            return ids;
        }
        errors.add(new Problem.Part(
                "ids", Code.WRONG_TYPE, "It has to be a list of up to " + DeadLetters.LIST_MAX + " ids.", null));
        return ids;
    }

    private static @Nullable DeadReason reason(@Nullable String code) {
        for (DeadReason reason : DeadReason.values()) {
            if (reason.code().equals(code)) {
                return reason;
            }
        }
        return null;
    }

    private static String reasons() {
        List<String> codes = new ArrayList<>();
        for (DeadReason reason : DeadReason.values()) {
            codes.add(reason.code());
        }
        return String.join(", ", codes);
    }
}
