package dev.reissue.config;

import dev.reissue.config.Config.NativeTransport;
import java.util.ArrayList;
import java.util.List;

/** The settings of the two ports. */
final class HttpKeys {
    private static final List<Key<?>> DECLARED = new ArrayList<>();

    static final Key<String> HTTP_HOST = add(Key.text(
            "http.host", "0.0.0.0", "The address on which the API listens. The dev command presets 127.0.0.1."));
    static final Key<Integer> HTTP_PORT =
            add(Key.integer("http.port", 8080, 0, 65535, "The port of the API; 0 takes a free one."));
    static final Key<Integer> HTTP_EVENT_LOOPS = add(Key.integer(
            "http.eventLoops", 0, 0, 256, "Event loops that serve the API; 0 means one for each processor."));
    static final Key<NativeTransport> HTTP_NATIVE_TRANSPORT = add(Key.choice(
            "http.nativeTransport",
            NativeTransport.AUTO,
            "epoll instead of Java's selector: auto takes it where it can be had, on refuses to start without it."));
    static final Key<Integer> HTTP_BODY_LIMIT = add(Key.integer(
            "http.bodyLimitBytes",
            256 * 1024,
            1024,
            16 * 1024 * 1024,
            "The largest request body; above it the answer is 413."));
    static final Key<Long> HTTP_BODY_DEADLINE =
            add(Key.millis("http.bodyDeadlineMs", 10_000, 100, 300_000, "How long a request body may take to arrive."));
    static final Key<Integer> HTTP_HEADER_LIMIT = add(Key.integer(
            "http.headerLimitBytes",
            8_192,
            1_024,
            1_048_576,
            "The largest headers of a request; above it the answer is 431."));
    static final Key<Long> HTTP_IDLE = add(Key.millis(
            "http.idleTimeoutMs", 60_000, 1_000, 3_600_000, "A connection without traffic is closed after this time."));
    static final Key<Integer> HTTP_CONNECTIONS = add(Key.integer(
            "http.maxConnections",
            10_000,
            1,
            1_000_000,
            "Connections to one event loop; a further one is closed at once."));
    static final Key<Boolean> HTTP_CLEAR_TEXT_HTTP2 = add(
            Key.flag(
                    "http.clearTextHttp2",
                    true,
                    "HTTP/2 without TLS, for callers that begin with it. Without, http.maxConnections counts from the connection on."));

    static final Key<String> MANAGEMENT_HOST = add(Key.text(
            "management.host", "0.0.0.0", "The address of /health and /metrics. The dev command presets 127.0.0.1."));
    static final Key<Integer> MANAGEMENT_PORT = add(Key.integer(
            "management.port",
            8081,
            0,
            65535,
            "The port of /health and /metrics; 0 takes a free one. Never expose it to callers."));

    static final List<Key<?>> ALL = List.copyOf(DECLARED);

    private HttpKeys() {}

    private static <T> Key<T> add(Key<T> key) {
        DECLARED.add(key);
        return key;
    }
}
