package dev.reissue.metrics;

import dev.reissue.recycle.DeadReason;
import dev.reissue.recycle.RecycleAlerts;
import dev.reissue.recycle.RecycleMeter;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What recycling counts. Passes and what they count are named by the passes themselves, so these meters are made when they are
 * first needed; there are a few dozen. Any thread.
 */
final class RecycleMetrics implements RecycleMeter {
    private final MeterFactory meters;
    private final ConcurrentMap<String, LongAdder> counters = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Timer> passes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, AtomicLong> ended = new ConcurrentHashMap<>();
    private final LongSupplier nanoClock;
    private volatile double overdueSeconds;
    private volatile long cooling;
    private volatile long replayable;
    private volatile long deadLetters;
    private volatile long poolEntries;

    RecycleMetrics(MeterFactory meters, LongSupplier nanoClock) {
        this.meters = meters;
        this.nanoClock = nanoClock;
        // From the start, so that the first alert is seen as an increase.
        for (DeadReason reason : DeadReason.values()) {
            alerts(RecycleAlerts.Kind.DEAD_LETTER.code(), reason.code()).add(0);
        }
        alerts(RecycleAlerts.Kind.HOT_NUMBER.code(), RecycleAlerts.REPLAY_CAP).add(0);
        alerts(RecycleAlerts.Kind.OVERDUE.code(), RecycleAlerts.STUCK).add(0);
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
        ended.computeIfAbsent(name, this::ended).set(nanoClock.getAsLong());
        counted.forEach((what, rows) -> counter(
                        name + '/' + what,
                        () -> meters.counter(MeterNames.PASS_ROWS, "What passes did", "pass", name, "what", what))
                .add(rows));
    }

    /** Makes the gauge of a pass's age; a pass that is stuck grows old, whatever the numbers do. */
    private AtomicLong ended(String name) {
        AtomicLong at = new AtomicLong(nanoClock.getAsLong());
        meters.gauge(
                MeterNames.PASS_AGE,
                "Time since the last good run of a pass",
                () -> (nanoClock.getAsLong() - at.get()) / 1e9,
                "pass",
                name);
        return at;
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
    public void alert(String kind, String reason, int numbers) {
        alerts(kind, reason).add(numbers);
    }

    private LongAdder alerts(String kind, String reason) {
        return counter(
                "alert/" + kind + '/' + reason,
                () -> meters.counter(MeterNames.ALERTS, "Numbers of alerts", "kind", kind, "reason", reason));
    }

    @Override
    public void webhook(String outcome) {
        counter(
                        "webhook/" + outcome,
                        () -> meters.counter(MeterNames.WEBHOOK, "Alerts for the webhook", "outcome", outcome))
                .increment();
    }

    private LongAdder counter(String key, Supplier<LongAdder> make) {
        return counters.computeIfAbsent(key, k -> make.get());
    }
}
