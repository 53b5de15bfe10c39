package dev.reissue.recycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A meter that also remembers how each pass went the last time, and how overdue the ledger was. Any thread. */
public final class PassLog implements RecycleMeter {
    private final RecycleMeter meter;
    private final LongSupplier nanoClock;
    private final ConcurrentMap<String, Ended> passes = new ConcurrentHashMap<>();
    private volatile long overdueMs;

    private record Ended(
            long atNanos, long tookMs, @Nullable String failure, Map<String, Integer> counters) {}

    /** Creates a log in front of a meter. */
    public PassLog(RecycleMeter meter, LongSupplier nanoClock) {
        this.meter = meter;
        this.nanoClock = nanoClock;
    }

    /** Returns the last runs, in the order of their names. */
    public List<MemberReport.LastPass> passes() {
        long now = nanoClock.getAsLong();
        List<MemberReport.LastPass> list = new ArrayList<>();
        passes.forEach((name, e) -> list.add(new MemberReport.LastPass(
                name, TimeUnit.NANOSECONDS.toMillis(now - e.atNanos), e.tookMs, e.failure, e.counters)));
        list.sort((a, b) -> a.name().compareTo(b.name()));
        return list;
    }

    /** Returns how overdue the most overdue number was when it was looked at last. */
    public long overdueMs() {
        return overdueMs;
    }

    @Override
    public void pass(String name, Map<String, Integer> counters, long nanos) {
        passes.put(name, new Ended(nanoClock.getAsLong(), TimeUnit.NANOSECONDS.toMillis(nanos), null, counters));
        meter.pass(name, counters, nanos);
    }

    @Override
    public void passFailed(String name, String kind) {
        passes.put(name, new Ended(nanoClock.getAsLong(), 0, kind, Map.of()));
        meter.passFailed(name, kind);
    }

    @Override
    public void ledger(long oldestOverdueMs, long cooling, long replayable, long deadLetters) {
        overdueMs = oldestOverdueMs;
        meter.ledger(oldestOverdueMs, cooling, replayable, deadLetters);
    }

    @Override
    public void poolDepth(long entries) {
        meter.poolDepth(entries);
    }

    @Override
    public void stock(String event, int numbers) {
        meter.stock(event, numbers);
    }

    @Override
    public void alert(String kind, String reason, int numbers) {
        meter.alert(kind, reason, numbers);
    }

    @Override
    public void webhook(String outcome) {
        meter.webhook(outcome);
    }
}
