package dev.reissue.segment;

/** What became of a request that waited for numbers. */
public enum TakeResult {
    /** It has its numbers, all of them. */
    TAKEN,
    /** The sequence has come to its end and the stock is not enough. */
    EXHAUSTED,
    /** Too many requests wait already. */
    OVERLOADED,
    /** No refill came in time. */
    TIMED_OUT,
    /** The buffer is stopped. */
    STOPPED
}
