package dev.reissue.issuance;

/**
 * A batch that a process holds open. What it says stays true: a cursor never moves back.
 *
 * @param sequenceId its sequence
 * @param batchId its id
 * @param lo its first value
 * @param issuedTo a value that was handed out, as was every one from {@code lo} on
 */
public record OpenBatch(int sequenceId, long batchId, long lo, long issuedTo) {}
