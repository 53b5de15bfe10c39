package dev.reissue.recycle;

/**
 * A row of the issue log as a pass sees it right after its own statement. Immutable, any thread.
 *
 * @param id the row
 * @param version its version now
 * @param sequenceId the sequence
 * @param value the value
 * @param batchId the batch that the value was first issued from
 * @param generation its generation now
 */
public record LogRow(long id, long version, int sequenceId, long value, long batchId, int generation) {
    /** Returns what the pool calls this row. */
    public PoolEntry entry() {
        return new PoolEntry(id, version);
    }
}
