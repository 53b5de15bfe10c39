package dev.reissue.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;

/**
 * The registry of all meters of a process, and its text for Prometheus. Meters are made once, at start: counting is an addition to
 * a cell of the thread's own, without a lookup. Any thread.
 */
public final class Metrics implements AutoCloseable {
    private static final Duration[] LAG_BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(20),
        Duration.ofMillis(100),
        Duration.ofMillis(500)
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics gc = new JvmGcMetrics();

    /** Creates the registry with what is known about the process itself. */
    public Metrics(String version) {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        gc.bindTo(registry);
        Gauge.builder(MeterNames.BUILD_INFO, () -> 1)
                .description("The version that runs")
                .tag("version", version)
                .tag("java", Runtime.version().toString())
                .register(registry);
    }

    /** Returns the registry, for libraries that bring their own meters. */
    public MeterRegistry registry() {
        return registry;
    }

    /** Returns the timer for the lag of event loops. */
    public Timer eventLoopLag() {
        return Timer.builder(MeterNames.EVENT_LOOP_LAG)
                .description("How much later than planned a timer of an event loop ran")
                .serviceLevelObjectives(LAG_BUCKETS)
                .register(registry);
    }

    /** Returns all meters as Prometheus text; takes milliseconds, so not on an event loop. */
    public String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        gc.close();
        registry.close();
    }
}
