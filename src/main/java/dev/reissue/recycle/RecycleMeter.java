package dev.reissue.recycle;

import java.util.Map;

/** What the recycling tells its metrics. Implementations are cheap and never fail. Any thread. */
public interface RecycleMeter {
    /** A meter that drops everything. */
    RecycleMeter NOOP = new RecycleMeter() {
        @Override
        public void pass(String name, Map<String, Integer> counters, long nanos) {}

        @Override
        public void passFailed(String name, String kind) {}

        @Override
        public void ledger(long oldestOverdueMs, long cooling, long replayable, long deadLetters) {}

        @Override
        public void poolDepth(long entries) {}

        @Override
        public void stock(String event, int numbers) {}

        @Override
        public void alert(String kind, String reason, int numbers) {}

        @Override
        public void webhook(String outcome) {}
    };

    /** A pass ended: its counters by name, and how long it took. */
    void pass(String name, Map<String, Integer> counters, long nanos);

    /** A pass failed; {@code kind} is the kind of the fault in lower case. */
    void passFailed(String name, String kind);

    /**
     * What the ledger looks like.
     *
     * @param oldestOverdueMs how long the most overdue number has been waiting for a pass, 0 where none is
     * @param cooling abandoned numbers, those that await an answer of the business system included
     * @param replayable numbers that nobody has claimed
     * @param deadLetters dead letters
     */
    void ledger(long oldestOverdueMs, long cooling, long replayable, long deadLetters);

    /** Entries in the pool, over the sequences that have replayable numbers. */
    void poolDepth(long entries);

    /** The local stock: numbers {@code claimed}, {@code lost-race}, {@code renewed}, {@code given-back} or {@code dropped}. */
    void stock(String event, int numbers);

    /**
     * An alert was raised for so many numbers.
     *
     * @param kind one of {@link RecycleAlerts.Kind}'s codes
     * @param reason one of {@link DeadReason}'s codes, {@link RecycleAlerts#REPLAY_CAP} or {@link RecycleAlerts#STUCK}
     */
    void alert(String kind, String reason, int numbers);

    /** The webhook was told an alert, or was to be told: {@code delivered}, {@code failed} or {@code dropped}. */
    void webhook(String outcome);
}
