package dev.reissue.config;

import dev.reissue.config.ConfigLoader.Values;
import java.util.ArrayList;
import java.util.List;

/** The settings of spans. */
final class TracingKeys {
    private static final List<Key<?>> DECLARED = new ArrayList<>();

    static final Key<SecretUri> ENDPOINT = add(
            Key.optionalUri(
                    "tracing.otlpEndpoint",
                    List.of("http", "https"),
                    "Where spans of requests are sent by OTLP over HTTP, such as http://collector:4318/v1/traces; with none there are no spans."));
    static final Key<Integer> SAMPLE = add(Key.integer(
            "tracing.samplePercent",
            1,
            0,
            100,
            "How many requests are recorded as spans where their traceparent does not decide that."));
    static final Key<Integer> QUEUE = add(Key.integer(
            "tracing.queueMax", 2_048, 1, 100_000, "Spans that may wait for the collector; further ones are dropped."));
    static final Key<Long> DELAY = add(
            Key.millis("tracing.delayMs", 1_000, 10, 60_000, "How long a span may wait for others to be sent along."));
    static final Key<Long> DEADLINE = add(Key.millis(
            "tracing.deadlineMs", 2_000, 100, 60_000, "How long the collector may take; then the spans are dropped."));

    static final List<Key<?>> ALL = List.copyOf(DECLARED);

    private TracingKeys() {}

    static Config.Tracing read(Values v) {
        return new Config.Tracing(v.get(ENDPOINT), v.get(SAMPLE), v.get(QUEUE), v.get(DELAY), v.get(DEADLINE));
    }

    private static <T> Key<T> add(Key<T> key) {
        DECLARED.add(key);
        return key;
    }
}
