package dev.reissue.metrics;

import dev.reissue.events.EventMeter;
import dev.reissue.events.EventStream;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** What the consumption of events counts. Any thread. */
final class EventMetrics implements EventMeter {
    private final MeterFactory meters;
    private final Map<End, LongAdder> ends = new EnumMap<>(End.class);
    /** A few codes, each made when it is first needed. */
    private final ConcurrentMap<String, LongAdder> dead = new ConcurrentHashMap<>();

    private final LongAdder failed;
    private volatile EventStream.Backlog backlog = new EventStream.Backlog(0, 0, 0, 0);

    EventMetrics(MeterFactory meters) {
        this.meters = meters;
        for (End end : End.values()) {
            ends.put(end, meters.counter(MeterNames.EVENTS, "Events of the stream", "end", MeterFactory.label(end)));
        }
        failed = meters.counter(MeterNames.EVENTS_FAILED, "Tries that failed");
        meters.gauge(MeterNames.EVENTS_PENDING, "Events read and not acknowledged", () -> backlog.pending());
        meters.gauge(MeterNames.EVENTS_WAITING, "Events that nobody has read", () -> backlog.waiting());
        meters.gauge(MeterNames.EVENTS_LAG, "Age of the oldest event", () -> backlog.oldestMs() / 1e3);
        meters.gauge(MeterNames.EVENTS_LETTERS, "Dead events", () -> backlog.dead());
    }

    @Override
    public void ended(End end) {
        Tables.of(ends, end).increment();
    }

    @Override
    public void dead(String code) {
        dead.computeIfAbsent(code, c -> meters.counter(MeterNames.EVENTS_DEAD, "Dead events", "code", c))
                .increment();
    }

    @Override
    public void failed() {
        failed.increment();
    }

    @Override
    public void backlog(EventStream.Backlog now) {
        backlog = now;
    }
}
