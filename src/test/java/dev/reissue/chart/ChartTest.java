package dev.reissue.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.chart.Manifests.Pod;
import dev.reissue.config.Config;
import dev.reissue.config.ConfigLoader;
import dev.reissue.config.ConfigResult;
import dev.reissue.config.Layer;
import dev.reissue.config.YamlFile;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What helm renders for several sets of values, with every reference followed to its end. Skipped where no helm is named;
 * {@code .ci/run chart} names one.
 */
@EnabledIfSystemProperty(named = "reissue.helm", matches = ".+")
class ChartTest {
    private static final Path CHARTS = Path.of("charts");
    private static final Set<String> COMMANDS = Set.of("serve", "migrate", "check");
    /** What the chart expects to exist, as its values for CI name it. */
    private static final Set<String> EXPECTED_SECRETS =
            Set.of("reissue-postgres", "reissue-redis", "reissue-db-app", "reissue-db-owner", "reissue-auth");

    private final Tool helm = new Tool(System.getProperty("reissue.helm", "helm"));
    private final Tool promtool = new Tool(System.getProperty("reissue.promtool", "promtool"));

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"default", "minimal", "production", "everything"})
    void lintFindsNothing(String values) throws Exception {
        assertThat(helm.expect(CHARTS, "lint", "--strict", "reissue", "-f", "reissue/ci/" + values + "-values.yaml"))
                .contains("1 chart(s) linted, 0 chart(s) failed")
                .doesNotContain("[WARNING]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "minimal", "production", "everything"})
    void everyReferenceLeadsSomewhere(String values) throws Exception {
        Manifests rendered = render(values);
        System.out.printf("%s values: %s%n", values, summary(rendered));
        checkObjects(rendered);
        rendered.pods().forEach(pod -> checkPod(rendered, pod));
        checkSelectors(rendered);
        checkNetworkPolicy(rendered);
        checkScaling(rendered);
        checkMonitoring(rendered);
        for (Pod pod : rendered.deployed()) {
            checkSettings(rendered, pod);
        }
    }

    @Test
    void everythingIsOnWhereEverythingIsOn() throws Exception {
        assertThat(render("everything").all().stream().map(d -> d.at("kind").text()))
                .contains(
                        "Deployment",
                        "Service",
                        "ConfigMap",
                        "Secret",
                        "ServiceAccount",
                        "Job",
                        "PodDisruptionBudget",
                        "HorizontalPodAutoscaler",
                        "NetworkPolicy",
                        "ServiceMonitor",
                        "PrometheusRule",
                        "Pod");
        assertThat(render("minimal").all().stream()
                        .map(d -> d.at("kind").text())
                        .distinct())
                .containsExactlyInAnyOrder("Deployment", "Service", "ConfigMap", "Secret", "Pod");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            replicas=many                        | at '/replicas': got string, want integer
            replica=2                            | additional properties 'replica' not allowed
            image.pullPolicy=Sometimes           | at '/image/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'
            image.digest=sha256:short            | at '/image/digest'
            migrations.by=hand                   | at '/migrations/by': value must be one of 'on-start', 'job', 'none'
            cluster.port=70000                   | at '/cluster/port': maximum: got 70,000, want 65,535
            jvm.heap=lots                        | at '/jvm/heap': 'lots' does not match pattern
            management.port=8080                 | at '/management/port'
            config.http.prot=1                   | at '/config/http': additional properties 'prot' not allowed
            config.postgres.uri=postgresql://x   | use postgres.uri or postgres.existingSecret
            config.auth.bootstrapKey=rsk_hunter2 | would stand in a ConfigMap
            config.roles=issue                   | config.roles is set by recycler.separate
            postgres.uri=mysql://u:hunter2@h     | postgres.uri is no URI postgresql://...
            redis.uri=http://h                   | redis.uri is no URI redis://... or rediss://...
            postgres.existingSecret.name=        | Set postgres.existingSecret.name
            shutdown.graceSeconds=5              | shutdown.graceSeconds = 5 kills pods before they are done
            """)
    void badValuesAreRefusedReadably(String value, String message) throws Exception {
        Tool.Result result = helm.run(CHARTS, List.of("template", "r", "reissue", "--set", value));
        assertThat(result.ok()).isFalse();
        assertThat(result.output()).contains(message).doesNotContain("hunter2");
    }

    @Test
    void theRenderedAlertsFireLikeTheirSource() throws Exception {
        Manifests rendered =
                new Manifests(helm.expect(CHARTS, "template", "r", "reissue", "--set", "prometheusRule.enabled=true"));
        checkRules(rendered.of("PrometheusRule").get(0).at("spec"));
        Files.copy(Path.of("src/test/prometheus/alerts-test.yaml"), dir.resolve("alerts-test.yaml"));
        promtool.expect(dir, "test", "rules", "alerts-test.yaml");
    }

    private Manifests render(String values) throws IOException, InterruptedException {
        return new Manifests(helm.expect(
                CHARTS,
                "template",
                "rel",
                "reissue",
                "--namespace",
                "numbers",
                "-f",
                "reissue/ci/" + values + "-values.yaml"));
    }

    private static Map<String, Long> summary(Manifests rendered) {
        return rendered.all().stream()
                .collect(Collectors.groupingBy(d -> d.at("kind").text(), Collectors.counting()));
    }

    private static void checkObjects(Manifests rendered) {
        List<String> identities = new ArrayList<>();
        for (Node document : rendered.all()) {
            String name = Manifests.name(document);
            identities.add(document.at("kind").text() + "/" + name);
            assertThat(document.at("apiVersion").exists()).as(name).isTrue();
            assertThat(name).matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?").hasSizeLessThanOrEqualTo(63);
            assertThat(document.at("metadata.labels").texts().values())
                    .allMatch(label -> label.matches("|[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"))
                    .allMatch(label -> label.length() <= 63);
        }
        assertThat(identities).doesNotHaveDuplicates();
    }

    private static void checkPod(Manifests rendered, Pod pod) {
        Node spec = pod.spec();
        Node container = pod.container();
        assertThat(spec.at("enableServiceLinks").text()).as(pod.owner()).isEqualTo("false");
        assertThat(spec.at("automountServiceAccountToken").text())
                .as(pod.owner())
                .isEqualTo("false");
        assertThat(spec.at("securityContext.runAsNonRoot").text()).isEqualTo("true");
        assertThat(container.at("securityContext.readOnlyRootFilesystem").text())
                .isEqualTo("true");
        assertThat(container.at("securityContext.allowPrivilegeEscalation").text())
                .isEqualTo("false");
        assertThat(COMMANDS).contains(container.at("args").list().get(0).text());
        if (spec.at("serviceAccountName").exists()) {
            String account = spec.at("serviceAccountName").text();
            assertThat(account.equals("default")
                            || rendered.find("ServiceAccount", account).isPresent())
                    .as("service account %s", account)
                    .isTrue();
        }
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            if (container.at(probe).exists()) {
                assertThat(pod.ports())
                        .contains(container.at(probe + ".httpGet.port").text());
            }
        }
        checkEnvironment(rendered, pod);
        checkVolumes(rendered, pod);
    }

    private static void checkEnvironment(Manifests rendered, Pod pod) {
        for (Node variable : pod.container().at("env").list()) {
            Node ref = variable.at("valueFrom.secretKeyRef");
            if (ref.exists()) {
                String name = ref.at("name").text();
                String key = ref.at("key").text();
                assertThat(rendered.find("Secret", name)
                                .map(s -> s.at("stringData").names().contains(key))
                                .orElse(EXPECTED_SECRETS.contains(name)))
                        .as("key %s of Secret %s", key, name)
                        .isTrue();
            }
        }
    }

    private static void checkVolumes(Manifests rendered, Pod pod) {
        Map<String, Node> volumes = new HashMap<>();
        pod.spec().at("volumes").list().forEach(v -> volumes.put(v.at("name").text(), v));
        for (Node volume : volumes.values()) {
            if (volume.at("configMap").exists()) {
                assertThat(rendered.find(
                                "ConfigMap", volume.at("configMap.name").text()))
                        .isPresent();
            }
        }
        for (Node mount : pod.container().at("volumeMounts").list()) {
            Node volume = volumes.get(mount.at("name").text());
            assertThat(volume).as("volume of mount %s", mount).isNotNull();
            if (volume != null && mount.at("subPath").exists()) {
                Node map = rendered.find(
                                "ConfigMap", volume.at("configMap.name").text())
                        .orElseThrow();
                assertThat(map.at("data").names()).contains(mount.at("subPath").text());
            }
        }
    }

    private static void checkSelectors(Manifests rendered) {
        for (Node deployment : rendered.of("Deployment")) {
            List<Pod> found = rendered.selected(deployment.at("spec.selector.matchLabels"));
            assertThat(found).extracting(Pod::owner).containsExactly(Manifests.name(deployment));
        }
        for (Node service : rendered.of("Service")) {
            List<Pod> found = rendered.selected(service.at("spec.selector"));
            assertThat(found).as("pods of Service %s", Manifests.name(service)).isNotEmpty();
            assertThat(rendered.deployed()).containsAll(found);
            for (Node port : service.at("spec.ports").list()) {
                assertThat(found)
                        .allMatch(pod ->
                                pod.ports().contains(port.at("targetPort").text()));
            }
        }
        for (Node budget : rendered.of("PodDisruptionBudget")) {
            assertThat(rendered.selected(budget.at("spec.selector.matchLabels")))
                    .hasSize(1);
        }
        for (Pod pod : rendered.deployed()) {
            for (Node spread : pod.spec().at("topologySpreadConstraints").list()) {
                assertThat(rendered.selected(spread.at("labelSelector.matchLabels")))
                        .containsExactly(pod);
            }
        }
    }

    private static void checkNetworkPolicy(Manifests rendered) {
        for (Node policy : rendered.of("NetworkPolicy")) {
            assertThat(rendered.selected(policy.at("spec.podSelector.matchLabels")))
                    .containsExactlyInAnyOrderElementsOf(rendered.deployed());
            Set<String> open = policy.at("spec.ingress").list().stream()
                    .flatMap(rule -> rule.at("ports").list().stream())
                    .map(port -> port.at("port").text())
                    .collect(Collectors.toSet());
            Set<String> there = rendered.deployed().stream()
                    .flatMap(pod -> pod.ports().stream())
                    .collect(Collectors.toSet());
            assertThat(open).as("ports that are let in").isEqualTo(there);
        }
    }

    private static void checkScaling(Manifests rendered) {
        for (Node autoscaler : rendered.of("HorizontalPodAutoscaler")) {
            Node target = rendered.find(
                            autoscaler.at("spec.scaleTargetRef.kind").text(),
                            autoscaler.at("spec.scaleTargetRef.name").text())
                    .orElseThrow();
            assertThat(target.at("spec.replicas").exists())
                    .as("a number of replicas beside an autoscaler")
                    .isFalse();
        }
    }

    private void checkMonitoring(Manifests rendered) throws Exception {
        for (Node monitor : rendered.of("ServiceMonitor")) {
            Map<String, String> wanted = monitor.at("spec.selector.matchLabels").texts();
            List<Node> services = rendered.of("Service").stream()
                    .filter(s -> s.at("metadata.labels").texts().entrySet().containsAll(wanted.entrySet()))
                    .toList();
            assertThat(services).hasSize(1);
            assertThat(services.get(0).at("spec.ports").list().stream()
                            .map(port -> port.at("name").text()))
                    .contains(monitor.at("spec.endpoints")
                            .list()
                            .get(0)
                            .at("port")
                            .text());
        }
        for (Node rule : rendered.of("PrometheusRule")) {
            checkRules(rule.at("spec"));
        }
        for (Node map : rendered.of("ConfigMap")) {
            Node dashboard = map.at("data").child("reissue.json");
            if (dashboard.exists()) {
                assertThat(dashboard.text().strip())
                        .isEqualTo(Files.readString(Path.of("conf/grafana/reissue.json"))
                                .strip());
            }
        }
    }

    private void checkRules(Node spec) throws Exception {
        List<Node> rules = spec.at("groups").list().get(0).at("rules").list();
        assertThat(rules).isNotEmpty().allMatch(rule -> rule.at("expr").exists());
        assertThat(rules)
                .allMatch(rule -> rule.at("annotations.runbook").exists()
                        != rule.at("annotations.runbook_url").exists());
        Path file = dir.resolve("alerts.yaml");
        Files.writeString(file, new JsonObject(Map.of("groups", asJson(spec.at("groups")))).encode());
        assertThat(promtool.expect(dir, "check", "rules", "alerts.yaml")).contains("SUCCESS: " + rules.size());
    }

    private static Object asJson(Node node) {
        Object value = node.value();
        return value == null ? "" : value;
    }

    /** The service that gets this file and these variables starts, as far as its settings go, and they say what the pod says. */
    private void checkSettings(Manifests rendered, Pod pod) throws Exception {
        Node map = rendered.find(
                        "ConfigMap",
                        pod.spec()
                                .at("volumes")
                                .list()
                                .get(0)
                                .at("configMap.name")
                                .text())
                .orElseThrow();
        Path file = Files.writeString(
                dir.resolve("reissue.yaml"),
                map.at("data").child("reissue.yaml").text());
        Map<String, String> environment = new HashMap<>();
        for (Node variable : pod.container().at("env").list()) {
            String name = variable.at("name").text();
            String value = variable.at("value").exists() ? variable.at("value").text() : example(name);
            environment.put(name, value.replace("$(POD_IP)", "10.0.0.1"));
        }
        ConfigResult result = ConfigLoader.load(List.of(YamlFile.read(file), Layer.environment(environment)));
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        Config config = ((ConfigResult.Loaded) result).config();
        assertThat(pod.port("management")).isEqualTo(config.management().port());
        if (config.roles().contains(Config.Role.ISSUE)) {
            assertThat(pod.port("http")).isEqualTo(config.http().port());
        }
        Node preStop = pod.container().at("lifecycle.preStop.sleep.seconds");
        long leastMs = (preStop.exists() ? preStop.number() * 1_000 : 0)
                + config.shutdown().pauseMs()
                + config.shutdown().deadlineMs()
                + 2_000;
        assertThat(pod.spec().at("terminationGracePeriodSeconds").number() * 1_000)
                .isGreaterThan(leastMs);
        checkCluster(
                rendered, pod, Node.one(map.at("data").child("reissue.yaml").text()));
    }

    private static void checkCluster(Manifests rendered, Pod pod, Node settings) {
        assertThat(pod.ports().contains("cluster"))
                .isEqualTo(settings.at("cluster.enabled").text().equals("true"));
        if (pod.ports().contains("cluster")) {
            assertThat(pod.port("cluster"))
                    .isEqualTo(settings.at("cluster.port").number());
            String[] dns = settings.at("cluster.kubernetesService").text().split("\\.", -1);
            Node service = rendered.find("Service", dns[0]).orElseThrow();
            assertThat(dns[1]).isEqualTo("numbers");
            assertThat(service.at("spec.clusterIP").text()).isEqualTo("None");
            assertThat(service.at("spec.publishNotReadyAddresses").text()).isEqualTo("true");
            assertThat(rendered.selected(service.at("spec.selector")))
                    .containsExactlyInAnyOrderElementsOf(rendered.deployed());
        }
    }

    private static String example(String name) {
        if (name.contains("AUTH")) {
            return "rsk_" + "0".repeat(16) + "_" + "0".repeat(64);
        }
        return name.contains("POSTGRES") ? "postgresql://u:p@h:5432/d" : "redis://h:6379";
    }
}
