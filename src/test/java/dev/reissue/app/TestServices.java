package dev.reissue.app;

import dev.reissue.config.ConfigLoader;
import dev.reissue.config.ConfigResult;
import dev.reissue.config.Layer;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Starts the service inside the JVM of the tests. */
final class TestServices {
    private TestServices() {}

    /**
     * Starts the service on free ports.
     *
     * @param database a database of {@link TestPostgres}
     * @param redisDatabase a database of {@link TestRedis}
     * @param settings further {@code key=value} settings
     */
    static Service start(Teardown teardown, String database, int redisDatabase, String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "http.host=127.0.0.1",
                "auth.required=false",
                "http.port=" + freePort(),
                "management.port=" + freePort(),
                "postgres.uri=" + TestPostgres.uri(database),
                "redis.uri=" + TestRedis.uri(redisDatabase)));
        all.addAll(List.of(settings));
        ConfigResult result = ConfigLoader.load(List.of(Layer.options(all)));
        if (result instanceof ConfigResult.Loaded loaded) {
            return Service.start(loaded.config(), teardown);
        }
        throw new IllegalArgumentException("refused: " + result);
    }

    private static int freePort() {
        try {
            return TestRedis.freePort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
