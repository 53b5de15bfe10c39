package dev.reissue.tracing;

import dev.reissue.api.RequestSpans;
import dev.reissue.issuance.TraceParent;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Spans collected by OpenTelemetry and sent by OTLP over HTTP, on threads of its own. A bounded number waits for the collector; what
 * does not fit, or is not taken in time, is dropped. Any thread.
 */
public final class OtlpSpans implements RequestSpans {
    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
    private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
    private static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");
    private static final AttributeKey<String> REQUEST_ID = AttributeKey.stringKey("reissue.request.id");
    private static final int FAULT = 500;
    /** What a caller makes up does not become a name. */
    private static final String OTHER_METHOD = "_OTHER";

    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

    private final SdkTracerProvider provider;
    private final Tracer tracer;

    /**
     * Who sends which spans where.
     *
     * @param endpoint the collector's URL, path included
     * @param samplePercent how many of the requests are recorded whose caller does not decide that
     * @param version the service's version
     * @param host the machine
     * @param queueMax how many spans may wait
     * @param delayMs how long a span may wait for others
     * @param deadlineMs how long the collector may take
     */
    public record Settings(
            String endpoint,
            int samplePercent,
            String version,
            String host,
            int queueMax,
            long delayMs,
            long deadlineMs) {}

    /** Starts the thread that sends. */
    public OtlpSpans(Settings settings, SpanMeter meter) {
        Duration deadline = Duration.ofMillis(settings.deadlineMs);
        OtlpHttpSpanExporter exporter = OtlpHttpSpanExporter.builder()
                .setEndpoint(settings.endpoint)
                .setTimeout(deadline)
                .setConnectTimeout(deadline)
                // A collector that is away is not worth waiting for: the next spans come soon.
                .setRetryPolicy(null)
                .build();
        this.provider = SdkTracerProvider.builder()
                .setResource(Resource.create(Attributes.of(
                        AttributeKey.stringKey("service.name"),
                        "reissue",
                        AttributeKey.stringKey("service.version"),
                        settings.version,
                        AttributeKey.stringKey("host.name"),
                        settings.host)))
                .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(settings.samplePercent / 100.0)))
                .addSpanProcessor(BatchSpanProcessor.builder(new CountingExporter(exporter, meter))
                        .setMaxQueueSize(settings.queueMax)
                        .setMaxExportBatchSize(Math.min(512, settings.queueMax))
                        .setScheduleDelay(Duration.ofMillis(settings.delayMs))
                        .setExporterTimeout(deadline)
                        .build())
                .build();
        this.tracer = provider.get("dev.reissue");
    }

    @Override
    public @Nullable OpenSpan begin(String method, @Nullable TraceParent caller) {
        String known = METHODS.contains(method) ? method : OTHER_METHOD;
        SpanBuilder builder = tracer.spanBuilder(known.equals(OTHER_METHOD) ? "HTTP" : known)
                .setSpanKind(SpanKind.SERVER)
                .setAttribute(METHOD, known);
        if (caller == null) {
            builder.setNoParent();
        } else {
            builder.setParent(Context.root().with(Span.wrap(context(caller))));
        }
        Span span = builder.startSpan();
        return span.isRecording() ? (route, status, requestId) -> end(span, known, route, status, requestId) : null;
    }

    private static SpanContext context(TraceParent caller) {
        return SpanContext.createFromRemoteParent(
                caller.traceId(),
                caller.parentId(),
                caller.sampled() ? TraceFlags.getSampled() : TraceFlags.getDefault(),
                TraceState.getDefault());
    }

    private static void end(Span span, String method, @Nullable String route, int status, String requestId) {
        if (route != null) {
            span.updateName((method.equals(OTHER_METHOD) ? "HTTP" : method) + ' ' + route);
            span.setAttribute(ROUTE, route);
        }
        if (status > 0) {
            span.setAttribute(STATUS, status);
        }
        if (status == 0 || status >= FAULT) {
            span.setStatus(StatusCode.ERROR, status == 0 ? "not answered" : "");
        }
        span.setAttribute(REQUEST_ID, requestId);
        span.end();
    }

    /** Sends what waits, and ends; completes when that is done or given up. */
    public Future<Void> close() {
        Promise<Void> closed = Promise.promise();
        CompletableResultCode ending = provider.shutdown();
        ending.whenComplete(closed::complete);
        return closed.future();
    }
}
