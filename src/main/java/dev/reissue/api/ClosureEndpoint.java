package dev.reissue.api;

import dev.reissue.audit.ClosureResult;
import dev.reissue.audit.RangeClosure;
import java.util.Set;

/** {@code GET /v1/sequences/{name}/closure}: what became of a range. One event loop. */
final class ClosureEndpoint implements Endpoint {
    private static final Set<String> PARAMETERS = Set.of("from", "to");

    private final SequenceLookup sequences;
    private final RangeClosure closure;

    ClosureEndpoint(SequenceLookup sequences, RangeClosure closure) {
        this.sequences = sequences;
        this.closure = closure;
    }

    @Override
    public void handle(Exchange exchange) {
        Query query = exchange.query(PARAMETERS);
        if (query != null) {
            sequences.with(
                    exchange,
                    sequence -> exchange.on(
                            closure.close(sequence, query.get("from"), query.get("to")),
                            result -> answer(exchange, query, result)));
        }
    }

    private static void answer(Exchange exchange, Query query, ClosureResult result) {
        if (result instanceof ClosureResult.Counted counted) {
            exchange.answer(exchange.json().value(counted.report().toMap()));
        } else if (result instanceof ClosureResult.Invalid invalid) {
            exchange.refuse(Problem.of(
                    Code.PARAMETER_INVALID,
                    invalid.parameter() + ": " + invalid.message() + ".",
                    query.get(invalid.parameter())));
        }
    }
}
