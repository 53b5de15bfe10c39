package dev.reissue.app.dev;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL and a Redis of this process's own, with their data in one directory. Any thread; {@link #close} may be called more
 * than once.
 */
public final class DevServers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DevServers.class);

    private final List<AutoCloseable> parts = new ArrayList<>();
    private final DevPostgres postgres;
    private final DevRedis redis;

    private DevServers(DataDirectory directory, DevPostgres postgres, DevRedis redis) {
        this.postgres = postgres;
        this.redis = redis;
        Collections.addAll(parts, redis, postgres, directory);
    }

    /**
     * Starts both servers at the same time.
     *
     * @throws IOException where one does not start, or another process uses the directory; then nothing of this one is left
     * @throws NoClassDefFoundError where this build has no servers
     */
    public static DevServers start(Path dataDir) throws IOException {
        DataDirectory directory = DataDirectory.lock(dataDir);
        CompletableFuture<DevPostgres> postgres = inBackground("postgres", () -> DevPostgres.start(directory));
        CompletableFuture<DevRedis> redis = inBackground("redis", () -> DevRedis.start(directory));
        try {
            CompletableFuture.allOf(postgres, redis).join();
            return new DevServers(directory, postgres.join(), redis.join());
        } catch (CompletionException e) {
            // Both have ended their start, one way or the other.
            List.of(postgres, redis).forEach(DevServers::closeIfStarted);
            closeQuietly(directory);
            if (e.getCause() instanceof NoClassDefFoundError absent) {
                throw absent;
            }
            throw e.getCause() instanceof IOException io ? io : new IOException("cannot start the servers", e);
        }
    }

    /** Returns the URI of the database. */
    public String postgresUri() {
        return postgres.uri();
    }

    /** Returns the URI of Redis. */
    public String redisUri() {
        return redis.uri();
    }

    @Override
    public synchronized void close() {
        parts.forEach(DevServers::closeQuietly);
        parts.clear();
    }

    private static void closeIfStarted(CompletableFuture<? extends AutoCloseable> start) {
        if (!start.isCompletedExceptionally()) {
            closeQuietly(start.join());
        }
    }

    private static void closeQuietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.atWarn().setCause(e).log("a server did not stop");
        }
    }

    private static <T> CompletableFuture<T> inBackground(String name, Start<T> start) {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        done.complete(start.run());
                    } catch (IOException | RuntimeException | LinkageError e) {
                        done.completeExceptionally(e);
                    }
                },
                "start-" + name);
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    /** Starts a server. */
    private interface Start<T> {
        T run() throws IOException;
    }
}
