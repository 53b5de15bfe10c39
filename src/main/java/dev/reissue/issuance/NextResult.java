package dev.reissue.issuance;

import dev.reissue.segment.Taken;

/** The outcome of asking for numbers: all of them or none. Immutable, any thread. */
public sealed interface NextResult {

    /** Why no number was handed out. */
    enum Reason {
        /** The sequence has come to its last value and nothing of it can be issued again at the moment. */
        EXHAUSTED,
        /** Too many requests wait already. */
        OVERLOADED,
        /** No number could be had within the time that a request waits. */
        TIMED_OUT,
        /** This process may not hand out numbers: its lease is not known to be valid, or it is stopping. */
        FENCED
    }

    /** Numbers for the caller. {@link HandOutGuard} has the last word on whether they may leave. */
    final class Issued implements NextResult {
        private static final int[] ALL_FRESH = {};

        private final Taken taken;
        private final int[] generations;

        private Issued(Taken taken, int[] generations) {
            this.taken = taken;
            this.generations = generations;
        }

        /** Returns an answer of numbers that were never issued before. */
        public static Issued fresh(Taken taken) {
            return new Issued(taken, ALL_FRESH);
        }

        /** Returns an answer that starts with recycled numbers, of these generations; the others are of generation 0. */
        static Issued recycledFirst(Taken taken, int[] generations) {
            return new Issued(taken, generations);
        }

        /** Returns how many numbers there are. */
        public int count() {
            return taken.size();
        }

        /** Returns the value of a number, {@code 0 <= index < count()}. */
        public long value(int index) {
            return taken.value(index);
        }

        /** Returns the batch that the value was first issued from. */
        public long batchId(int index) {
            return taken.batchId(index);
        }

        /** Returns the generation, 0 for a number that was never issued before. */
        public int generation(int index) {
            return index < generations.length ? generations[index] : 0;
        }

        /** Returns when the oldest of them was taken or its claim was sent, on the monotonic clock. */
        public long takenNanos() {
            return taken.takenNanos();
        }
    }

    /**
     * No number.
     *
     * @param reason why
     */
    record Refused(Reason reason) implements NextResult {}
}
