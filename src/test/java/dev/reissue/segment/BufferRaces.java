package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJ_Result;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * Races of takers with the answer of a lease, with the switch to the next segment, and with cuts, on a whole buffer; run by {@link
 * SegmentRacesIT}. In all outcomes, -1 stands for no number.
 */
class BufferRaces {
    private static final long NONE = -1;

    private BufferRaces() {}

    /** A buffer whose first lease waits for the test, and what was sealed; one number after the other, like the test's. */
    static class Fixture {
        private final Promise<List<BatchRange>> first = Promise.promise();
        private boolean asked;

        /** The sum of all {@code issuedTo + 1 - lo} that were sealed, with the number of seals in the hundreds. */
        volatile long sealed;

        final SegmentBuffer buffer = new SegmentBuffer(
                1,
                batches -> lease(),
                (batchId, issuedTo) -> seal(issuedTo),
                SegmentSettings.DEFAULTS,
                Duration.ofHours(1),
                2,
                () -> 0,
                () -> 1,
                SegmentMeter.NOOP);

        final Taken waiting = new Taken(1);

        private synchronized Future<List<BatchRange>> lease() {
            if (asked) {
                return Promise.<List<BatchRange>>promise().future();
            }
            asked = true;
            return first.future();
        }

        private synchronized Future<Void> seal(long issuedTo) {
            sealed += 100 + issuedTo;
            return Future.succeededFuture();
        }

        /** Asks for a number, so that a lease is under way. */
        void ask() {
            buffer.await(1, waiting, Runnable::run);
        }

        /** Answers the lease. */
        void answer(BatchRange... ranges) {
            first.complete(List.of(ranges));
        }

        long take() {
            Taken into = new Taken(1);
            return buffer.take(into) ? into.value(0) : NONE;
        }

        long waited() {
            return waiting.size() == 0 ? NONE : waiting.value(0);
        }
    }

    /** A taker against the answer that links a segment and serves the request that waits. */
    @JCStressTest
    @Outcome(
            id = {"-1, 1, 1", "2, 1, 102", "1, 2, 102"},
            expect = Expect.ACCEPTABLE,
            desc = "each value once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a value twice, or a request forgotten")
    @State
    public static class TakeAgainstRefill extends Fixture {
        /** Starts with a lease under way. */
        public TakeAgainstRefill() {
            ask();
        }

        @Actor
        public void taker(JJJ_Result r) {
            r.r1 = take();
        }

        @Actor
        public void refill() {
            answer(new BatchRange(1, 1, 2));
        }

        @Arbiter
        public void end(JJJ_Result r) {
            r.r2 = waited();
            r.r3 = sealed == 0 ? 1 : sealed;
        }
    }

    /** Two takers at the end of a segment: the first one is used up and sealed once, both get a number. */
    @JCStressTest
    @Outcome(
            id = {"2, 3, 102", "3, 2, 102"},
            expect = Expect.ACCEPTABLE,
            desc = "both, across the end")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a value twice, a taker that missed the next segment, or sealed twice")
    @State
    public static class TakeAgainstSwitch extends Fixture {
        /** Starts with one value left in the first segment. */
        public TakeAgainstSwitch() {
            ask();
            answer(new BatchRange(1, 1, 2), new BatchRange(2, 3, 5));
        }

        @Actor
        public void first(JJJ_Result r) {
            r.r1 = take();
        }

        @Actor
        public void second(JJJ_Result r) {
            r.r2 = take();
        }

        @Arbiter
        public void end(JJJ_Result r) {
            r.r3 = sealed;
        }
    }

    /** A taker against drain: what is sealed names exactly what was handed out. */
    @JCStressTest
    @Outcome(id = "2, -1, 102", expect = Expect.ACCEPTABLE, desc = "taken, then sealed with it")
    @Outcome(id = "-1, -1, 101", expect = Expect.ACCEPTABLE, desc = "sealed without it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "handed out above the seal, or after it")
    @State
    public static class TakeAgainstDrain extends Fixture {
        /** Starts with one value handed out of nine. */
        public TakeAgainstDrain() {
            ask();
            answer(new BatchRange(1, 1, 9));
        }

        @Actor
        public void taker(JJJ_Result r) {
            r.r1 = take();
        }

        @Actor
        public void drain() {
            buffer.drain();
        }

        @Arbiter
        public void end(JJJ_Result r) {
            r.r2 = take();
            r.r3 = sealed;
        }
    }

    /** The answer of a lease against drain: nothing stays open, and nothing is handed out afterwards. */
    @JCStressTest
    @Outcome(id = "-1, -1, -1, 100", expect = Expect.ACCEPTABLE, desc = "returned untouched")
    @Outcome(id = "-1, 1, -1, 101", expect = Expect.ACCEPTABLE, desc = "served, then sealed")
    @Outcome(
            id = {"1, -1, -1, 101", "1, 2, -1, 102", "2, 1, -1, 102"},
            expect = Expect.ACCEPTABLE,
            desc = "taken, then sealed")
    @Outcome(expect = Expect.FORBIDDEN, desc = "left open, or handed out above the seal")
    @State
    public static class RefillAgainstDrain extends Fixture {
        /** Starts with a lease under way. */
        public RefillAgainstDrain() {
            ask();
        }

        @Actor
        public void refill() {
            answer(new BatchRange(1, 1, 9));
        }

        @Actor
        public void drain(JJJJ_Result r) {
            buffer.drain();
            r.r1 = take();
        }

        @Arbiter
        public void end(JJJJ_Result r) {
            r.r2 = waited();
            r.r3 = take();
            r.r4 = sealed;
        }
    }

    /** The answer of a lease against the loss of the instance's lease: nothing of it is handed out afterwards. */
    @JCStressTest
    @Outcome(
            id = {"-1, -1, 0", "-1, -1, 100", "1, -1, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "dropped")
    @Outcome(expect = Expect.FORBIDDEN, desc = "still handed out after the drop")
    @State
    public static class RefillAgainstDrop extends Fixture {
        /** Starts with a lease under way. */
        public RefillAgainstDrop() {
            ask();
        }

        @Actor
        public void refill() {
            answer(new BatchRange(1, 1, 9));
        }

        @Actor
        public void drop() {
            buffer.dropAll();
        }

        @Arbiter
        public void end(JJJ_Result r) {
            r.r1 = waited();
            r.r2 = take();
            r.r3 = sealed;
        }
    }
}
