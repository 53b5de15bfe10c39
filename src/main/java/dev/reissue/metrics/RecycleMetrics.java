package dev.reissue.metrics;

import dev.reissue.recycle.RecycleMeter;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * What recycling counts. Passes and what they count are named by the passes themselves, so these meters are made when they are
 * first needed; there are a few dozen. Any thread.
 */
final class RecycleMetrics implements RecycleMeter {
    private final MeterFactory meters;
    private final ConcurrentMap<String, LongAdder> counters = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Timer> passes = new ConcurrentHashMap<>();
    private volatile double overdueSeconds;
    private volatile long cooling;
    private volatile long replayable;
    private volatile long deadLetters;
    private volatile long poolEntries;

    RecycleMetrics(MeterFactory meters) {
        this.meters = meters;
        meters.gauge(MeterNames.OVERDUE, "How long the most overdue number has been waiting", () -> overdueSeconds);
        meters.gauge(MeterNames.COOLING, "Abandoned numbers that rest", () -> cooling);
        meters.gauge(MeterNames.REPLAYABLE, "Numbers that nobody has claimed again yet", () -> replayable);
        meters.gauge(MeterNames.DEAD_LETTERS, "Dead letters", () -> deadLetters);
        meters.gauge(MeterNames.POOL_DEPTH, "Entries in the pool", () -> poolEntries);
    }

    @Override
    public void pass(String name, Map<String, Integer> counted, long nanos) {
        passes.computeIfAbsent(name, n -> meters.timer(MeterNames.PASS, "How long a pass took", "pass", n))
                .record(nanos, TimeUnit.NANOSECONDS);
        counted.forEach((what, rows) -> counter(
                        name + '/' + what,
                        () -> meters.counter(MeterNames.PASS_ROWS, "What passes did", "pass", name, "what", what))
                .add(rows));
    }

    @Override
    public void passFailed(String name, String kind) {
        counter(
                        "failed/" + name + '/' + kind,
                        () -> meters.counter(MeterNames.PASS_FAILED, "Passes that failed", "pass", name, "kind", kind))
                .increment();
    }

    @Override
    public void ledger(long oldestOverdueMs, long coolingNow, long replayableNow, long deadLettersNow) {
        overdueSeconds = oldestOverdueMs / 1e3;
        cooling = coolingNow;
        replayable = replayableNow;
        deadLetters = deadLettersNow;
    }

    @Override
    public void poolDepth(long entries) {
        poolEntries = entries;
    }

    @Override
    public void stock(String event, int numbers) {
        counter("stock/" + event, () -> meters.counter(MeterNames.CLAIMED, "Claimed numbers", "event", event))
                .add(numbers);
    }

    @Override
    public void alert(String kind, int numbers) {
        counter("alert/" + kind, () -> meters.counter(MeterNames.ALERTS, "Numbers of alerts", "kind", kind))
                .add(numbers);
    }

    private LongAdder counter(String key, Supplier<LongAdder> make) {
        return counters.computeIfAbsent(key, k -> make.get());
    }
}
