package dev.reissue.faults;

import dev.reissue.support.Await;
import dev.reissue.support.Signals;
import dev.reissue.support.TestRedis;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.embedded.core.ExecutableProvider;

/** A real Redis without persistence that can be killed, stalled, flushed and given entries by hand. One thread. */
final class FaultRedis implements AutoCloseable {
    private final Path dir;
    private final Path program;
    private final int port;
    private Process process;

    FaultRedis() throws IOException {
        dir = Files.createTempDirectory("reissue-redis-");
        program = ExecutableProvider.newJarResourceProvider(dir.toFile()).get().toPath();
        port = TestRedis.freePort();
        process = launch();
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    void kill9() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Starts it again, empty. */
    void restart() throws IOException {
        process = launch();
    }

    void stall() {
        Signals.send("STOP", process.pid());
    }

    void resume() {
        Signals.send("CONT", process.pid());
    }

    void flush() throws IOException {
        command("FLUSHALL");
    }

    /** Puts every entry of every pool into it once more, with older and younger versions beside them, and some that mean nothing. */
    int duplicate() throws IOException {
        int entries = 0;
        for (String key : pools()) {
            List<String> push = new ArrayList<>(List.of("RPUSH", key));
            for (String entry : command("LRANGE", key, "0", "-1")) {
                int colon = entry.indexOf(':');
                if (colon > 0 && push.size() < 3000) {
                    long version = Long.parseLong(entry.substring(colon + 1));
                    push.add(entry);
                    push.add(entry.substring(0, colon + 1) + (version - 1));
                    push.add(entry.substring(0, colon + 1) + (version + 1));
                    entries++;
                }
            }
            push.add("999999999:1");
            push.add("nonsense");
            command(push.toArray(String[]::new));
        }
        return entries;
    }

    List<String> pools() throws IOException {
        return command("KEYS", "*pool:*");
    }

    /** Sends a command; returns the parts of its answer as text. */
    List<String> command(String... parts) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            StringBuilder request = new StringBuilder("*" + parts.length + "\r\n");
            for (String part : parts) {
                request.append('$')
                        .append(part.length())
                        .append("\r\n")
                        .append(part)
                        .append("\r\n");
            }
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.US_ASCII));
            List<String> answer = new ArrayList<>();
            read(new BufferedInputStream(socket.getInputStream()), answer);
            return answer;
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        Files.deleteIfExists(program);
        Files.deleteIfExists(dir);
    }

    private Process launch() throws IOException {
        Process started = new ProcessBuilder(
                        program.toString(),
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "no")
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        process = started;
        Await.until(
                "Redis answers", Duration.ofSeconds(20), () -> command("PING").contains("PONG"));
        return started;
    }

    private static void read(InputStream in, List<String> answer) throws IOException {
        String line = line(in);
        char type = line.charAt(0);
        String rest = line.substring(1);
        if (type == '*') {
            for (int i = Integer.parseInt(rest); i > 0; i--) {
                read(in, answer);
            }
        } else if (type == '$') {
            int length = Integer.parseInt(rest);
            if (length >= 0) {
                answer.add(new String(in.readNBytes(length), StandardCharsets.UTF_8));
                line(in);
            }
        } else if (type == '-') {
            throw new IOException(rest);
        } else {
            answer.add(rest);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("Redis has closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
