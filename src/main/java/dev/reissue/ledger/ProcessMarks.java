package dev.reissue.ledger;

import dev.reissue.ledger.CounterMark.Counter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The highest counter marks that this process has seen. Any thread; one entry a sequence and period. */
public final class ProcessMarks {
    private final ConcurrentMap<Counter, CounterMark> marks = new ConcurrentHashMap<>();

    /** Creates marks of which nothing is known. */
    public ProcessMarks() {}

    /** Returns the highest mark seen, {@link CounterMark#NONE} where none was. */
    public CounterMark highest(int sequenceId, String period) {
        return marks.getOrDefault(new Counter(sequenceId, period), CounterMark.NONE);
    }

    /** Returns all marks as they are now. */
    public Map<Counter, CounterMark> all() {
        return Map.copyOf(marks);
    }

    /** Raises a mark; a lower one changes nothing. */
    public void raise(int sequenceId, String period, CounterMark mark) {
        marks.merge(new Counter(sequenceId, period), mark, CounterMark::max);
    }
}
