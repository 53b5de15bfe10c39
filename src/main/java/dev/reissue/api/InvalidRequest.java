package dev.reissue.api;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.jspecify.annotations.Nullable;

/** Tells what is wrong with bytes that are not an HTTP request. */
final class InvalidRequest {
    private InvalidRequest() {}

    static Problem problem(@Nullable Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return Problem.of(Code.URI_TOO_LONG, "The request line is longer than the limit.");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return Problem.of(Code.HEADERS_TOO_LARGE, "The headers are larger than the limit.");
        }
        return Problem.of(Code.BAD_REQUEST, "The request line or a header cannot be read.");
    }
}
