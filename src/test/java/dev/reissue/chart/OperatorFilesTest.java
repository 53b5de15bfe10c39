package dev.reissue.chart;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.status.Status;
import dev.reissue.config.ConfigLoader;
import dev.reissue.config.ConfigResult;
import dev.reissue.config.YamlFile;
import dev.reissue.support.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files for operators fit together: conf/, charts/ and docs/runbooks. Needs no helm. */
class OperatorFilesTest {
    private static final Path CHART = Path.of("charts/reissue");
    private static final Path RUNBOOKS = Path.of("docs/runbooks");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+?)(?:#[^)]*)?\\)");

    @TempDir
    Path dir;

    @Test
    void theChartHasTheSameFilesAsConf() throws IOException {
        same("conf/jvm.options", "files/jvm.options");
        same("conf/prometheus/alerts.yaml", "files/alerts.yaml");
        same("conf/grafana/reissue.json", "files/dashboard.json");
    }

    @Test
    void theChartIsForThisVersion() throws IOException {
        Matcher version = Pattern.compile("<version>([^<]+)</version>").matcher(Files.readString(Path.of("pom.xml")));
        assertThat(version.find()).isTrue();
        assertThat(Node.one(Files.readString(CHART.resolve("Chart.yaml")))
                        .at("appVersion")
                        .text())
                .isEqualTo(version.group(1));
    }

    @Test
    void everyValueIsDescribedAndTheTableIsCurrent() throws IOException {
        Path readme = CHART.resolve("README.md");
        ValuesReference reference = new ValuesReference(Files.readString(CHART.resolve("values.yaml")));
        assertThat(reference.undescribed()).isEmpty();
        String renewed = reference.into(Files.readString(readme));
        if (Boolean.getBoolean("reissue.writeDocs")) {
            Files.writeString(readme, renewed);
        }
        assertThat(Files.readString(readme))
                .as("out of date: mvn test -Dtest=OperatorFilesTest -Dtest.jvm.args=-Dreissue.writeDocs=true")
                .isEqualTo(renewed);
    }

    @Test
    void theSchemaKnowsExactlyTheValues() throws IOException {
        Node values = Node.one(Files.readString(CHART.resolve("values.yaml")));
        JsonObject schema = new JsonObject(Files.readString(CHART.resolve("values.schema.json")));
        Set<String> known = new TreeSet<>(schema.getJsonObject("properties").fieldNames());
        known.remove("global"); // which helm adds
        assertThat(known).isEqualTo(new TreeSet<>(values.names()));
        compare("", values, schema);
    }

    /** Where the schema lists what may be there, the values have all of it, and nothing else. */
    private static void compare(String path, Node values, JsonObject schema) {
        values.map().forEach((name, value) -> {
            JsonObject property =
                    schema.getJsonObject("properties", new JsonObject()).getJsonObject(name);
            assertThat(property).as("schema of %s%s", path, name).isNotNull();
            boolean closed = Boolean.FALSE.equals(property.getValue("additionalProperties"));
            if (closed && !name.equals("resources") && !name.equals("config")) {
                assertThat(property.getJsonObject("properties").fieldNames())
                        .as(path + name)
                        .isEqualTo(value.names());
                compare(path + name + ".", value, property);
            }
        });
    }

    @Test
    void everyAlertHasItsRunbookAndEveryRunbookItsAlert() throws IOException {
        Set<Path> named = new TreeSet<>();
        String index = Files.readString(RUNBOOKS.resolve("README.md"));
        for (Node rule : alerts()) {
            String alert = rule.at("alert").text();
            Path runbook = Path.of(rule.at("annotations.runbook").text());
            assertThat(runbook).as(alert).exists();
            assertThat(Files.readString(runbook))
                    .as("%s is not in %s", alert, runbook)
                    .contains(alert);
            assertThat(index).contains(alert);
            assertThat(rule.at("labels.severity").text()).isIn("warning", "critical");
            named.add(runbook);
        }
        try (Stream<Path> files = Files.list(RUNBOOKS)) {
            assertThat(files.filter(f -> !f.endsWith("README.md"))).containsExactlyInAnyOrderElementsOf(named);
        }
    }

    @Test
    void noLinkOfTheDocumentationIsBroken() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path file : documents()) {
            Matcher link = LINK.matcher(Files.readString(file));
            while (link.find()) {
                String target = link.group(1);
                if (!target.contains(":") && !Files.exists(file.resolveSibling(target))) {
                    broken.add(file + " -> " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (Path root : List.of(Path.of("docs"), Path.of("charts"), Path.of("k6"), Path.of("src"))) {
            try (Stream<Path> files = Files.walk(root)) {
                files.filter(f -> f.toString().endsWith(".md") && !f.toString().contains("node_modules"))
                        .forEach(documents::add);
            }
        }
        try (Stream<Path> files = Files.list(Path.of(""))) {
            files.filter(f -> f.toString().endsWith(".md")).forEach(documents::add);
        }
        return documents;
    }

    @Test
    void theProductionExampleIsAccepted() {
        ConfigResult result = ConfigLoader.load(List.of(YamlFile.read(Path.of("conf/production.yaml"))));
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        assertThat(((ConfigResult.Loaded) result).overrides()).isNotEmpty();
    }

    @Test
    void theLogExampleIsAccepted() throws Exception {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.start();
        context.putProperty("LOG_DIRECTORY", dir.toString());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Path.of("conf/logback.xml").toFile());
        context.getLogger("dev.reissue.app.Service").info("ready");
        Await.until(
                "the line is in the file",
                Duration.ofSeconds(10),
                () -> Files.readString(dir.resolve("reissue.log")).contains("\"ready\""));
        assertThat(context.getStatusManager().getCopyOfStatusList())
                .noneMatch(s -> s.getEffectiveLevel() >= Status.WARN);
        context.stop();
    }

    private static List<Node> alerts() throws IOException {
        return Node.one(Files.readString(Path.of("conf/prometheus/alerts.yaml")))
                .at("groups")
                .list()
                .get(0)
                .at("rules")
                .list();
    }

    private static void same(String conf, String chart) throws IOException {
        assertThat(Files.readString(CHART.resolve(chart)))
                .as("%s is the source: cp %s %s/%s", conf, conf, CHART, chart)
                .isEqualTo(Files.readString(Path.of(conf)));
    }
}
