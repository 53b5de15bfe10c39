package dev.reissue.api;

import dev.reissue.audit.LookupResult;
import dev.reissue.audit.NumberLookup;
import java.util.Map;
import java.util.Set;

/** {@code GET /v1/sequences/{name}/numbers/{number}}: the state and the story of one number. One event loop. */
final class NumberEndpoint implements Endpoint {
    private final SequenceLookup sequences;
    private final NumberLookup lookup;

    NumberEndpoint(SequenceLookup sequences, NumberLookup lookup) {
        this.sequences = sequences;
        this.lookup = lookup;
    }

    @Override
    public void handle(Exchange exchange) {
        if (exchange.query(Set.of()) != null) {
            sequences.with(
                    exchange,
                    sequence ->
                            exchange.on(lookup.find(sequence, exchange.number()), result -> answer(exchange, result)));
        }
    }

    private static void answer(Exchange exchange, LookupResult result) {
        if (result instanceof LookupResult.Found found) {
            exchange.answer(exchange.json().value(found.report().toMap()));
        } else if (result instanceof LookupResult.NeverIssued never) {
            exchange.refuse(Problem.of(Code.NEVER_ISSUED, detail(never.reason()), never.number())
                    .with(Map.of("number", never.number())));
        } else if (result instanceof LookupResult.NotANumber not) {
            exchange.refuse(Problem.of(Code.NUMBER_MALFORMED, "It is not a number of this sequence.", not.text()));
        }
    }

    private static String detail(LookupResult.Reason reason) {
        return switch (reason) {
            case OUT_OF_RANGE -> "It lies outside of the sequence.";
            case NOT_YET -> "The sequence has not come that far.";
            case RETURNED -> "An instance had leased it and gave it back unused; it is to be issued later.";
            case SKIPPED -> "It was skipped when the next value was raised.";
            case LOST -> "No record has it, although the sequence is past it.";
        };
    }
}
