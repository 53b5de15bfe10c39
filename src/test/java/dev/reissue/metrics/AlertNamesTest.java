package dev.reissue.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.recycle.RecycleAlerts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What alerts and dashboard ask for is what a process shows: names with their suffixes, labels, and labels' values. */
class AlertNamesTest {
    private static final Pattern SAMPLE = Pattern.compile("^([a-z_]+)(?:\\{(.*)})? \\S+$");
    private static final Pattern ASKED = Pattern.compile("\\b((?:reissue|jvm|process|system)_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)(=~|=)\"([^\"]*)\"");
    private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");
    /** Labels that Prometheus adds. */
    private static final Set<String> TARGET = Set.of("namespace", "job", "instance", "pod");

    /** By the name of a sample: its labels, each with the values seen. */
    private final Map<String, Map<String, Set<String>>> shown = new TreeMap<>();

    @Test
    void everythingThatAlertsAskForIsShown() throws IOException {
        scrape();
        check(expressions(yaml(Path.of("conf/prometheus/alerts.yaml"))));
    }

    @Test
    void everythingThatTheDashboardAsksForIsShown() throws IOException {
        scrape();
        check(expressions(new JsonObject(Files.readString(Path.of("conf/grafana/reissue.json")))));
    }

    /** A process in which everything has happened once. */
    private void scrape() {
        try (Metrics metrics = new Metrics("1", System::nanoTime)) {
            metrics.watchBuffers(() -> 1, () -> 1, () -> 1, () -> 1);
            metrics.watchUsage(() -> 0.5);
            for (String what : List.of("database", "redis", "lease")) {
                metrics.watchUp(what, () -> true);
            }
            metrics.watchCertificate("http", () -> Instant.EPOCH);
            metrics.watchApiKeys(() -> 1, () -> 1);
            metrics.recycle().pass("expire", Map.of("rows", 1), 1);
            metrics.recycle().passFailed("expire", "unavailable");
            metrics.recycle().stock("claimed", 1);
            metrics.recycle().alert(RecycleAlerts.Kind.HOT_NUMBER.code(), RecycleAlerts.REPLAY_CAP, 1);
            metrics.scrape().lines().forEach(this::add);
        }
        // Shown only once there was a collection.
        add("jvm_gc_pause_seconds_max 0");
    }

    private void add(String line) {
        Matcher sample = SAMPLE.matcher(line);
        if (!sample.matches()) {
            return;
        }
        Map<String, Set<String>> labels = shown.computeIfAbsent(sample.group(1), n -> new TreeMap<>());
        String text = sample.group(2);
        if (text != null) {
            Matcher label = LABEL.matcher(text);
            while (label.find()) {
                labels.computeIfAbsent(label.group(1), n -> new TreeSet<>()).add(label.group(3));
            }
        }
    }

    private void check(List<String> expressions) {
        assertThat(expressions).hasSizeGreaterThan(10);
        for (String expression : expressions) {
            Set<String> grouped = new HashSet<>(TARGET);
            Matcher asked = ASKED.matcher(expression);
            while (asked.find()) {
                assertThat(shown).as(expression).containsKey(asked.group(1));
                Map<String, Set<String>> labels = shown.getOrDefault(asked.group(1), Map.of());
                grouped.addAll(labels.keySet());
                checkLabels(expression, labels, asked.group(2));
            }
            Matcher by = GROUPED.matcher(expression);
            while (by.find()) {
                assertThat(grouped).as(expression).contains(by.group(1).split(", *", -1));
            }
        }
    }

    private static void checkLabels(String expression, Map<String, Set<String>> labels, @Nullable String wanted) {
        Matcher label = LABEL.matcher(wanted == null ? "" : wanted);
        while (label.find()) {
            if (!TARGET.contains(label.group(1))) {
                assertThat(labels.getOrDefault(label.group(1), Set.of()))
                        .as("values of the label %s in %s", label.group(1), expression)
                        .contains(label.group(3).split("\\|", -1));
            }
        }
    }

    private static JsonObject yaml(Path file) throws IOException {
        Object document = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file));
        return new JsonObject(new JsonObject(Map.of("document", document)).encode());
    }

    private static List<String> expressions(Object node) {
        List<String> found = new ArrayList<>();
        if (node instanceof JsonObject object) {
            for (String field : object.fieldNames()) {
                if (field.equals("expr")) {
                    found.add(object.getString(field));
                } else {
                    found.addAll(expressions(object.getValue(field)));
                }
            }
        } else if (node instanceof JsonArray array) {
            array.forEach(each -> found.addAll(expressions(each)));
        }
        return found;
    }
}
