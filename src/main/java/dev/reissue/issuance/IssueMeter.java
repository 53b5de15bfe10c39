package dev.reissue.issuance;

/** What issuing counts; for all sequences together. Any thread; never blocks. */
public interface IssueMeter {

    /** Counts nothing. */
    IssueMeter NOOP = new IssueMeter() {};

    /** Numbers were taken for one request. */
    default void issued(int fresh, int recycled) {}

    /** A request got no number. */
    default void refused(NextResult.Reason reason) {}
}
