package dev.reissue.api;

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
}
