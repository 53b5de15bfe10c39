package dev.reissue.bench.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process on a core of its own, and what Linux knows about it. One thread. */
final class PinnedProcess implements AutoCloseable {
    /** What {@code getconf CLK_TCK} says on every Linux that matters. */
    private static final double TICKS_PER_SECOND = 100;

    private static final int END_SECONDS = 15;

    private final Process process;
    private final Path log;

    private PinnedProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts a process.
     *
     * @param core where it may run, negative: anywhere
     */
    static PinnedProcess start(int core, List<String> command) throws IOException {
        List<String> all = new ArrayList<>();
        if (core >= 0) {
            all.addAll(List.of("taskset", "-c", Integer.toString(core)));
        }
        all.addAll(command);
        Path log = Files.createTempFile("reissue-bench-", ".log");
        Process process = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new PinnedProcess(process, log);
    }

    /** Pins the threads of this very process, and so the processes that it starts from now on. */
    static void pinMyself(int core) throws IOException, InterruptedException {
        String pid = Long.toString(ProcessHandle.current().pid());
        start(-1, List.of("taskset", "-a", "-p", "-c", Integer.toString(core), pid))
                .process
                .waitFor();
    }

    /** Tells whether a program is to be found. */
    static boolean present(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Returns what the process has printed so far. */
    String output() throws IOException {
        return Files.readString(log);
    }

    /** Waits for the end of the process and returns what it has printed. */
    String finish() throws IOException, InterruptedException {
        process.waitFor();
        return output();
    }

    /** Returns the seconds of CPU that the process has used. */
    double cpuSeconds() {
        return cpuSeconds(process.pid());
    }

    /** Returns the seconds of CPU that a process has used, without its children; 0 where it is gone. */
    static double cpuSeconds(long pid) {
        String stat;
        try {
            stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        } catch (IOException gone) {
            return 0;
        }
        // The name, in parentheses, may have spaces; utime and stime are the 14th and 15th field.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    /** Returns the resident memory in MB. */
    long residentMb() {
        try (var lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            Files.deleteIfExists(log);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
