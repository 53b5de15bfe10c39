package dev.reissue.api;

import dev.reissue.sequence.ChangeResult;
import dev.reissue.sequence.CreateResult;
import dev.reissue.sequence.FieldProblem;
import dev.reissue.sequence.SequenceAdmin;
import dev.reissue.sequence.SequencePage;
import dev.reissue.sequence.SequenceView;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code /v1/sequences} and {@code /v1/sequences/{name}}: create, list, show and change definitions. One event loop. */
final class SequenceEndpoint {
    private static final int DEFAULT_PAGE = 100;
    private static final Set<String> PAGE_PARAMETERS = Set.of("limit", "after");

    private final SequenceAdmin admin;
    private final BodyReader bodies;

    SequenceEndpoint(SequenceAdmin admin, BodyReader bodies) {
        this.admin = admin;
        this.bodies = bodies;
    }

    /** Answers {@code POST /v1/sequences}. */
    void create(Exchange exchange) {
        bodies.readFields(
                exchange,
                fields -> exchange.on(
                        admin.create(exchange.tenant(), fields), result -> created(exchange, result, fields)));
    }

    private static void created(Exchange exchange, CreateResult result, Map<String, @Nullable Object> fields) {
        if (result instanceof CreateResult.Created created) {
            String name = created.view().definition().name();
            exchange.request().response().putHeader(HttpHeaders.LOCATION, "/v1/sequences/" + name);
            exchange.answer(201, exchange.json().value(created.view().toMap()));
        } else if (result instanceof CreateResult.Same same) {
            exchange.answer(exchange.json().value(same.view().toMap()));
        } else if (result instanceof CreateResult.NameTaken taken) {
            exchange.refuse(Problem.of(
                            Code.SEQUENCE_CONFLICT,
                            "It differs in: " + String.join(", ", taken.differing()) + ".",
                            taken.view().definition().name())
                    .with(Map.of("differing", taken.differing())));
        } else if (result instanceof CreateResult.Ambiguous ambiguous) {
            exchange.refuse(ambiguous(ambiguous.other(), ambiguous.number()));
        } else if (result instanceof CreateResult.TooMany many) {
            exchange.refuse(Problem.of(Code.TOO_MANY_SEQUENCES, "There may be " + many.limit() + " of them."));
        } else if (result instanceof CreateResult.Invalid invalid) {
            exchange.refuse(invalid(invalid.problems(), fields));
        } else {
            exchange.refuse(contended());
        }
    }

    /** Answers {@code PATCH /v1/sequences/{name}}. */
    void change(Exchange exchange) {
        bodies.readFields(
                exchange,
                fields -> exchange.on(
                        admin.change(exchange.tenant(), exchange.name(), fields),
                        result -> changed(exchange, result, fields)));
    }

    private static void changed(Exchange exchange, ChangeResult result, Map<String, @Nullable Object> fields) {
        if (result instanceof ChangeResult.Changed changed) {
            exchange.answer(exchange.json().value(changed.view().toMap()));
        } else if (result instanceof ChangeResult.Unchanged same) {
            exchange.answer(exchange.json().value(same.view().toMap()));
        } else if (result instanceof ChangeResult.NotFound) {
            exchange.refuse(SequenceLookup.unknown(exchange.name()));
        } else if (result instanceof ChangeResult.Invalid invalid) {
            exchange.refuse(invalid(invalid.problems(), fields));
        } else if (result instanceof ChangeResult.NextValueLower lower) {
            exchange.refuse(Problem.of(
                    Code.NEXT_VALUE_LOWER,
                    "The next value is " + lower.current() + " already.",
                    Long.toString(lower.requested())));
        } else if (result instanceof ChangeResult.LastBelowIssued below) {
            exchange.refuse(Problem.of(
                    Code.LAST_BELOW_ISSUED,
                    "Values below " + below.nextValue() + " were given to instances already.",
                    Long.toString(below.requested())));
        } else if (result instanceof ChangeResult.Ambiguous ambiguous) {
            exchange.refuse(ambiguous(ambiguous.other(), ambiguous.number()));
        } else {
            exchange.refuse(contended());
        }
    }

    /** Answers {@code GET /v1/sequences/{name}}. */
    void show(Exchange exchange) {
        if (exchange.query(Set.of()) == null) {
            return;
        }
        exchange.on(
                admin.view(exchange.tenant(), exchange.name()),
                found -> found.ifPresentOrElse(
                        view -> exchange.answer(exchange.json().value(view.toMap())),
                        () -> exchange.refuse(SequenceLookup.unknown(exchange.name()))));
    }

    /** Answers {@code GET /v1/sequences}. */
    void list(Exchange exchange) {
        Query query = exchange.query(PAGE_PARAMETERS);
        if (query == null) {
            return;
        }
        Long limit =
                query.number("limit", DEFAULT_PAGE, 1, SequenceAdmin.MAX_PAGE).orRefuse(exchange);
        if (limit != null) {
            exchange.on(
                    admin.list(exchange.tenant(), query.get("after"), limit.intValue()),
                    page -> listed(exchange, page));
        }
    }

    private static void listed(Exchange exchange, SequencePage page) {
        JsonOut json = exchange.json().object().name("items").array();
        for (SequenceView view : page.sequences()) {
            json.value(view.toMap());
        }
        exchange.answer(json.endArray().name("next").text(page.next()).endObject());
    }

    private static Problem invalid(List<FieldProblem> problems, Map<String, @Nullable Object> fields) {
        return Problem.of(problems.stream()
                .map(problem -> new Problem.Part(
                        problem.field(),
                        code(problem.code()),
                        problem.message(),
                        fields.get(problem.field()) == null ? null : String.valueOf(fields.get(problem.field())),
                        problem.code()))
                .toList());
    }

    private static Code code(String mistake) {
        return switch (mistake) {
            case "unknown-field" -> Code.UNKNOWN_FIELD;
            case "wrong-type" -> Code.WRONG_TYPE;
            case "immutable-field" -> Code.IMMUTABLE_FIELD;
            case "required" -> Code.MISSING_FIELD;
            default -> Code.FIELD_INVALID;
        };
    }

    private static Problem ambiguous(String other, String number) {
        return Problem.of(Code.FORMAT_AMBIGUOUS, "The sequence " + other + " can produce " + number + " too.", number);
    }

    private static Problem contended() {
        return Problem.of(Code.OVERLOADED, "Others change sequences at the same time. Nothing was changed.");
    }
}
