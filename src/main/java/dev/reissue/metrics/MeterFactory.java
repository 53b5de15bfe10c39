package dev.reissue.metrics;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/**
 * Makes meters in one style. Counters are bare adders that the registry only reads: on the hot path counting costs an addition to a
 * cell of the thread's own. Any thread.
 */
final class MeterFactory {
    private static final Duration[] STATEMENT_BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2)
    };
    private static final double[] SIZE_BUCKETS = {1, 10, 100, 1_000, 10_000};

    private final MeterRegistry registry;

    MeterFactory(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Returns a counter; {@code tags} are pairs of key and value. */
    LongAdder counter(String name, String description, String... tags) {
        LongAdder adder = new LongAdder();
        FunctionCounter.builder(name, adder, LongAdder::sum)
                .description(description)
                .tags(tags)
                .register(registry);
        return adder;
    }

    /** Returns a timer for something that is as slow as a statement. */
    Timer timer(String name, String description, String... tags) {
        return Timer.builder(name)
                .description(description)
                .tags(tags)
                .serviceLevelObjectives(STATEMENT_BUCKETS)
                .register(registry);
    }

    /** Returns a timer with buckets of its own. */
    Timer timer(String name, String description, Duration[] buckets) {
        return Timer.builder(name)
                .description(description)
                .serviceLevelObjectives(buckets)
                .register(registry);
    }

    DistributionSummary sizes(String name, String description) {
        return DistributionSummary.builder(name)
                .description(description)
                .serviceLevelObjectives(SIZE_BUCKETS)
                .register(registry);
    }

    void gauge(String name, String description, DoubleSupplier value, String... tags) {
        Gauge.builder(name, value::getAsDouble)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** Returns the label of a constant: lower case with hyphens. */
    static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
