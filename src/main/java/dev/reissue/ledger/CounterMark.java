package dev.reissue.ledger;

/**
 * How far a counter was seen to be. {@code revision} rises with every lease and every return, so an answer whose revision is
 * not above a mark known before the question was asked comes from a database that lost commits.
 *
 * @param revision the counter row's revision
 * @param nextValue the counter row's next value
 */
public record CounterMark(long revision, long nextValue) {
    /**
     * Which counter.
     *
     * @param sequenceId the sequence
     * @param period the period, empty for a sequence that does not restart
     */
    public record Counter(int sequenceId, String period) {}

    /** The mark of a counter of which nothing is known. */
    public static final CounterMark NONE = new CounterMark(0, 0);

    /** Returns the component-wise maximum of two marks. */
    public CounterMark max(CounterMark other) {
        return new CounterMark(Math.max(revision, other.revision), Math.max(nextValue, other.nextValue));
    }
}
