package dev.reissue.metrics;

import dev.reissue.api.ApiMeter;
import dev.reissue.cluster.ClusterMeter;
import dev.reissue.events.EventMeter;
import dev.reissue.issuance.IssueMeter;
import dev.reissue.issuance.KeyMeter;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.ledger.LedgerMeter;
import dev.reissue.recycle.RecycleMeter;
import dev.reissue.segment.SegmentMeter;
import dev.reissue.tracing.SpanMeter;
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
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The meters of a process, behind the interfaces of those who count, and their text for Prometheus. Nearly all are made at start;
 * counting looks nothing up. Any thread.
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
    private final MeterFactory meters = new MeterFactory(registry);
    private final JvmGcMetrics gc = new JvmGcMetrics();
    private final IssueMetrics issue = new IssueMetrics(meters);
    private final SettleMetrics settle = new SettleMetrics(meters);
    private final RecycleMetrics recycle;
    private final KeyMetrics keys = new KeyMetrics(meters);
    private final EventMetrics events = new EventMetrics(meters);
    private final SpanMetrics spans = new SpanMetrics(meters);
    private final ApiMetrics api = new ApiMetrics(meters);
    private final ClusterMetrics cluster = new ClusterMetrics(meters);
    private final LedgerMetrics ledger;
    private final Timer eventLoopLag;

    /** Creates the meters, with what is known about the process itself. */
    public Metrics(String version, LongSupplier nanoClock) {
        ledger = new LedgerMetrics(meters, nanoClock);
        recycle = new RecycleMetrics(meters, nanoClock);
        eventLoopLag = meters.timer(
                MeterNames.EVENT_LOOP_LAG, "How much later than planned a timer of an event loop ran", LAG_BUCKETS);
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
        return eventLoopLag;
    }

    /** Returns what issuing counts with. */
    public IssueMeter issue() {
        return issue;
    }

    /** Returns what segments count with. */
    public SegmentMeter segment() {
        return issue;
    }

    /** Returns a meter for the settling of one event loop; one call an event loop. */
    public SettleMeter settleOfEventLoop() {
        return settle.forEventLoop();
    }

    /** Returns what the ledger counts with. */
    public LedgerMeter ledger() {
        return ledger;
    }

    /** Returns what recycling counts with. */
    public RecycleMeter recycle() {
        return recycle;
    }

    /** Returns what the cluster counts with. */
    public ClusterMeter cluster() {
        return cluster;
    }

    /** Returns what idempotency keys count with. */
    public KeyMeter keys() {
        return keys;
    }

    /** Returns what the consumption of events counts with. */
    public EventMeter events() {
        return events;
    }

    /** Returns what the export of spans counts with. */
    public SpanMeter spans() {
        return spans;
    }

    /** Returns what the HTTP side counts with. */
    public ApiMeter api() {
        return api;
    }

    /**
     * Shows what the buffers hold, each asked for at every scrape.
     *
     * @param stock numbers in stock
     * @param waiting requests that wait
     * @param openBatches batches held open
     * @param oldestOpenNanos age of the oldest of them
     */
    public void watchBuffers(
            LongSupplier stock, LongSupplier waiting, LongSupplier openBatches, LongSupplier oldestOpenNanos) {
        meters.gauge(MeterNames.STOCK, "Numbers in stock", stock::getAsLong);
        meters.gauge(MeterNames.WAITING, "Requests that wait for a refill", waiting::getAsLong);
        meters.gauge(MeterNames.OPEN_BATCHES, "Batches held open", openBatches::getAsLong);
        meters.gauge(
                MeterNames.OLDEST_OPEN,
                "Age of the oldest open batch since its first number",
                () -> oldestOpenNanos.getAsLong() / 1e9);
    }

    /** Shows how far the most used bounded sequence is used up, 0 to 1. */
    public void watchUsage(DoubleSupplier usedRatioMax) {
        meters.gauge(MeterNames.USED_RATIO_MAX, "How far the most used sequence is used up", usedRatioMax);
    }

    /**
     * Shows whether something that the process needs is there.
     *
     * @param what its name, one of a few
     */
    public void watchUp(String what, BooleanSupplier up) {
        meters.gauge(MeterNames.UP, "What the process needs", () -> up.getAsBoolean() ? 1 : 0, "what", what);
    }

    /**
     * Shows when the certificate of a port ends.
     *
     * @param port its name, http or management
     */
    public void watchCertificate(String port, Supplier<Instant> notAfter) {
        meters.gauge(
                MeterNames.CERTIFICATE_END,
                "When the certificate ends, in seconds since 1970",
                () -> notAfter.get().getEpochSecond(),
                "port",
                port);
    }

    /**
     * Shows what is known of API keys.
     *
     * @param count how many count
     * @param ageNanos how long ago they were read
     */
    public void watchApiKeys(LongSupplier count, LongSupplier ageNanos) {
        meters.gauge(MeterNames.API_KEYS, "API keys that count", count::getAsLong);
        meters.gauge(
                MeterNames.API_KEYS_AGE, "How long ago the API keys were last read", () -> ageNanos.getAsLong() / 1e9);
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
