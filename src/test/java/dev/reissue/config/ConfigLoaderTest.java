package dev.reissue.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.config.Config.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {
    @TempDir
    Path dir;

    @Test
    void everythingHasADefault() {
        Config config = loaded();
        assertThat(config.http().port()).isEqualTo(8080);
        assertThat(config.management().port()).isEqualTo(8081);
        assertThat(config.scan().intervalMs()).isEqualTo(5000);
        assertThat(config.scan().pageSize()).isEqualTo(500);
        assertThat(config.instance().leaseMs()).isEqualTo(15000);
        assertThat(config.dev().dataDir()).isEqualTo("./data");
        assertThat(config.roles()).containsExactlyInAnyOrder(Role.ISSUE, Role.RECYCLE);
    }

    @Test
    void theCommandLineWinsOverTheEnvironmentAndThatOverTheFile() throws IOException {
        Layer file = file("http: {port: 1, host: a}\nscan:\n  intervalMs: 100\nmanagement: {port: 9}\n");
        Layer environment =
                Layer.environment(Map.of("REISSUE_HTTP_PORT", "2", "REISSUE_SCAN_INTERVAL_MS", "200", "PATH", "/bin"));
        Config config = loaded(file, environment, Layer.options(List.of("http.port=3")));
        assertThat(config.http().port()).isEqualTo(3);
        assertThat(config.scan().intervalMs()).isEqualTo(200);
        assertThat(config.http().host()).isEqualTo("a");
        assertThat(config.management().port()).isEqualTo(9);
    }

    @Test
    void everyErrorIsListedWithItsPathItsValueAndItsPlace() throws IOException {
        Layer file = file("http:\n  port: 99999\n  prot: 1\nscan: {pageSize: many}\nmanagement: 3\n");
        Layer environment = Layer.environment(Map.of("REISSUE_HTTP_PROT", "1"));
        List<String> errors = refused(file, environment, Layer.options(List.of("roles=cook", "oops")));
        assertThat(errors)
                .containsExactlyInAnyOrder(
                        "http.port = \"99999\": must be an integer from 0 to 65535 (from " + dir + "/c.yaml:2)",
                        "http.prot: no such key, did you mean http.port? (from " + dir + "/c.yaml:3)",
                        "scan.pageSize = \"many\": must be an integer from 200 to 1000 (from " + dir + "/c.yaml:4)",
                        "management: must be keys with values (from " + dir + "/c.yaml:5)",
                        "REISSUE_HTTP_PROT: no key has this name, did you mean REISSUE_HTTP_PORT? (from the environment)",
                        "roles = \"cook\": must be a list of issue, recycle (from --set)",
                        "--set: must have the form key=value (from the command line)");
    }

    @Test
    void aBadValueIsRefusedEvenWhereALaterSourceWins() throws IOException {
        assertThat(refused(file("http: {port: x}"), Layer.options(List.of("http.port=1"))))
                .hasSize(1);
    }

    @Test
    void whatACommandPresetsIsBelowEverythingElseAndNotReported() {
        Layer preset = Layer.preset(Map.of("http.host", "127.0.0.1", "log.format", "text"));
        ConfigResult.Loaded result = (ConfigResult.Loaded)
                ConfigLoader.load(List.of(preset, Layer.environment(Map.of("REISSUE_HTTP_HOST", "::1"))));
        assertThat(result.config().http().host()).isEqualTo("::1");
        assertThat(result.config().log().format()).isEqualTo(Config.LogFormat.TEXT);
        assertThat(result.overrides()).containsExactly("http.host = ::1 (from REISSUE_HTTP_HOST)");
    }

    @Test
    void theLastOfRepeatedOptionsWins() {
        assertThat(loaded(Layer.options(List.of("http.port=1", "http.port=2")))
                        .http()
                        .port())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres.uri=mysql://u:hunter2@h/d",
                "postgres.uri=postgresql://u:hunter2@h h/d",
                "postgres.uri=u:hunter2",
                "redis.uri=http://:hunter2@h",
                "postgres.passwort=hunter2",
                "=hunter2"
            })
    void aSecretDoesNotShowInAnError(String option) {
        assertThat(refused(Layer.options(List.of(option)))).hasSize(1).noneMatch(e -> e.contains("hunter2"));
    }

    @Test
    void aSecretDoesNotShowInAnErrorOfTheFile() throws IOException {
        assertThat(refused(file("postgres:\n  uri: postgresql://u:hunter2@h/d\n  bad: [hunter2\n")))
                .hasSize(1)
                .noneMatch(e -> e.contains("hunter2"));
        assertThat(refused(Layer.environment(Map.of("REISSUE_PASSWORD", "hunter2"))))
                .hasSize(1)
                .noneMatch(e -> e.contains("hunter2"));
    }

    @ParameterizedTest
    @CsvSource({
        "postgresql://u:p%40ss@h:1/d, postgresql://u:***@h:1/d",
        "redis://:pa:ss@h, redis://:***@h",
        "postgresql://h/d?password=p&sslmode=require, postgresql://h/d?password=***&sslmode=require",
        "postgresql://u@h/d, postgresql://u@h/d"
    })
    void aUriPrintsWithoutItsPassword(String uri, String printed) {
        ConfigResult.Loaded result = (ConfigResult.Loaded) ConfigLoader.load(
                List.of(Layer.options(List.of((uri.startsWith("redis") ? "redis.uri=" : "postgres.uri=") + uri))));
        assertThat(result.overrides()).singleElement().asString().contains("= " + printed + " (from --set)");
        assertThat(result.config().toString()).contains(printed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.8.0.9", "localhost", "LOCALHOST", "::1", "[::1]"})
    void withoutKeysTheLoopbackIsListenedOn(String host) {
        List<String> open = List.of("auth.required=false", "http.host=" + host);
        assertThat(loaded(Layer.options(open)).auth().required()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "::",
                "10.0.0.1",
                "reissue.internal",
                "127.0.0.1.example.com",
                "localhost.evil",
                "1::1"
            })
    void withoutKeysNothingElseIsUnlessToldOtherwise(String host) {
        List<String> open = List.of("auth.required=false", "http.host=" + host);
        assertThat(refused(Layer.options(open)))
                .singleElement()
                .asString()
                .startsWith("auth.required = ")
                .contains(host)
                .contains("auth.allowOpen");
        List<String> told = List.of("auth.required=false", "auth.allowOpen=true", "http.host=" + host);
        assertThat(loaded(Layer.options(told)).auth().required()).isFalse();
    }

    @Test
    void keysAreAskedForWhereNothingElseIsSaid() {
        assertThat(loaded(Layer.options(List.of())).auth().required()).isTrue();
    }

    @Test
    void theFirstKeyIsAWholeOneAndDoesNotShow() {
        String key = "rsk_" + "0".repeat(16) + "_" + "a".repeat(64);
        ConfigResult.Loaded result = (ConfigResult.Loaded)
                ConfigLoader.load(List.of(Layer.environment(Map.of("REISSUE_AUTH_BOOTSTRAP_KEY", key))));
        assertThat(result.config().auth().bootstrapKey().reveal()).isEqualTo(key);
        assertThat(result.overrides()).containsExactly("auth.bootstrapKey = *** (from REISSUE_AUTH_BOOTSTRAP_KEY)");
        assertThat(result.config().toString()).doesNotContain("aaaa");
        for (String bad : List.of("hunter2", key + "0", key.substring(1))) {
            assertThat(refused(Layer.options(List.of("auth.bootstrapKey=" + bad))))
                    .singleElement()
                    .asString()
                    .doesNotContain(bad);
        }
    }

    @Test
    void theKeyOfACallerIsNoSetting() {
        assertThat(loaded(Layer.environment(Map.of("REISSUE_API_KEY", "rsk_x"))))
                .isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "management.port=8080, management.port",
        "instance.marginMs=9000, instance.leaseMs",
        "instance.leaseMs=9000, instance.leaseMs",
        "shutdown.deadlineMs=1000, shutdown.deadlineMs",
        "settle.queueMax=1999, settle.flushItems",
        "settle.deadlineMs=2000, settle.deadlineMs",
        "issue.handOutMaxMs=15001, issue.handOutMaxMs"
    })
    void settingsThatDoNotGoTogetherAreRefused(String option, String path) {
        assertThat(refused(Layer.options(List.of(option))))
                .singleElement()
                .asString()
                .startsWith(path + " = ");
    }

    @ParameterizedTest
    @CsvSource({"stream.claimIdleMs=5000, stream.claimIdleMs", "stream.deadName=reissue:events, stream.deadName"})
    void settingsOfEventsCountWhereEventsAreRead(String option, String path) {
        assertThat(refused(Layer.options(List.of("stream.enabled=true", option))))
                .singleElement()
                .asString()
                .startsWith(path + " = ");
        assertThat(ConfigLoader.load(List.of(Layer.options(List.of(option))))).isInstanceOf(ConfigResult.Loaded.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "cluster.discovery=tcp; cluster.members",
                "cluster.members=a:5701; cluster.members",
                "cluster.discovery=tcp cluster.members=a:b; cluster.members",
                "cluster.discovery=kubernetes cluster.host=0.0.0.0; cluster.kubernetesService",
                "cluster.discovery=kubernetes cluster.kubernetesService=reissue; cluster.host",
                "cluster.kubernetesService=reissue; cluster.kubernetesService",
                "cluster.port=65535 cluster.portTries=2; cluster.portTries",
                "cluster.port=8000 cluster.portTries=81; cluster.port",
                "cluster.port=8081; cluster.port",
                "cluster.advertise=nowhere; cluster.advertise"
            })
    void settingsOfTheClusterThatDoNotGoTogetherAreRefused(String options, String path) {
        List<String> all = new ArrayList<>(List.of("cluster.enabled=true"));
        all.addAll(List.of(options.split(" ")));
        assertThat(refused(Layer.options(all))).singleElement().asString().startsWith(path + " = ");
    }

    @Test
    void everyErrorOfTheClusterIsToldAtOnceAndNoneWhereItIsOff() {
        List<String> wrong = List.of("cluster.discovery=tcp", "cluster.port=8081", "cluster.advertise=nowhere");
        List<String> on = new ArrayList<>(wrong);
        on.add("cluster.enabled=true");
        assertThat(refused(Layer.options(on))).hasSize(3);
        assertThat(loaded(Layer.options(wrong)).cluster().enabled()).isFalse();
    }

    @Test
    void membersAreAListOrNothing() throws IOException {
        Config.Cluster read = loaded(
                        file("cluster: {enabled: true, discovery: tcp, members: [a, 'b:1'], advertise: \"\"}\n"))
                .cluster();
        assertThat(read.members()).containsExactly("a", "b:1");
        assertThat(loaded(file("cluster: {members: []}\n")).cluster().members()).isEmpty();
        assertThat(loaded(Layer.options(List.of("cluster.members=a , b:1")))
                        .cluster()
                        .members())
                .containsExactly("a", "b:1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing\n", "http:\n", "---\n", "{}"})
    void anEmptyFileOrSectionIsFine(String text) throws IOException {
        assertThat(loaded(file(text)).http().port()).isEqualTo(8080);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http: {port: 1, port: 2}",
                "http.port: 1\nhttp: {port: 2}",
                "http: {port: }",
                "http: {port: {a: 1}}",
                "http: {port: [[1]]}",
                "[1, 2]",
                "just a text",
                "? [a]\n: b",
                "a: b: c",
                "http: &x\n  port: *x",
                "--- 1\n--- 2",
                "\"http\\0\": 1",
                "roles: []"
            })
    void aFileThatMakesNoSenseIsRefusedWithoutAStackTrace(String text) throws IOException {
        assertThat(refused(file(text))).isNotEmpty();
    }

    @Test
    void aMissingFileIsAnError() {
        assertThat(refused(YamlFile.read(dir.resolve("none.yaml"))))
                .singleElement()
                .asString()
                .contains("cannot be read")
                .contains("none.yaml");
    }

    @Test
    void listsMayBeWrittenBothWays() throws IOException {
        assertThat(loaded(file("roles: [recycle]")).roles()).containsExactly(Role.RECYCLE);
        assertThat(loaded(Layer.environment(Map.of("REISSUE_ROLES", "recycle, issue")))
                        .roles())
                .containsExactlyInAnyOrder(Role.ISSUE, Role.RECYCLE);
    }

    @Test
    void variablesThatKubernetesSetsForAServiceAreExplained() {
        assertThat(refused(Layer.environment(Map.of("REISSUE_PORT_8080_TCP", "tcp://10.0.0.1:8080"))))
                .singleElement()
                .asString()
                .contains("enableServiceLinks");
    }

    private Layer file(String text) throws IOException {
        return YamlFile.read(Files.writeString(dir.resolve("c.yaml"), text));
    }

    private static Config loaded(Layer... layers) {
        return ((ConfigResult.Loaded) ConfigLoader.load(List.of(layers))).config();
    }

    private static List<String> refused(Layer... layers) {
        return ((ConfigResult.Refused) ConfigLoader.load(List.of(layers)))
                .errors().stream().map(ConfigError::toString).toList();
    }
}
