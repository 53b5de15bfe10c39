package dev.reissue.api;

import dev.reissue.issuance.KeyDigest;
import dev.reissue.issuance.SettleResult;
import dev.reissue.issuance.SettleResult.SettledNumber;
import dev.reissue.issuance.Settlement;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.sequence.SequenceDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/sequences/{name}/confirm}, {@code .../abandon} and {@code .../void}: one number or up to 1,000. One event loop.
 * The answer leaves after the commit. A single refused number is a problem; in a list each item tells its own outcome, and
 * the status is 207 where not all of them were accepted.
 */
final class SettleEndpoint implements Endpoint {
    private static final int MULTI_STATUS = 207;

    private final SettleKind kind;
    private final SequenceLookup sequences;
    private final Settlement settlement;
    private final BodyReader bodies;
    private final KeyedSettling keyed;

    SettleEndpoint(
            SettleKind kind, SequenceLookup sequences, Settlement settlement, BodyReader bodies, KeyedSettling keyed) {
        this.kind = kind;
        this.sequences = sequences;
        this.settlement = settlement;
        this.bodies = bodies;
        this.keyed = keyed;
    }

    @Override
    public void handle(Exchange exchange) {
        bodies.read(exchange, body -> parse(exchange, body));
    }

    private void parse(Exchange exchange, byte[] body) {
        if (exchange.query(Set.of()) == null) {
            return;
        }
        SettleBody items = SettleBody.parse(body).orRefuse(exchange);
        if (items != null && Gate.countsAs(exchange, items.items().size())) {
            sequences.with(exchange, sequence -> settle(exchange, sequence, items));
        }
    }

    private void settle(Exchange exchange, SequenceDefinition sequence, SettleBody body) {
        if (exchange.idempotencyKey() == null) {
            exchange.on(
                    settlement.settle(sequence, kind, body.items(), exchange.settler()),
                    result -> answer(exchange, body, result));
            return;
        }
        keyed.run(
                exchange,
                new KeyedSettling.Subject(
                        sequence.id(), operation(), digest -> digest.settle(body.items(), body.single())),
                () -> settlement.settle(sequence, kind, body.items(), exchange.settler()),
                new KeyedSettling.Ending<>(
                        (json, result) -> writeAccepted(json, body, result), result -> answer(exchange, body, result)));
    }

    private KeyDigest.Operation operation() {
        return switch (kind) {
            case CONFIRM -> KeyDigest.Operation.CONFIRM;
            case ABANDON -> KeyDigest.Operation.ABANDON;
            case VOID -> KeyDigest.Operation.VOID;
        };
    }

    /** Writes an answer that is to be kept and returns its status, 0 where nothing was accepted. */
    private static int writeAccepted(JsonOut json, SettleBody body, SettleResult result) {
        if (!(result instanceof SettleResult.Settled settled)
                || settled.numbers().stream().noneMatch(SettledNumber::accepted)) {
            return 0;
        }
        if (body.single()) {
            write(json, settled.numbers().get(0));
            return 200;
        }
        return writeList(json, settled.numbers());
    }

    private void answer(Exchange exchange, SettleBody body, SettleResult result) {
        if (result instanceof SettleResult.Settled settled) {
            if (body.single()) {
                answerOne(exchange, settled.numbers().get(0));
            } else {
                answerList(exchange, settled.numbers());
            }
        } else if (result instanceof SettleResult.Rejected rejected) {
            exchange.refuse(problem(rejected, body));
        } else {
            exchange.refuse(Problem.of(Code.OVERLOADED, "Too many calls wait to be committed. Nothing was changed."));
        }
    }

    private static void answerOne(Exchange exchange, SettledNumber number) {
        if (number.accepted()) {
            JsonOut json = exchange.json();
            write(json, number);
            exchange.answer(json);
            return;
        }
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("number", number.number());
        members.put("outcome", number.outcome().code());
        if (number.state() != null) {
            members.put("state", number.state().name());
            members.put("generation", number.generation());
        }
        exchange.refuse(Problem.of(Code.of(number.outcome()), detail(number), number.number())
                .with(members));
    }

    private static void answerList(Exchange exchange, List<SettledNumber> numbers) {
        JsonOut json = exchange.json();
        exchange.answer(writeList(json, numbers), json);
    }

    private static int writeList(JsonOut json, List<SettledNumber> numbers) {
        json.object().name("items").array();
        boolean all = true;
        for (SettledNumber number : numbers) {
            write(json, number);
            all &= number.accepted();
        }
        json.endArray().endObject();
        return all ? 200 : MULTI_STATUS;
    }

    private static void write(JsonOut json, SettledNumber number) {
        json.object().name("number").text(number.number());
        json.name("value").longText(number.value());
        json.name("outcome").text(number.outcome().code());
        if (!number.accepted()) {
            json.name("code").text(Code.of(number.outcome()).text());
        }
        if (number.state() != null) {
            json.name("state").text(number.state().name());
            json.name("generation").number(number.generation());
        }
        json.endObject();
    }

    private static String detail(SettledNumber number) {
        SettleOutcome outcome = number.outcome();
        return switch (outcome) {
            case NEVER_ISSUED -> "No number like this was ever handed out.";
            case TICKET_REQUIRED -> "Send the ticket that came with the number.";
            case SUPERSEDED -> "The number belongs to another holder now, who is not affected.";
            default -> "The number is " + number.state() + " and stays so.";
        };
    }

    private static Problem problem(SettleResult.Rejected rejected, SettleBody body) {
        List<Problem.Part> errors = new ArrayList<>();
        for (SettleResult.Problem problem : rejected.problems()) {
            SettleResult.ProblemKind mistake = problem.kind();
            Settlement.@Nullable Request item =
                    problem.index() < 0 ? null : body.items().get(problem.index());
            String field = field(mistake);
            String at = body.single() || item == null ? field : "items[" + problem.index() + "]." + field;
            errors.add(new Problem.Part(at, code(mistake), problem.detail(), value(mistake, item)));
        }
        return Problem.of(errors);
    }

    private static Code code(SettleResult.ProblemKind mistake) {
        return switch (mistake) {
            case NO_ITEMS -> Code.NO_ITEMS;
            case TOO_MANY_ITEMS -> Code.TOO_MANY_ITEMS;
            case NOTHING_NAMED, REASON_MISSING -> Code.MISSING_FIELD;
            case NUMBER_MALFORMED -> Code.NUMBER_MALFORMED;
            case TICKET_MALFORMED -> Code.TICKET_MALFORMED;
            case TICKET_FOREIGN -> Code.TICKET_FOREIGN;
            case TEXT_INVALID -> Code.TEXT_INVALID;
        };
    }

    private static String field(SettleResult.ProblemKind mistake) {
        return switch (mistake) {
            case NO_ITEMS, TOO_MANY_ITEMS -> "items";
            case NOTHING_NAMED, NUMBER_MALFORMED -> "number";
            case TICKET_MALFORMED, TICKET_FOREIGN -> "ticket";
            case REASON_MISSING, TEXT_INVALID -> "reason";
        };
    }

    private static @Nullable String value(SettleResult.ProblemKind mistake, Settlement.@Nullable Request item) {
        if (item == null) {
            return null;
        }
        return switch (mistake) {
            case NUMBER_MALFORMED -> item.number();
            case TICKET_MALFORMED, TICKET_FOREIGN -> item.ticket();
            default -> null;
        };
    }
}
