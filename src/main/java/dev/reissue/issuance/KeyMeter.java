package dev.reissue.issuance;

/** What idempotency keys count. Any thread; implementations neither block nor throw. */
public interface KeyMeter extends FlushMeter {

    /** Counts nothing. */
    KeyMeter NOOP = new KeyMeter() {};

    /** A request with a key came to an end. */
    default void ended(End end) {}

    /** What became of a request with a key. */
    enum End {
        /** It was the first one, and its answer is kept. */
        FIRST,
        /** It was answered with what was answered before. */
        REPLAYED,
        /** The answer came from the cache. */
        CACHED,
        /** The key was used for another request. */
        OTHER_REQUEST,
        /** The first one was still running. */
        IN_USE,
        /** A number of its answer belongs to somebody else now. */
        SUPERSEDED,
        /** Its numbers were given back: an equal request elsewhere was faster. */
        LOST_RACE,
        /** It failed, and the key is free. */
        RELEASED
    }
}
