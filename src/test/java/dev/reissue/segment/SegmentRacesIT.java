package dev.reissue.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the races of this package under jcstress, in processes of their own; a forbidden outcome fails it. */
class SegmentRacesIT {
    private static final long DEADLINE_SECONDS = 600;

    /** Races in this package; each has two actors, as jcstress leaves out what needs more processors than there are. */
    private static final int RACES = 12;

    @TempDir
    private Path dir = Path.of("");

    @Test
    void noRaceHasAForbiddenOutcome() throws IOException, InterruptedException {
        assumeThat(Runtime.getRuntime().availableProcessors())
                .as("processors for two actors")
                .isGreaterThan(1);
        Path log = dir.resolve("jcstress.log");
        Process process = new ProcessBuilder(command())
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String output = Files.readString(log);
        assertThat(ended).as("jcstress ended in time:%n%s", output).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).contains("Failed tests: No matches", "Error tests: No matches");
        assertThat(output).as("all races ran").contains("All remaining tests: " + RACES + " matching");
    }

    private static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-t",
                "dev.reissue.segment",
                // One kind of JVM, one fork: a minute instead of half an hour. -Dreissue.jcstress.iterations raises it.
                "-m",
                "quick",
                "-jvmArgs",
                "-Xmx256m",
                "-sc",
                "false",
                "-f",
                "1",
                "-iters",
                System.getProperty("reissue.jcstress.iterations", "3"),
                "-time",
                "300",
                "-spinStyle",
                "THREAD_YIELD");
    }
}
