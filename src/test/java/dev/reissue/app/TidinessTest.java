package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules about the sources themselves. */
class TidinessTest {
    private static final int LONGEST_FILE = 300;
    private static final Pattern SLEEP = Pattern.compile("Thread\\.sleep|TimeUnit\\.\\w+\\.sleep");

    @Test
    void noSourceIsLong() {
        assertThat(sources("src/main/java").filter(f -> lines(f).size() > LONGEST_FILE))
                .isEmpty();
    }

    @Test
    void everyPackageSaysItsPurpose() {
        assertThat(sources("src/main/java")
                        .map(f -> f.resolveSibling("package-info.java"))
                        .distinct()
                        .filter(f -> !Files.exists(f)))
                .isEmpty();
    }

    @Test
    void nothingSleeps() {
        assertThat(sources("src/main/java", "src/test/java")
                        .filter(f -> !f.endsWith("TidinessTest.java"))
                        .filter(f ->
                                lines(f).stream().anyMatch(l -> SLEEP.matcher(l).find())))
                .isEmpty();
    }

    private static Stream<Path> sources(String... roots) {
        return Stream.of(roots)
                .map(Path::of)
                .flatMap(TidinessTest::walk)
                .filter(f -> f.toString().endsWith(".java"));
    }

    private static Stream<Path> walk(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
