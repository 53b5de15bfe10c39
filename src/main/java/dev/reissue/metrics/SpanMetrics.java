package dev.reissue.metrics;

import dev.reissue.tracing.SpanMeter;
import java.util.concurrent.atomic.LongAdder;

/** What the export of spans counts. Any thread. */
final class SpanMetrics implements SpanMeter {
    private final LongAdder taken;
    private final LongAdder dropped;

    SpanMetrics(MeterFactory meters) {
        taken = meters.counter(MeterNames.SPANS, "Spans that were sent", "outcome", "taken");
        dropped = meters.counter(MeterNames.SPANS, "Spans that were sent", "outcome", "dropped");
    }

    @Override
    public void exported(int spans, boolean good) {
        (good ? taken : dropped).add(spans);
    }
}
