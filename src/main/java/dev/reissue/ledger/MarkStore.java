package dev.reissue.ledger;

import io.vertx.core.Future;

/**
 * Port: the highest counter mark that was ever seen, kept outside the database. A hint: an implementation that lost its marks
 * answers {@link CounterMark#NONE}. Any thread; every call has a short deadline of its own.
 */
public interface MarkStore {

    /** Returns the highest mark known, {@link CounterMark#NONE} where none is or the store cannot be reached. */
    Future<CounterMark> highest(int sequenceId, String period);

    /** Raises the mark; a lower one changes nothing. Completes when done or given up; never fails. */
    Future<Void> raise(int sequenceId, String period, CounterMark mark);
}
