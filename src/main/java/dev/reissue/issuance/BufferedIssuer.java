package dev.reissue.issuance;

import dev.reissue.segment.SegmentBuffer;
import dev.reissue.segment.TakeResult;
import dev.reissue.segment.Taken;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An issuer that serves from memory: claimed recycled numbers, then the segment buffer of the sequence. Any thread, lock-free; the
 * way without waiting makes one result and the numbers in it, nothing else.
 *
 * <p>The clock is read before the first number is taken, so that the hand-out age that {@link HandOutGuard} looks at is never
 * shorter than the true one. While the lease is not valid nothing is taken at all, or numbers would only be burnt.
 */
public final class BufferedIssuer implements Issuer {
    private static final NextResult EXHAUSTED = new NextResult.Refused(NextResult.Reason.EXHAUSTED);
    private static final NextResult OVERLOADED = new NextResult.Refused(NextResult.Reason.OVERLOADED);
    private static final NextResult TIMED_OUT = new NextResult.Refused(NextResult.Reason.TIMED_OUT);
    private static final NextResult FENCED = new NextResult.Refused(NextResult.Reason.FENCED);

    private final BufferRegistry buffers;
    private final ReusableNumbers reusable;
    private final HandOutGuard guard;
    private final LongSupplier nanoClock;
    private final IssueMeter meter;

    /** Creates an issuer; the clock is the guard's. */
    public BufferedIssuer(
            BufferRegistry buffers,
            ReusableNumbers reusable,
            HandOutGuard guard,
            LongSupplier nanoClock,
            IssueMeter meter) {
        this.buffers = buffers;
        this.reusable = reusable;
        this.guard = guard;
        this.nanoClock = nanoClock;
        this.meter = meter;
    }

    @Override
    public @Nullable NextResult tryNext(SequenceDefinition sequence, int count) {
        requireInRange(count);
        if (!guard.leaseValid()) {
            return refused(FENCED, NextResult.Reason.FENCED);
        }
        Taken taken = new Taken(count);
        taken.takenAt(nanoClock.getAsLong());
        ReusableNumbers.Claimed claimed = reusable.poll(sequence.id());
        if (claimed != null) {
            return recycledFirst(sequence, count, taken, claimed);
        }
        if (!buffers.bufferOf(sequence).take(count, taken)) {
            return null;
        }
        meter.issued(count, 0);
        return NextResult.Issued.fresh(taken);
    }

    private static void requireInRange(int count) {
        if (count < 1 || count > MAX_COUNT) {
            throw new IllegalArgumentException("count must be 1 to " + MAX_COUNT + ": " + count);
        }
    }

    private @Nullable NextResult recycledFirst(
            SequenceDefinition sequence, int count, Taken taken, ReusableNumbers.Claimed first) {
        ReusableNumbers.Claimed[] claims = new ReusableNumbers.Claimed[count];
        int recycled = 0;
        for (ReusableNumbers.Claimed c = first; c != null; c = reusable.poll(sequence.id())) {
            claims[recycled++] = c;
            if (recycled == count) {
                break;
            }
        }
        int[] generations = new int[recycled];
        long oldest = taken.takenNanos();
        for (int i = 0; i < recycled; i++) {
            ReusableNumbers.Claimed c = claims[i];
            taken.add(c.batchId(), c.value());
            generations[i] = c.generation();
            oldest = c.claimSentNanos() - oldest < 0 ? c.claimSentNanos() : oldest;
        }
        taken.takenAt(oldest);
        int fresh = count - recycled;
        if (fresh > 0 && !buffers.bufferOf(sequence).take(fresh, taken)) {
            for (int i = 0; i < recycled; i++) {
                reusable.giveBack(sequence.id(), claims[i]);
            }
            return null;
        }
        meter.issued(fresh, recycled);
        return NextResult.Issued.recycledFirst(taken, generations);
    }

    @Override
    public Future<NextResult> next(SequenceDefinition sequence, int count) {
        NextResult now = tryNext(sequence, count);
        if (now != null) {
            return Future.succeededFuture(now);
        }
        Taken taken = new Taken(count);
        SegmentBuffer buffer = buffers.bufferOf(sequence);
        return buffer.await(count, taken, callersContext()).map(result -> result(result, taken));
    }

    private static Executor callersContext() {
        Context context = Vertx.currentContext();
        return context == null ? Runnable::run : task -> context.runOnContext(ignored -> task.run());
    }

    private NextResult result(TakeResult result, Taken taken) {
        return switch (result) {
            case TAKEN -> {
                meter.issued(taken.size(), 0);
                yield NextResult.Issued.fresh(taken);
            }
            case EXHAUSTED -> refused(EXHAUSTED, NextResult.Reason.EXHAUSTED);
            case OVERLOADED -> refused(OVERLOADED, NextResult.Reason.OVERLOADED);
            case TIMED_OUT -> refused(TIMED_OUT, NextResult.Reason.TIMED_OUT);
            case STOPPED -> refused(FENCED, NextResult.Reason.FENCED);
        };
    }

    private NextResult refused(NextResult result, NextResult.Reason reason) {
        meter.refused(reason);
        return result;
    }
}
