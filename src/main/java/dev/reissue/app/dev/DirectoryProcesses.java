package dev.reissue.app.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds and ends servers that run in a data directory, such as those that a killed process left behind. They are recognised by
 * their working directory and their program; process ids in files prove nothing, they are used again. Linux; elsewhere none is
 * found. Any thread.
 */
final class DirectoryProcesses {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryProcesses.class);

    private DirectoryProcesses() {}

    /**
     * Ends every process of this program in this directory.
     *
     * @param program the file name of the program starts with this
     * @param signals signals to try, each after the one before had no effect for {@code waitMs}
     * @throws IOException where some process outlives them all
     */
    static void end(Path directory, String program, List<String> signals, long waitMs) throws IOException {
        for (String signal : signals) {
            List<ProcessHandle> found = find(directory, program);
            if (found.isEmpty()) {
                return;
            }
            LOG.atDebug()
                    .addKeyValue("program", program)
                    .addKeyValue("signal", signal)
                    .addKeyValue("pids", found.stream().map(ProcessHandle::pid).toList())
                    .log("ending a server");
            for (ProcessHandle each : found) {
                signal(each, signal);
            }
            awaitEnd(found, waitMs);
        }
        if (!find(directory, program).isEmpty()) {
            throw new IOException(program + " does not end in " + directory);
        }
    }

    /** Returns the processes of this program that work in this directory. */
    static List<ProcessHandle> find(Path directory, String program) {
        return ProcessHandle.allProcesses()
                .filter(p -> isProgram(p, program) && worksIn(p, directory))
                .toList();
    }

    private static boolean isProgram(ProcessHandle process, String program) {
        return process.info()
                .command()
                .map(c -> String.valueOf(Path.of(c).getFileName()).startsWith(program))
                .orElse(false);
    }

    private static boolean worksIn(ProcessHandle process, Path directory) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"))
                    .equals(directory);
        } catch (IOException | UnsupportedOperationException e) {
            // Ended meanwhile, somebody else's, or not Linux.
            return false;
        }
    }

    private static void signal(ProcessHandle process, String signal) throws IOException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        kill.onExit().join();
    }

    private static void awaitEnd(List<ProcessHandle> processes, long waitMs) {
        CompletableFuture<?>[] ends =
                processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(ends).get(waitMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // The caller looks again and takes a stronger signal.
            LOG.atDebug().setCause(e).log("still running");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
