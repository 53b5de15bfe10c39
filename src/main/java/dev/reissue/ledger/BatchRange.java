package dev.reissue.ledger;

/**
 * A leased range of values with its batch row. Immutable, any thread.
 *
 * @param batchId the batch row
 * @param lo the first value
 * @param hi the last value, at least {@code lo}
 */
public record BatchRange(long batchId, long lo, long hi) {
    /** Checks the range. */
    public BatchRange {
        if (lo < 0 || hi < lo) {
            throw new IllegalArgumentException("batch " + batchId + " has no range: " + lo + ".." + hi);
        }
    }

    /** Returns the number of values. */
    public long size() {
        return hi - lo + 1;
    }
}
