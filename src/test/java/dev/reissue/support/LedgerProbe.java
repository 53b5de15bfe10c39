package dev.reissue.support;

import dev.reissue.ledger.CounterMark;
import java.util.List;

/** Looks at a ledger behind the service's back, and makes it what a test needs. Blocking. */
public interface LedgerProbe {

    /** Creates an unbounded sequence of batches of {@code batchSize}, with a counter at 1, and returns its id. */
    default int sequence(int batchSize) {
        return sequence(1, 1_000_000_000_000_000_000L, batchSize);
    }

    /** Creates a sequence with a counter at {@code first} and returns its id. */
    int sequence(long first, long last, int batchSize);

    /** Changes the batch size of a sequence. */
    void resize(int sequenceId, int batchSize);

    /** Moves the counter as an operator does: what was returned below is not to be leased again. */
    void raiseFloor(int sequenceId, long nextValue);

    /** Makes the counter what it was, as a failover to a standby that lagged does, with everything leased above gone. */
    void regress(int sequenceId, CounterMark mark);

    /** Leaves a counter as somebody does who began to repair it and died. */
    void beginRepair(int sequenceId, long knownNextValue);

    /** Turns the confirmed bit of a value on. */
    void confirm(long batchId, long value);

    /** Returns the counter of a sequence. */
    CounterMark mark(int sequenceId);

    /** Returns the batches of a sequence, lowest value first. */
    List<BatchRow> batches(int sequenceId);

    /** Returns the returned ranges of a sequence, lowest first. */
    List<Range> returned(int sequenceId);

    /** A range of values, both ends included. */
    record Range(long lo, long hi) {}

    /** A batch. */
    record BatchRow(long batchId, long lo, long hi, Status status, long issuedTo, boolean suspect, long dueInMs) {}

    /** The status of a batch. */
    enum Status {
        OPEN,
        SEALED,
        CLOSED;

        static Status ofCode(int code) {
            return switch (code) {
                case 1 -> OPEN;
                case 2 -> SEALED;
                case 3 -> CLOSED;
                default -> throw new IllegalArgumentException("no status has the code " + code);
            };
        }
    }
}
