package dev.reissue.segment;

import dev.reissue.ledger.BatchRange;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one sequence that this process has leased, shared by all event loops: takes are lock-free, everything else (refill,
 * ageing, waiting requests) is a round of {@linkplain Lane one lane}. Any thread; nothing blocks or spins.
 *
 * <pre>
 *   take ----> current segment -> following -> following     link <---- lease answer <---- source
 *                 |  used up or too old                                                      ^
 *                 v                                                     stock below low water|
 *              sink (seal, return the rest)                 await: waiting line -------------+
 * </pre>
 *
 * <p>A request for several numbers gets all or none. Numbers that it took while others emptied the stock are not put back, as
 * the cursor has passed them and a mistyped confirm could then settle a number that nobody holds: they time out.
 */
public final class SegmentBuffer {
    /** A quiet sequence waits so long for its own returned numbers, so that they are the next ones. */
    private static final long RETURN_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SegmentSettings settings;
    private final LongSupplier nanoClock;
    private final SegmentMeter meter;
    private final HeldBatches held;
    private final Stock stock;
    private final WaitingLine line;
    private final Demand demand;
    private final Refill refill;
    private final Lane lane = new Lane(this::round);
    private final Promise<Void> drained = Promise.promise();

    private volatile long openMaxNanos;
    private volatile boolean tickDue;
    private volatile boolean reconsiderDue;
    private volatile long returningUntilNanos;

    // Only rounds of the lane touch these.
    private Stock.Cut leasedUnder;
    private boolean replacementWanted;

    /**
     * Creates an empty buffer.
     *
     * @param openMax how long after its first number a batch may stay open
     * @param batchSize how many values a batch has by the definition; a hint for how many batches to ask for
     * @param nanoClock the monotonic clock
     * @param random gives values from 0 to 1, for the jitter of pauses
     */
    public SegmentBuffer(
            int sequenceId,
            SegmentSource source,
            SegmentSink sink,
            SegmentSettings settings,
            Duration openMax,
            long batchSize,
            LongSupplier nanoClock,
            DoubleSupplier random,
            SegmentMeter meter) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.meter = meter;
        this.openMaxNanos = openMax.toNanos();
        this.held = new HeldBatches(sink, meter, this::sealKnown);
        this.line = new WaitingLine(settings.waitingMax());
        this.demand = new Demand(settings, batchSize, nanoClock.getAsLong());
        this.refill = new Refill(sequenceId, source, settings, nanoClock, random, demand, meter, lane::signal);
        this.stock = new Stock(held, nanoClock, meter, this::stockIsLow);
        this.leasedUnder = stock.cut();
    }

    /**
     * Takes one number if there is one.
     *
     * @return false where the stock is empty, and nothing was added
     */
    public boolean take(Taken into) {
        return stock.take(into);
    }

    /**
     * Takes {@code count} numbers, all or none.
     *
     * @return false where the stock is not enough, and nothing was added
     */
    public boolean take(int count, Taken into) {
        return stock.take(count, into);
    }

    private void stockIsLow() {
        if (!refill.inFlight()) {
            lane.signal();
        }
    }

    private void sealKnown() {
        reconsiderDue = true; // numbers may have come back to a sequence that seemed exhausted
        lane.signal();
    }

    /**
     * Waits for {@code count} numbers, all or none, in the order of arrival and no longer than the settings allow.
     *
     * @param into gets the numbers before the future completes
     * @param context where the future completes
     */
    public Future<TakeResult> await(int count, Taken into, Executor context) {
        if (stock.isStopped()) {
            return Future.succeededFuture(TakeResult.STOPPED);
        }
        WaitingLine.Waiter waiter = new WaitingLine.Waiter(count, into, nanoClock.getAsLong(), context);
        if (!line.join(waiter)) {
            return Future.succeededFuture(TakeResult.OVERLOADED);
        }
        lane.signal();
        return waiter.future();
    }

    /** Looks after ageing, idle stock and requests that waited too long; to be called in the rhythm of the settings. */
    public void tick() {
        boolean nothingToDo = stock.size() == 0 && line.requests() == 0 && !refill.inFlight() && demand.rate() == 0;
        if (!nothingToDo) {
            tickDue = true;
            lane.signal();
        }
    }

    /** Follows a change of the definition: other times and sizes, perhaps a higher last value. */
    public void redefined(Duration openMax, long batchSize) {
        openMaxNanos = openMax.toNanos();
        demand.batchSize(batchSize);
        reconsiderDue = true;
        lane.signal();
    }

    /** Closes and seals what is in stock and goes on with newly leased batches: the counter was raised. */
    public void restock() {
        reconsiderDue = true;
        returnStock(nanoClock.getAsLong());
        lane.signal();
    }

    /** Closes what is in stock without sealing it and goes on with newly leased batches: the lease was lost, others seal. */
    public void dropAll() {
        stock.dropAll();
        lane.signal();
    }

    /**
     * Closes and seals what is in stock, for good: no number is handed out any more, requests that wait are refused.
     *
     * @return completes when a lease that was under way has been given back and the outcome of all seals is known
     */
    public Future<Void> drain() {
        held.drain();
        stock.stop();
        lane.signal();
        return drained.future();
    }

    private void returnStock(long now) {
        returningUntilNanos = now + RETURN_WAIT_NANOS;
        stock.sealAll();
    }

    private void round() {
        long now = nanoClock.getAsLong();
        List<BatchRange> leased = refill.poll(now);
        if (!leased.isEmpty()) {
            stock.link(leased, leasedUnder);
            replacementWanted = false;
        }
        if (reconsiderDue) {
            reconsiderDue = false;
            refill.reconsider(now);
        }
        stock.skipClosed();
        serve(now);
        demand.sample(now, stock.issuedTotal());
        stock.lowWater(demand.lowWater());
        if (tickDue) {
            tickDue = false;
            closeOld(now);
            returnIdle(now);
        }
        leaseIfNeeded(now);
        if (stock.isStopped() && !refill.inFlight() && held.sealing() == 0) {
            drained.tryComplete();
        }
    }

    private void closeOld(long now) {
        replacementWanted = false;
        long age = stock.currentAgeNanos(now);
        boolean busy = demand.isBusy(now);
        long openMax = openMaxNanos;
        long lead = Math.min(openMax / 4, demand.horizonNanos());
        if (busy && stock.following() == 0) {
            replacementWanted = age >= openMax - lead;
            if (age < openMax + lead) {
                return;
            }
        } else if (age < openMax) {
            return;
        }
        returningUntilNanos = now + RETURN_WAIT_NANOS;
        stock.sealCurrent();
        if (!busy && stock.size() > demand.rate() * settings.idleReturn().toNanos() / NANOS_PER_SECOND) {
            // What a burst left behind: given back, so that the numbers of a quiet sequence are consecutive again.
            returnStock(now);
        }
    }

    private void returnIdle(long now) {
        if (stock.size() > 0
                && now - demand.progressNanos() >= settings.idleReturn().toNanos()) {
            returnStock(now);
        }
    }

    private void serve(long now) {
        for (int i = 0; i < settings.waitingMax(); i++) {
            WaitingLine.Waiter waiter = line.first();
            TakeResult result = waiter == null ? null : serve(now, waiter);
            if (waiter == null || result == null) {
                return;
            }
            meter.waited(result, now - waiter.sinceNanos());
            line.finishFirst(result);
        }
        lane.signal();
    }

    private @Nullable TakeResult serve(long now, WaitingLine.Waiter waiter) {
        if (stock.isStopped()) {
            return TakeResult.STOPPED;
        }
        waiter.into().takenAt(now);
        if (stock.take(waiter.count(), waiter.into())) {
            return TakeResult.TAKEN;
        }
        if (refill.isExhausted(now)) {
            return TakeResult.EXHAUSTED;
        }
        return now - waiter.sinceNanos() >= settings.waitMax().toNanos() ? TakeResult.TIMED_OUT : null;
    }

    private void leaseIfNeeded(long now) {
        Stock.Cut cut = stock.cut(); // read before the flag: a stop that this round does not see changes it later
        if (stock.isStopped() || !refill.mayStart(now)) {
            return;
        }
        WaitingLine.Waiter first = line.first();
        long size = stock.size();
        boolean tooLittle = (first != null && size < first.count()) || size < demand.lowWater();
        boolean ownNumbersComeBack = held.returning() > 0 && now - returningUntilNanos < 0 && !demand.isBusy(now);
        if (ownNumbersComeBack || !(tooLittle || replacementWanted)) {
            return;
        }
        leasedUnder = cut;
        refill.start(demand.batches(now, replacementWanted ? stock.following() : size, line.numbers()));
    }

    /** Returns the own batch, its seal not known yet, out of which a value was handed out, or 0. */
    public long batchOf(long value) {
        return held.ownerOf(value);
    }

    /** Returns how many numbers can be taken at once. */
    public long stock() {
        return stock.size();
    }

    /** Returns how many requests wait. */
    public int waiting() {
        return line.requests();
    }

    /** Returns how many batches this process holds open. */
    public int openBatches() {
        return held.count();
    }

    /** Shows each batch that this process holds open and has handed out numbers of. */
    public void eachOpen(OpenBatchVisitor visitor) {
        held.each(visitor);
    }
}
