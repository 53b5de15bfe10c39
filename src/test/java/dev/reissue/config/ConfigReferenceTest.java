package dev.reissue.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Run with {@code -Dreissue.writeDocs=true} to renew the files instead of comparing them. */
class ConfigReferenceTest {
    private static final Path REFERENCE = Path.of("docs/configuration.md");
    private static final Path FILE = Path.of("conf/reissue.yaml");
    private static final Path CHART_SCHEMA = Path.of("charts/reissue/values.schema.json");

    @Test
    void theReferenceIsWhatTheKeysSay() throws IOException {
        matches(REFERENCE, ConfigReference.markdown());
    }

    @Test
    void theCommentedFileIsWhatTheKeysSay() throws IOException {
        matches(FILE, ConfigReference.yaml());
    }

    @Test
    void theChartKnowsEverySetting() throws IOException {
        matches(CHART_SCHEMA, ConfigReference.chartSchema(Files.readString(CHART_SCHEMA)));
    }

    @Test
    void theCommentedFileGivesEveryKeyItsDefault() {
        Layer file = YamlFile.read(FILE);
        assertThat(file.errors()).isEmpty();
        assertThat(file.assignments()).hasSameSizeAs(Keys.ALL);
        ConfigResult withFile = ConfigLoader.load(List.of(file));
        ConfigResult without = ConfigLoader.load(List.of());
        assertThat(((ConfigResult.Loaded) withFile).config()).isEqualTo(((ConfigResult.Loaded) without).config());
    }

    private static void matches(Path file, String expected) throws IOException {
        if (Boolean.getBoolean("reissue.writeDocs")) {
            Files.writeString(file, expected);
        }
        assertThat(Files.readString(file))
                .as(
                        "%s is out of date: mvn test -Dtest=ConfigReferenceTest -Dtest.jvm.args=-Dreissue.writeDocs=true",
                        file)
                .isEqualTo(expected);
    }
}
