package dev.reissue.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of this machine. */
final class Tool {
    private final String program;

    Tool(String program) {
        this.program = program;
    }

    /** What a call printed, out and err together, and whether it went well. */
    record Result(boolean ok, String output) {}

    Result run(Path directory, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("HELM_") || name.startsWith("KUBE"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue() == 0, output);
    }

    /** Runs it and returns what it printed. */
    String expect(Path directory, String... arguments) throws IOException, InterruptedException {
        Result result = run(directory, List.of(arguments));
        assertThat(result.ok())
                .as("%s %s: %s", program, List.of(arguments), result.output())
                .isTrue();
        return result.output();
    }
}
