package dev.reissue.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisServer;

/** One embedded Redis for all tests of a JVM. Any thread. */
public final class TestRedis {
    private static @Nullable RedisServer server;

    private TestRedis() {}

    /** Returns the URI of one of the server's 16 databases. */
    public static String uri(int database) {
        return "redis://127.0.0.1:" + server().ports().get(0) + "/" + database;
    }

    private static synchronized RedisServer server() {
        RedisServer s = server;
        if (s == null) {
            try {
                s = RedisServer.newRedisServer()
                        .port(freePort())
                        .setting("bind 127.0.0.1")
                        .setting("save \"\"")
                        .build();
                s.start();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot start the embedded Redis", e);
            }
            RedisServer started = s;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(started)));
            server = s;
        }
        return s;
    }

    /** Returns a port of the loopback that nobody listens on at the moment. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void stop(RedisServer s) {
        try {
            s.stop();
        } catch (IOException e) {
            System.err.println("Redis did not stop: " + e);
        }
    }
}
