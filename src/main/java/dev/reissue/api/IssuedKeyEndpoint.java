package dev.reissue.api;

import dev.reissue.issuance.IssuedKeys;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/idempotency-keys}: a one-time key, for one sequence or for any. One event loop. The end of a key is told by the
 * database's clock, which is asked for it.
 */
final class IssuedKeyEndpoint implements Endpoint {
    private static final String SEQUENCE = "sequence";

    private final SequenceLookup sequences;
    private final KeyServices keys;
    private final BodyReader bodies;

    IssuedKeyEndpoint(SequenceLookup sequences, KeyServices keys, BodyReader bodies) {
        this.sequences = sequences;
        this.keys = keys;
        this.bodies = bodies;
    }

    @Override
    public void handle(Exchange exchange) {
        bodies.read(exchange, body -> {
            if (exchange.query(Set.of()) == null) {
                return;
            }
            Map<String, @Nullable Object> fields =
                    body.length == 0 ? Map.of() : Json.map(body).orRefuse(exchange);
            if (fields != null) {
                issue(exchange, fields);
            }
        });
    }

    private void issue(Exchange exchange, Map<String, @Nullable Object> fields) {
        for (String field : fields.keySet()) {
            if (!field.equals(SEQUENCE)) {
                exchange.refuse(Problem.of(Code.UNKNOWN_FIELD, "Known fields: sequence.", field));
                return;
            }
        }
        Object sequence = fields.get(SEQUENCE);
        if (sequence == null) {
            issue(exchange, null, IssuedKeys.ANY_SEQUENCE);
        } else if (sequence instanceof String name) {
            sequences.with(exchange, name, found -> issue(exchange, found.name(), found.id()));
        } else {
            exchange.refuse(Problem.of(Code.WRONG_TYPE, "sequence has to be a string.", String.valueOf(sequence)));
        }
    }

    private void issue(Exchange exchange, @Nullable String sequence, int sequenceId) {
        exchange.on(keys.nowMs().get(), now -> {
            long endsMs = now + keys.issuedKeyMs();
            String key = keys.issued().issue(exchange.tenant(), sequenceId, endsMs);
            exchange.answer(
                    201,
                    exchange.json()
                            .object()
                            .name("key")
                            .text(key)
                            .name(SEQUENCE)
                            .text(sequence)
                            .name("expiresAt")
                            .text(Instant.ofEpochSecond(endsMs / 1000).toString())
                            .endObject());
        });
    }
}
