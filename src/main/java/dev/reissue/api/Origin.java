package dev.reissue.api;

import dev.reissue.api.RequestSpans.OpenSpan;
import dev.reissue.issuance.RequestId;
import dev.reissue.issuance.Settlement.Caller;
import dev.reissue.issuance.TraceParent;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Where a request comes from: its name, the trace that it is part of, and the span that it is recorded as, if any. One event loop.
 * The name is what {@code X-Request-Id} says, else the trace's id, else one made up here, when it is first asked for.
 */
final class Origin {
    /** The status of a request that was not answered. */
    static final int UNANSWERED = 0;

    private static final Logger LOG = LoggerFactory.getLogger(Origin.class);
    private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized(RequestId.HEADER);
    private static final CharSequence TRACE_PARENT = HttpHeaders.createOptimized(TraceParent.HEADER);

    private final HttpServerRequest request;
    private final @Nullable String givenId;
    private final @Nullable OpenSpan span;
    private @Nullable String madeId;
    private @Nullable String route;

    Origin(HttpServerRequest request, @Nullable RequestSpans spans) {
        this.request = request;
        this.givenId = RequestId.sane(request.headers().get(REQUEST_ID));
        this.span = spans == null ? null : spans.begin(request.method().name(), trace());
    }

    /** Returns the name that the caller gave, null where it gave none or no sane one. */
    @Nullable
    String givenId() {
        return givenId;
    }

    /** Returns the name of the request. */
    String requestId() {
        if (givenId != null) {
            return givenId;
        }
        if (madeId == null) {
            TraceParent trace = trace();
            madeId = trace == null ? RequestId.make() : trace.traceId();
        }
        return madeId;
    }

    /** Returns who settles, for the history and the rules. */
    Caller settler(boolean operator) {
        TraceParent trace = trace();
        return new Caller(requestId(), trace == null ? null : trace.traceId(), operator);
    }

    /** Takes note of the route, a template. */
    void route(String template) {
        this.route = template;
    }

    /** Adds to a line of the log what it is about. */
    LoggingEventBuilder tell(LoggingEventBuilder line) {
        TraceParent trace = trace();
        LoggingEventBuilder named = line.addKeyValue("requestId", requestId());
        return trace == null ? named : named.addKeyValue("traceId", trace.traceId());
    }

    /** The request has ended with a status, or {@link #UNANSWERED}. */
    void ended(int status) {
        if (span != null) {
            span.end(route, status, requestId());
        }
        if (LOG.isDebugEnabled()) {
            tell(LOG.atDebug())
                    .addKeyValue("method", request.method())
                    .addKeyValue("route", route)
                    .addKeyValue("status", status)
                    .log("a request ended");
        }
    }

    private @Nullable TraceParent trace() {
        return TraceParent.parse(request.headers().get(TRACE_PARENT));
    }
}
