package dev.reissue.api;

import dev.reissue.issuance.CallKey;
import dev.reissue.issuance.HandOutGuard;
import dev.reissue.issuance.Issuer;
import dev.reissue.issuance.KeyDigest;
import dev.reissue.issuance.KeyDigest.Operation;
import dev.reissue.issuance.KeyedNext;
import dev.reissue.issuance.KeyedNumberStore;
import dev.reissue.issuance.NextResult;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.sequence.KeyRule;
import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceDefinition;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/sequences/{name}/next}: one number, or with {@code count} a list of them. One event loop. The answer is
 * written by hand, straight from values to bytes.
 */
final class NextEndpoint implements Endpoint {
    private static final Set<String> PARAMETERS = Set.of("count");
    private static final byte[] NUMBER = ascii("{\"number\":\"");
    private static final byte[] VALUE = ascii("\",\"value\":\"");
    private static final byte[] TICKET = ascii("\",\"ticket\":\"");
    private static final byte[] END = ascii("\"}");
    private static final byte[] COMMA = ascii(",");

    private final SequenceLookup sequences;
    private final Issuer issuer;
    private final HandOutGuard guard;
    private final TicketCodec tickets;
    private final BodyReader bodies;
    private final KeyedNext keyed;
    private final RequestKeys keys;

    NextEndpoint(
            SequenceLookup sequences,
            Issuer issuer,
            HandOutGuard guard,
            TicketCodec tickets,
            BodyReader bodies,
            KeyedNext keyed,
            RequestKeys keys) {
        this.sequences = sequences;
        this.issuer = issuer;
        this.guard = guard;
        this.tickets = tickets;
        this.bodies = bodies;
        this.keyed = keyed;
        this.keys = keys;
    }

    @Override
    public void handle(Exchange exchange) {
        bodies.read(exchange, body -> next(exchange, body));
    }

    private void next(Exchange exchange, byte[] body) {
        String query = exchange.rawQuery();
        boolean list = query != null && !query.isEmpty();
        Integer count = list ? count(query).orRefuse(exchange) : (Integer) 1;
        if (count != null
                && (body.length == 0 || Json.empty(body).orRefuse(exchange) != null)
                && Gate.countsAs(exchange, count)) {
            sequences.with(exchange, sequence -> take(exchange, sequence, count, list));
        }
    }

    private static Parsed<Integer> count(@Nullable String query) {
        Parsed<Query> parsed = Query.parse(query, PARAMETERS, Code.COUNT_INVALID);
        if (parsed instanceof Parsed.Bad<Query> bad) {
            return Parsed.bad(bad.problem());
        }
        String text = ((Parsed.Ok<Query>) parsed).value().get("count");
        long count = text == null ? -1 : Query.wholeNumber(text);
        if (count < 1 || count > Issuer.MAX_COUNT) {
            return Parsed.bad(Problem.of(
                    Code.COUNT_INVALID, "count has to be a whole number from 1 to " + Issuer.MAX_COUNT + ".", text));
        }
        return Parsed.ok((int) count);
    }

    private void take(Exchange exchange, SequenceDefinition sequence, int count, boolean list) {
        String key = exchange.idempotencyKey();
        if (key != null || sequence.requireKey() != KeyRule.NONE) {
            takeUnderKey(exchange, sequence, count, list, key);
            return;
        }
        NextResult atOnce = issuer.tryNext(sequence, count);
        if (atOnce != null) {
            answer(exchange, sequence, atOnce, count, list);
        } else {
            exchange.on(issuer.next(sequence, count), result -> answer(exchange, sequence, result, count, list));
        }
    }

    private void takeUnderKey(
            Exchange exchange, SequenceDefinition sequence, int count, boolean list, @Nullable String sent) {
        CallKey key = keys.read(
                        exchange.tenant(),
                        sent,
                        sequence.requireKey(),
                        sequence.id(),
                        Operation.NEXT,
                        KeyDigest.next(count, list))
                .orRefuse(exchange);
        if (key != null) {
            exchange.on(keyed.next(sequence, count, key), result -> answer(exchange, sequence, result, count, list));
        }
    }

    private void answer(
            Exchange exchange, SequenceDefinition sequence, KeyedNext.Result result, int count, boolean list) {
        if (result instanceof KeyedNext.Result.First first) {
            answer(exchange, sequence, first.result(), count, list);
            return;
        }
        Gate.notGiven(exchange, count);
        if (result instanceof KeyedNext.Result.Again again) {
            exchange.markReplayed();
            exchange.answer(written(exchange, sequence, again.numbers(), list));
        } else if (result instanceof KeyedNext.Result.Superseded superseded) {
            exchange.refuse(superseded(sequence, superseded.gone()));
        } else if (result instanceof KeyedNext.Result.Refused refused) {
            exchange.refuse(RequestKeys.refusal(refused.why()));
        }
    }

    private static Problem superseded(SequenceDefinition sequence, KeyedNumberStore.Gone gone) {
        String number = sequence.format().format(gone.value());
        return Problem.of(
                        Code.SUPERSEDED,
                        "The first answer to this key had a number that is no longer its caller's; it is "
                                + gone.state() + ". A new request needs a new key.",
                        number)
                .with(Map.of("number", number, "state", gone.state().name(), "generation", gone.generation()));
    }

    private void answer(Exchange exchange, SequenceDefinition sequence, NextResult result, int count, boolean list) {
        if (result instanceof NextResult.Issued issued) {
            JsonOut json = written(exchange, sequence, issued, list);
            if (guard.mayLeave(issued.takenNanos())) {
                exchange.answer(json);
            } else {
                Gate.notGiven(exchange, count);
                exchange.refuse(refusal(NextResult.Reason.FENCED, sequence));
            }
        } else if (result instanceof NextResult.Refused refused) {
            Gate.notGiven(exchange, count);
            exchange.refuse(refusal(refused.reason(), sequence));
        }
    }

    private JsonOut written(Exchange exchange, SequenceDefinition sequence, NextResult.Issued issued, boolean list) {
        JsonOut json = exchange.json();
        if (list) {
            writeList(json, sequence, issued);
        } else {
            write(json, sequence, issued, 0);
        }
        return json;
    }

    private void writeList(JsonOut json, SequenceDefinition sequence, NextResult.Issued issued) {
        json.object().name("items").array();
        for (int i = 0; i < issued.count(); i++) {
            if (i > 0) {
                json.raw(COMMA);
            }
            write(json, sequence, issued, i);
        }
        json.endArray().endObject();
    }

    private void write(JsonOut json, SequenceDefinition sequence, NextResult.Issued issued, int index) {
        NumberFormat format = sequence.format();
        long value = issued.value(index);
        json.raw(NUMBER);
        json.end(format.write(value, json.room(format.maxLength()), json.end()));
        json.raw(VALUE).digits(value).raw(TICKET);
        byte[] target = json.room(TicketCodec.TEXT_LENGTH);
        json.end(tickets.encode(
                sequence.id(), issued.batchId(index), value, issued.generation(index), target, json.end()));
        json.raw(END);
    }

    private static Problem refusal(NextResult.Reason reason, SequenceDefinition sequence) {
        return switch (reason) {
            case EXHAUSTED ->
                Problem.of(
                        Code.SEQUENCE_EXHAUSTED,
                        "The last value, " + sequence.last()
                                + ", was handed out, and no number can be issued again now.",
                        sequence.name());
            case OVERLOADED -> Problem.of(Code.OVERLOADED, "Too many requests wait for numbers already.");
            case TIMED_OUT -> Problem.of(Code.OVERLOADED, "No number could be had within the time a request waits.");
            case FENCED ->
                Problem.of(Code.LEASE_LOST, "This instance cannot prove at the moment that its numbers are its own.");
        };
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
