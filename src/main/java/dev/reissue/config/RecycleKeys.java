package dev.reissue.config;

import java.util.ArrayList;
import java.util.List;

/** The settings of recycling beyond the scan: the probe, and who is told what. */
final class RecycleKeys {
    private static final List<Key<?>> DECLARED = new ArrayList<>();

    static final Key<Long> PROBE_TIMEOUT = add(Key.millis(
            "probe.timeoutMs",
            5_000,
            100,
            60_000,
            "How long a business system may take to answer a check-back probe."));
    static final Key<Long> PROBE_BREAKER = add(Key.millis(
            "probe.breakerOpenMs",
            30_000,
            100,
            3_600_000,
            "How long a probe's endpoint is left alone after five failures in a row."));
    static final Key<List<String>> PROBE_HOSTS = add(
            Key.texts(
                    "probe.hosts",
                    "Hosts that a sequence's probeUrl may name, *.suffix for all below one; none listed: any. Set it where callers are not trusted."));

    static final Key<SecretUri> ALERTS_WEBHOOK = add(Key.optionalUri(
            "alerts.webhookUrl",
            List.of("http", "https"),
            "Where each alert (dead letter, hot number, stuck scan) is posted as JSON, besides log and metrics."));
    static final Key<Long> ALERTS_TIMEOUT = add(Key.millis(
            "alerts.webhookTimeoutMs",
            5_000,
            100,
            60_000,
            "How long the webhook may take; then the alert is dropped."));
    static final Key<Long> ALERTS_OVERDUE = add(Key.millis(
            "alerts.overdueMs",
            300_000,
            100,
            86_400_000,
            "An alert is raised when the oldest number that waits for a scan has been due for so long."));
    static final Key<Long> ALERTS_REPEAT = add(Key.millis(
            "alerts.repeatMs", 300_000, 100, 86_400_000, "How often that alert is repeated while it lasts."));
    static final Key<Long> ALERTS_WATCH = add(Key.millis(
            "alerts.watchMs",
            10_000,
            50,
            3_600_000,
            "How often every process looks at the ages and counts of recycling."));

    static final List<Key<?>> ALL = List.copyOf(DECLARED);

    private RecycleKeys() {}

    private static <T> Key<T> add(Key<T> key) {
        DECLARED.add(key);
        return key;
    }
}
