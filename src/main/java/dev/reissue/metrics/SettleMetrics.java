package dev.reissue.metrics;

import dev.reissue.issuance.FlushMeter;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What settling counts: shared counters, and for each event loop the items that wait there. Any thread. */
final class SettleMetrics {
    private final Map<SettleKind, Map<SettleOutcome, LongAdder>> settled = new EnumMap<>(SettleKind.class);
    private final Map<SettleKind, LongAdder> rejected = new EnumMap<>(SettleKind.class);
    private final Map<FlushMeter.FlushEnd, Timer> flushes = new EnumMap<>(FlushMeter.FlushEnd.class);
    private final LongAdder overloaded;
    private final DistributionSummary flushItems;
    private final List<AtomicInteger> waiting = new CopyOnWriteArrayList<>();

    SettleMetrics(MeterFactory meters) {
        overloaded = meters.counter(MeterNames.SETTLE_OVERLOADED, "Items that were not sent for lack of room or time");
        flushItems = meters.sizes(MeterNames.FLUSH_ITEMS, "Items of one flush");
        meters.gauge(MeterNames.SETTLE_WAITING, "Items that waited behind the last flush", this::waitingItems);
        for (FlushMeter.FlushEnd end : FlushMeter.FlushEnd.values()) {
            flushes.put(end, meters.timer(MeterNames.FLUSH, "How long a flush took", "end", MeterFactory.label(end)));
        }
        for (SettleKind kind : SettleKind.values()) {
            String label = MeterFactory.label(kind);
            rejected.put(
                    kind,
                    meters.counter(
                            MeterNames.SETTLE_REJECTED, "Items of calls that were refused as a whole", "kind", label));
            Map<SettleOutcome, LongAdder> outcomes = new EnumMap<>(SettleOutcome.class);
            for (SettleOutcome outcome : SettleOutcome.values()) {
                outcomes.put(
                        outcome,
                        meters.counter(MeterNames.SETTLED, "Items settled", "kind", label, "outcome", outcome.code()));
            }
            settled.put(kind, outcomes);
        }
    }

    /** Returns the meter of one event loop. */
    SettleMeter forEventLoop() {
        AtomicInteger own = new AtomicInteger();
        waiting.add(own);
        return new OfEventLoop(own);
    }

    private double waitingItems() {
        return waiting.stream().mapToInt(AtomicInteger::get).sum();
    }

    private final class OfEventLoop implements SettleMeter {
        private final AtomicInteger own;

        OfEventLoop(AtomicInteger own) {
            this.own = own;
        }

        @Override
        public void answered(SettleKind kind, SettleOutcome outcome) {
            Tables.of(Tables.of(settled, kind), outcome).increment();
        }

        @Override
        public void rejected(SettleKind kind, int badItems) {
            Tables.of(rejected, kind).add(badItems);
        }

        @Override
        public void overloaded(int items) {
            overloaded.add(items);
        }

        @Override
        public void flushed(int items, long durationNanos, FlushEnd end) {
            Tables.of(flushes, end).record(durationNanos, TimeUnit.NANOSECONDS);
            flushItems.record(items);
        }

        @Override
        public void waiting(int items) {
            own.setRelease(items);
        }
    }
}
