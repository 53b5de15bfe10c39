package dev.reissue.audit;

/** What a lookup found. */
public sealed interface LookupResult {

    /** The number was issued, or is leased to an instance that may issue it any moment. */
    record Found(NumberReport report) implements LookupResult {}

    /** Nobody ever got the number. */
    record NeverIssued(String number, long value, Reason reason) implements LookupResult {}

    /** The text is not a number of this sequence. */
    record NotANumber(String text) implements LookupResult {}

    /** Why a number was never issued. */
    enum Reason {
        /** Its value lies before the sequence's first or behind its last. */
        OUT_OF_RANGE,
        /** The sequence has not come that far. */
        NOT_YET,
        /** It came back from a batch without having been handed out. */
        RETURNED,
        /** It was jumped over when the sequence's next value was raised. */
        SKIPPED,
        /** It should be known, but no record has it. */
        LOST
    }
}
