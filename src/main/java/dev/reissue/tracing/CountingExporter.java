package dev.reissue.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exports through another one, counts what was taken, and tells once when spans begin to be dropped, and once when that ends. */
final class CountingExporter implements SpanExporter {
    private static final Logger LOG = LoggerFactory.getLogger(CountingExporter.class);
    /** Kept, since the JDK forgets the level of a logger that nobody holds. The library would report every failure to stderr. */
    private static final java.util.logging.Logger LIBRARY = java.util.logging.Logger.getLogger("io.opentelemetry");

    private final SpanExporter exporter;
    private final SpanMeter meter;
    private final AtomicBoolean failing = new AtomicBoolean();

    CountingExporter(SpanExporter exporter, SpanMeter meter) {
        this.exporter = exporter;
        this.meter = meter;
        LIBRARY.setLevel(Level.OFF);
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        int count = spans.size();
        CompletableResultCode result = exporter.export(spans);
        return result.whenComplete(() -> {
            meter.exported(count, result.isSuccess());
            if (failing.compareAndSet(result.isSuccess(), !result.isSuccess())) {
                if (result.isSuccess()) {
                    LOG.info("spans are exported again");
                } else {
                    LOG.atWarn().addKeyValue("spans", count).log("spans cannot be exported and are dropped");
                }
            }
        });
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}
