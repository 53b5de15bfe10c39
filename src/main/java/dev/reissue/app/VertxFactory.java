package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.config.Config.NativeTransport;
import dev.reissue.metrics.Metrics;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the Vert.x of the process. */
final class VertxFactory {
    private static final Logger LOG = LoggerFactory.getLogger(VertxFactory.class);
    private static final int WORKERS = 4;
    /** Meters for every statement, by the name of the client. */
    private static final Set<String> STATEMENTS = Set.of("sql", "redis");

    private VertxFactory() {}

    /** Returns the number of event loops that the settings mean. */
    static int eventLoops(Config.Http http) {
        return http.eventLoops() > 0 ? http.eventLoops() : Runtime.getRuntime().availableProcessors();
    }

    static Vertx create(Config.Http http, Metrics metrics) {
        VertxOptions options = new VertxOptions()
                .setEventLoopPoolSize(eventLoops(http))
                .setWorkerPoolSize(WORKERS)
                .setPreferNativeTransport(http.nativeTransport() != NativeTransport.OFF)
                .setMaxEventLoopExecuteTime(500)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
                // Nothing is served from files, so nothing has to be copied to /tmp.
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false))
                .setMetricsOptions(metricsOptions());
        Vertx vertx = Vertx.builder()
                .with(options)
                .withMetrics(new MicrometerMetricsFactory(metrics.registry()))
                .build();
        if (http.nativeTransport() != NativeTransport.OFF && !vertx.isNativeTransportEnabled()) {
            withoutNativeTransport(http.nativeTransport(), vertx);
        }
        return vertx;
    }

    private static void withoutNativeTransport(NativeTransport wanted, Vertx vertx) {
        Throwable cause = vertx.unavailableNativeTransportCause();
        if (wanted == NativeTransport.ON) {
            vertx.close().toCompletionStage().toCompletableFuture().join();
            throw new StartException("http.nativeTransport is on, but epoll cannot be had here: " + cause);
        }
        LOG.atWarn().setCause(cause).log("epoll cannot be had here, going on with Java's selector");
    }

    /** Only pools are measured: a meter for every request and every statement would cost more than issuing a number. */
    private static MicrometerMetricsOptions metricsOptions() {
        Set<String> disabled = Arrays.stream(MetricsDomain.values())
                .filter(domain -> domain != MetricsDomain.NAMED_POOLS)
                .map(MetricsDomain::toCategory)
                .collect(Collectors.toSet());
        disabled.addAll(STATEMENTS);
        return new MicrometerMetricsOptions()
                .setEnabled(true)
                .setDisabledMetricsCategories(disabled)
                .setLabels(EnumSet.of(Label.POOL_TYPE, Label.POOL_NAME));
    }
}
