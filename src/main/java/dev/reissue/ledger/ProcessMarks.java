package dev.reissue.ledger;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The highest counter marks that this process has seen. Any thread; one entry a sequence and period. */
public final class ProcessMarks {
    private final ConcurrentMap<Key, CounterMark> marks = new ConcurrentHashMap<>();

    private record Key(int sequenceId, String period) {}

    /** Creates marks of which nothing is known. */
    public ProcessMarks() {}

    /** Returns the highest mark seen, {@link CounterMark#NONE} where none was. */
    public CounterMark highest(int sequenceId, String period) {
        return marks.getOrDefault(new Key(sequenceId, period), CounterMark.NONE);
    }

    /** Raises a mark; a lower one changes nothing. */
    public void raise(int sequenceId, String period, CounterMark mark) {
        marks.merge(new Key(sequenceId, period), mark, CounterMark::max);
    }
}
