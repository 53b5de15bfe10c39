package dev.reissue.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The alerts, played to by promtool. Skipped where no promtool is named; {@code .ci/run chart} names one. */
@EnabledIfSystemProperty(named = "reissue.promtool", matches = ".+")
class AlertsTest {
    private final Tool promtool = new Tool(System.getProperty("reissue.promtool", "promtool"));

    @TempDir
    Path dir;

    @BeforeEach
    void copy() throws IOException {
        Files.copy(Path.of("conf/prometheus/alerts.yaml"), dir.resolve("alerts.yaml"));
        Files.copy(Path.of("conf/prometheus/prometheus.yaml"), dir.resolve("prometheus.yaml"));
        Files.copy(Path.of("src/test/prometheus/alerts-test.yaml"), dir.resolve("alerts-test.yaml"));
    }

    @Test
    void theExampleForPrometheusIsAccepted() throws Exception {
        assertThat(promtool.expect(dir, "check", "config", "prometheus.yaml")).contains("SUCCESS");
    }

    @Test
    void eachAlertFiresWhereItShouldAndNotWhereItShouldNot() throws Exception {
        promtool.expect(dir, "test", "rules", "alerts-test.yaml");
    }

    @Test
    void everyAlertIsPlayedTo() throws IOException {
        String played = Files.readString(dir.resolve("alerts-test.yaml"));
        for (Node rule : Node.one(Files.readString(dir.resolve("alerts.yaml")))
                .at("groups")
                .list()
                .get(0)
                .at("rules")
                .list()) {
            assertThat(played).contains(rule.at("alert").text());
        }
    }
}
