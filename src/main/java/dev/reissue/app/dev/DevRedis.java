package dev.reissue.app.dev;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis whose data outlives the process. It puts itself into the background, out of reach of the terminal's Ctrl-C, which is
 * meant for the service alone. Started and stopped by one thread.
 */
final class DevRedis implements AutoCloseable {
    private static final String PROGRAM = "redis-server";
    private static final List<String> END = List.of("TERM", "KILL");
    private static final long START_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Path data;
    private final int port;

    private DevRedis(Path data, int port) {
        this.data = data;
        this.port = port;
    }

    /** Starts the server, with what is left of an earlier one cleared away. */
    static DevRedis start(DataDirectory directory) throws IOException {
        Path data = Files.createDirectories(directory.redis());
        DirectoryProcesses.end(data, PROGRAM, END, 5_000);
        Files.createDirectories(directory.programs());
        Path program = ExecutableProvider.newJarResourceProvider(
                        directory.programs().toFile())
                .get()
                .toPath();
        DevRedis redis = new DevRedis(data, freePort());
        redis.launch(program, directory.root().resolve("redis.log"));
        return redis;
    }

    /** Returns the URI of the server. */
    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        DirectoryProcesses.end(data, PROGRAM, END, 5_000);
    }

    private void launch(Path program, Path log) throws IOException {
        Process launcher = new ProcessBuilder(
                        program.toString(),
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--dir",
                        data.toString(),
                        "--appendonly",
                        "yes",
                        "--save",
                        "",
                        "--daemonize",
                        "yes",
                        "--logfile",
                        log.toString())
                .directory(data.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        int exit = launcher.onExit().join().exitValue();
        long end = System.nanoTime() + START_WAIT_NANOS;
        while (exit == 0
                && System.nanoTime() < end
                && !DirectoryProcesses.find(data, PROGRAM).isEmpty()) {
            if (answers()) {
                return;
            }
            LockSupport.parkNanos(STEP_NANOS);
        }
        close();
        throw new IOException("cannot start Redis in " + data + ", see " + log);
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readNBytes(5), StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
