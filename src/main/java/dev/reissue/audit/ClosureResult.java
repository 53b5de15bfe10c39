package dev.reissue.audit;

/** What came of the wish to close a range. */
public sealed interface ClosureResult {

    /** The range was counted. */
    record Counted(ClosureReport report) implements ClosureResult {}

    /**
     * The range makes no sense, or is too wide.
     *
     * @param parameter which end of it is to blame, {@code from} or {@code to}
     * @param message a sentence for the caller
     */
    record Invalid(String parameter, String message) implements ClosureResult {}
}
