package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease under way and when the next one may start: one at a time, paused after failures and while the sequence is exhausted.
 * One thread at a time calls; the answer may come on any.
 */
final class Refill {
    private static final Logger LOG = LoggerFactory.getLogger(Refill.class);

    private final int sequenceId;
    private final SegmentSource source;
    private final SegmentSettings settings;
    private final LongSupplier nanoClock;
    private final Demand demand;
    private final SegmentMeter meter;
    private final Runnable arrived;
    private final Backoff backoff;
    private final AtomicReference<@Nullable Answer> answer = new AtomicReference<>();

    private long notBeforeNanos;
    private boolean exhausted;
    private volatile boolean inFlight;

    /**
     * Creates a refill that may start at once.
     *
     * @param arrived called when an answer can be {@linkplain #poll polled}
     */
    Refill(
            int sequenceId,
            SegmentSource source,
            SegmentSettings settings,
            LongSupplier nanoClock,
            DoubleSupplier random,
            Demand demand,
            SegmentMeter meter,
            Runnable arrived) {
        this.sequenceId = sequenceId;
        this.demand = demand;
        this.meter = meter;
        this.source = source;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.arrived = arrived;
        this.backoff =
                new Backoff(settings.backoff().toNanos(), settings.backoffMax().toNanos(), random);
        this.notBeforeNanos = nanoClock.getAsLong();
    }

    private record Answer(List<BatchRange> ranges, @Nullable Throwable failure, long tookNanos) {}

    /** Tells whether a lease may start now. */
    boolean mayStart(long nowNanos) {
        return !inFlight && nowNanos - notBeforeNanos >= 0;
    }

    /** Sends a lease. */
    void start(int batches) {
        long sentNanos = nanoClock.getAsLong();
        inFlight = true;
        Future<List<BatchRange>> lease;
        try {
            lease = source.lease(batches);
        } catch (RuntimeException e) {
            lease = Future.failedFuture(e);
        }
        lease.onComplete(result -> {
            long took = nanoClock.getAsLong() - sentNanos;
            answer.set(
                    result.succeeded()
                            ? new Answer(result.result(), null, took)
                            : new Answer(List.of(), result.cause(), took));
            arrived.run();
        });
    }

    /** Returns what was leased since the last call, mostly nothing. The next lease may then start. */
    List<BatchRange> poll(long nowNanos) {
        Answer a = answer.getAndSet(null);
        if (a == null) {
            return List.of();
        }
        inFlight = false;
        if (a.failure() != null) {
            failed(nowNanos, a.tookNanos(), a.failure());
        } else {
            succeeded(nowNanos, a);
        }
        return a.ranges();
    }

    private void failed(long nowNanos, long tookNanos, Throwable failure) {
        meter.leaseFailed(tookNanos);
        notBeforeNanos = nowNanos + backoff.failed();
        if (backoff.failures() == 1) {
            LOG.atWarn()
                    .addKeyValue("sequenceId", sequenceId)
                    .setCause(failure)
                    .log("a lease failed; trying again until one succeeds");
        }
    }

    private void succeeded(long nowNanos, Answer a) {
        List<BatchRange> ranges = a.ranges();
        meter.leased(ranges.size(), ranges.stream().mapToLong(BatchRange::size).sum(), a.tookNanos());
        int failedBefore = backoff.succeeded();
        if (failedBefore > 0) {
            LOG.atInfo()
                    .addKeyValue("sequenceId", sequenceId)
                    .addKeyValue("failures", failedBefore)
                    .log("leasing works again");
        }
        exhausted = ranges.isEmpty();
        if (exhausted) {
            notBeforeNanos = nowNanos + settings.exhaustedRecheck().toNanos();
        } else {
            demand.leased(nowNanos, a.tookNanos(), ranges);
        }
    }

    /** Tells whether a lease is under way. Any thread. */
    boolean inFlight() {
        return inFlight;
    }

    /** Tells whether the sequence is known to have nothing more at the moment. */
    boolean isExhausted(long nowNanos) {
        return exhausted && nowNanos - notBeforeNanos < 0;
    }

    /** Forgets that the sequence was exhausted. */
    void reconsider(long nowNanos) {
        if (exhausted) {
            exhausted = false;
            notBeforeNanos = nowNanos;
        }
    }
}
