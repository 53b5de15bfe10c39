package dev.reissue.api;

import org.jspecify.annotations.Nullable;

/** What came of reading a part of a request: a value, or the problem to answer with. Immutable, any thread. */
sealed interface Parsed<T> {
    /** It could be read. */
    record Ok<T>(T value) implements Parsed<T> {}

    /** It has to be refused. */
    record Bad<T>(Problem problem) implements Parsed<T> {}

    /** Wraps a value. */
    static <T> Parsed<T> ok(T value) {
        return new Ok<>(value);
    }

    /** Wraps a problem. */
    static <T> Parsed<T> bad(Problem problem) {
        return new Bad<>(problem);
    }

    /** Returns the value, null where the problem was answered instead. */
    default @Nullable T orRefuse(Exchange exchange) {
        if (this instanceof Ok<T> ok) {
            return ok.value();
        }
        exchange.refuse(((Bad<T>) this).problem());
        return null;
    }
}
