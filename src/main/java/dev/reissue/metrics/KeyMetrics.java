package dev.reissue.metrics;

import dev.reissue.issuance.FlushMeter;
import dev.reissue.issuance.KeyMeter;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** What idempotency keys count. Any thread. */
final class KeyMetrics implements KeyMeter {
    private final Map<End, LongAdder> ends = new EnumMap<>(End.class);
    private final Map<FlushMeter.FlushEnd, Timer> flushes = new EnumMap<>(FlushMeter.FlushEnd.class);
    private final LongAdder overloaded;

    KeyMetrics(MeterFactory meters) {
        for (End end : End.values()) {
            ends.put(
                    end,
                    meters.counter(
                            MeterNames.KEYS, "Requests with an idempotency key", "end", MeterFactory.label(end)));
        }
        for (FlushMeter.FlushEnd end : FlushMeter.FlushEnd.values()) {
            flushes.put(
                    end,
                    meters.timer(
                            MeterNames.KEY_FLUSH, "How long a flush of keys took", "end", MeterFactory.label(end)));
        }
        overloaded = meters.counter(MeterNames.KEY_OVERLOADED, "Keys that were not sent for lack of room or time");
    }

    @Override
    public void ended(End end) {
        Tables.of(ends, end).increment();
    }

    @Override
    public void overloaded(int items) {
        overloaded.add(items);
    }

    @Override
    public void flushed(int items, long durationNanos, FlushEnd end) {
        Tables.of(flushes, end).record(durationNanos, TimeUnit.NANOSECONDS);
    }
}
