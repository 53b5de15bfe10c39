package dev.reissue.audit;

/** Port: knows what this process has handed out of its open batches. Any thread; no I/O. */
@FunctionalInterface
public interface HandOutHint {

    /** Knows nothing. */
    HandOutHint NONE = (sequenceId, value) -> false;

    /** Tells whether the value was handed out by this process from a batch that is still open. False where it cannot tell. */
    boolean handedOut(int sequenceId, long value);
}
