package dev.reissue.api;

import dev.reissue.issuance.TraceParent;
import org.jspecify.annotations.Nullable;

/** Port: records requests as spans of traces. Any thread; nothing blocks or throws. */
public interface RequestSpans {

    /**
     * Begins the span of a request.
     *
     * @param method the method, one of HTTP's or what a caller makes up
     * @param caller the span that it is part of, null where the caller names none
     * @return null where this request is not recorded
     */
    @Nullable
    OpenSpan begin(String method, @Nullable TraceParent caller);

    /** A span that has begun. */
    interface OpenSpan {
        /**
         * Ends it.
         *
         * @param route the route's template, null where there is no such route
         * @param status the answer's status, 0 where none was sent
         * @param requestId the request's name
         */
        void end(@Nullable String route, int status, String requestId);
    }
}
