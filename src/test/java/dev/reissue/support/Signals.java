package dev.reissue.support;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Sends signals that the JDK cannot send. Any thread. */
public final class Signals {
    private Signals() {}

    /** Sends a signal, such as {@code STOP}; a process that has ended meanwhile is not missed. */
    public static void send(String signal, long pid) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send " + signal, e);
        }
    }
}
