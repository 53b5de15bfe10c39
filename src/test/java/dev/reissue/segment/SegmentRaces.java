package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * Races of takers and closers on one cursor, run by {@link SegmentRacesIT}. In all outcomes of takes, -1 is {@link Segment#NONE}; a
 * closer that came second reports -2.
 */
class SegmentRaces {
    private static final long SECOND = -2;

    private SegmentRaces() {}

    private static Segment segment(long lo, long hi) {
        return new Segment(new BatchRange(1, lo, hi), hi - lo + 1);
    }

    private static long close(Segment s) {
        long issuedTo = s.close();
        return issuedTo == Segment.CLOSED_BEFORE ? SECOND : issuedTo;
    }

    /** Two takers, two values: each gets one of its own. */
    @JCStressTest
    @Outcome(
            id = {"10, 11, 2", "11, 10, 2"},
            expect = Expect.ACCEPTABLE,
            desc = "each value once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a value twice or lost")
    @State
    public static class TakeAgainstTake {
        private final Segment segment = segment(10, 11);

        @Actor
        public void first(JJJ_Result r) {
            r.r1 = segment.take();
        }

        @Actor
        public void second(JJJ_Result r) {
            r.r2 = segment.take();
        }

        @Arbiter
        public void end(JJJ_Result r) {
            r.r3 = segment.issued();
        }
    }

    /** Two takers of three and one value left: one gets it. */
    @JCStressTest
    @Outcome(
            id = {"10, -1, 1", "-1, 10, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "the last value once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the last value twice or lost")
    @State
    public static class TakesAtTheEnd {
        private final Segment segment = segment(10, 10);

        @Actor
        public void first(JJJ_Result r) {
            r.r1 = segment.take(3);
        }

        @Actor
        public void second(JJJ_Result r) {
            r.r2 = segment.take();
        }

        @Arbiter
        public void end(JJJ_Result r) {
            r.r3 = segment.issued();
        }
    }

    /** The fence: what close returns is the last value that anybody has or will have. */
    @JCStressTest
    @Outcome(id = "10, 10, 1", expect = Expect.ACCEPTABLE, desc = "taken, then closed above it")
    @Outcome(id = "-1, 9, 0", expect = Expect.ACCEPTABLE, desc = "closed, then nothing to take")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a value handed out above what close returned, or skipped")
    @State
    public static class TakeAgainstClose {
        private final Segment segment = segment(10, 19);

        @Actor
        public void taker(JJJ_Result r) {
            r.r1 = segment.take();
        }

        @Actor
        public void closer(JJJ_Result r) {
            r.r2 = close(segment);
        }

        @Arbiter
        public void end(JJJ_Result r) {
            r.r3 = segment.issued();
        }
    }

    /** The fence under takes of one and of several. */
    @JCStressTest
    @Outcome(id = "10, 11, 13", expect = Expect.ACCEPTABLE, desc = "both, then closed")
    @Outcome(id = "10, -1, 10", expect = Expect.ACCEPTABLE, desc = "one, then closed")
    @Outcome(id = "-1, -1, 9", expect = Expect.ACCEPTABLE, desc = "closed first")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a value above the fence, twice, or skipped")
    @State
    public static class TakesAgainstClose {
        private final Segment segment = segment(10, 19);

        @Actor
        public void taker(JJJ_Result r) {
            r.r1 = segment.take();
            r.r2 = segment.take(3);
        }

        @Actor
        public void closer(JJJ_Result r) {
            r.r3 = close(segment);
        }
    }

    /** A late taker's noise does not change what a closed cursor tells. */
    @JCStressTest
    @Outcome(
            id = {"10, 10, 1", "-1, 9, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "issued agrees with close")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the number handed out changed after closing")
    @State
    public static class TakeOfManyAgainstCloseAtTheEnd {
        private final Segment segment = segment(10, 10);

        @Actor
        public void taker(JJJ_Result r) {
            r.r1 = segment.take(1000);
        }

        @Actor
        public void closer(JJJ_Result r) {
            r.r2 = close(segment);
        }

        @Arbiter
        public void end(JJJ_Result r) {
            r.r3 = segment.issued();
        }
    }

    /** One of two closers is told the end, so one seals. */
    @JCStressTest
    @Outcome(
            id = {"10, -2", "-2, 10"},
            expect = Expect.ACCEPTABLE,
            desc = "one closer")
    @Outcome(expect = Expect.FORBIDDEN, desc = "two closers or none")
    @State
    public static class CloseAgainstClose {
        private final Segment segment = segment(10, 19);

        /** Starts with one value handed out. */
        public CloseAgainstClose() {
            segment.take();
        }

        @Actor
        public void first(JJ_Result r) {
            r.r1 = close(segment);
        }

        @Actor
        public void second(JJ_Result r) {
            r.r2 = close(segment);
        }
    }

    /** A taker that comes at the same time does not open a closed cursor again. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "closed for good")
    @Outcome(expect = Expect.FORBIDDEN, desc = "opened again")
    @State
    public static class ClosedStaysClosed {
        private final Segment segment = segment(10, 19);

        @Actor
        public void closer() {
            segment.close();
        }

        @Actor
        public void taker() {
            segment.take(5);
        }

        @Arbiter
        public void end(Z_Result r) {
            r.r1 = segment.isClosed();
        }
    }
}
