package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.metrics.Health;
import dev.reissue.metrics.Metrics;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole service in one process: starts its parts in order and leaves their undoing, in the reverse order, to the
 * {@link Teardown}. Started by one thread that may block.
 */
final class Service {
    private static final Logger LOG = LoggerFactory.getLogger(Service.class);
    private static final long START_MS = 30_000;
    /** The database counts as away when it has not answered for so long on top of its deadline. */
    private static final long PROBE_SLACK_MS = 2_000;

    private final Config config;
    private final Teardown teardown;
    private final LongSupplier nanoClock = System::nanoTime;
    private final Health health = new Health();
    private final Metrics metrics = new Metrics(VersionProvider.version());
    private final AtomicBoolean accepting = new AtomicBoolean();
    private final Vertx vertx;
    private int managementPort;
    private int port;

    private Service(Config config, Teardown teardown) {
        this.config = config;
        this.teardown = teardown;
        teardown.addBlocking("metrics", metrics::close);
        this.vertx = VertxFactory.create(config.http(), metrics);
        teardown.add("vert.x", vertx::close);
    }

    /**
     * Starts everything; returns when the service is ready.
     *
     * @throws StartException with a message for the operator
     */
    static Service start(Config config, Teardown teardown) {
        Service service = new Service(config, teardown);
        service.start();
        return service;
    }

    int port() {
        return port;
    }

    int managementPort() {
        return managementPort;
    }

    private void start() {
        String version = Schema.bringUp(config.postgres());
        Databases databases = Databases.open(vertx, config.postgres());
        teardown.add("databases", databases::close);
        health.addReadiness(this::acceptingCheck);
        health.addReadiness(() -> new Health.Check("schema", true, "version " + version));
        watch(databases);
        manage();
        serve();
        accepting.set(true);
        teardown.add("readiness", this::leave);
        LOG.atInfo()
                .addKeyValue("port", port)
                .addKeyValue("managementPort", managementPort)
                .addKeyValue("version", VersionProvider.version())
                .log("ready");
    }

    private void watch(Databases databases) {
        long staleMs = config.postgres().query().deadlineMs() + PROBE_SLACK_MS;
        DatabaseProbe probe = new DatabaseProbe(databases.query(), staleMs, nanoClock);
        probe.start(vertx);
        health.addReadiness(probe::check);
        deploy("event loop lag", () -> new EventLoopLag(metrics.eventLoopLag(), nanoClock));
    }

    private void manage() {
        ManagementVerticle management = new ManagementVerticle(config.management(), health, metrics);
        await("listen on management.port " + config.management().port(), vertx.deployVerticle(management));
        managementPort = management.port();
    }

    private void serve() {}

    /** Deploys one instance an event loop. */
    private void deploy(String what, Supplier<Deployable> verticle) {
        DeploymentOptions each = new DeploymentOptions().setInstances(VertxFactory.eventLoops(config.http()));
        await("start " + what, vertx.deployVerticle(verticle, each));
    }

    private Health.Check acceptingCheck() {
        return new Health.Check(
                "accepting", accepting.get(), accepting.get() ? "serving" : "starting or shutting down");
    }

    /** Not ready any more; goes on serving for the pause in which load balancers notice. */
    private Future<?> leave() {
        accepting.set(false);
        long pauseMs = config.shutdown().pauseMs();
        return pauseMs == 0 ? Future.succeededFuture() : vertx.timer(pauseMs);
    }

    private static <T> T await(String what, Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(START_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", e);
        } catch (TimeoutException e) {
            throw new StartException("cannot " + what + ": no answer within " + START_MS + " ms", e);
        } catch (java.util.concurrent.ExecutionException | CompletionException e) {
            throw new StartException("cannot " + what + ": " + e.getCause(), e);
        }
    }
}
