package dev.reissue.issuance;

/**
 * Port: tells which open batch of this process a value was handed out from. Answered by the issuing side, whose cursors alone know
 * how far an open batch is used. Any thread; no I/O.
 */
@FunctionalInterface
public interface OwnedBatches {

    /** The answer for a value that this process cannot vouch for. */
    long NOT_OURS = 0;

    /** Owns nothing. */
    OwnedBatches NONE = (sequenceId, value) -> NOT_OURS;

    /**
     * Returns the id of the batch that this process leased and from which it handed {@code value} out, {@link #NOT_OURS} where the
     * value is not in a batch of ours or above its cursor.
     */
    long handedOutBatch(int sequenceId, long value);
}
