package dev.reissue.api;

import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.sequence.SequenceDefinition;
import java.util.function.Consumer;

/** Finds the sequence of the caller's tenant that a path names, or answers that there is none. One event loop. */
final class SequenceLookup {
    private final SequenceCatalogue catalogue;

    SequenceLookup(SequenceCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** Goes on with the sequence named by the path. */
    void with(Exchange exchange, Consumer<SequenceDefinition> then) {
        with(exchange, exchange.name(), then);
    }

    /** Goes on with a sequence. */
    void with(Exchange exchange, String name, Consumer<SequenceDefinition> then) {
        SequenceDefinition known = catalogue.peek(exchange.tenant(), name);
        if (known != null) {
            then.accept(known);
            return;
        }
        exchange.on(
                catalogue.find(exchange.tenant(), name),
                found -> found.ifPresentOrElse(then, () -> exchange.refuse(unknown(name))));
    }

    static Problem unknown(String name) {
        return Problem.of(Code.UNKNOWN_SEQUENCE, "No sequence has this name.", name);
    }
}
