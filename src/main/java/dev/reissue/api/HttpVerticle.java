package dev.reissue.api;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The public port on one event loop: a server, its routes, a lifecycle. Deploy one an event loop; they share the port. */
public final class HttpVerticle extends VerticleBase {
    private static final long SHUTDOWN_SECONDS = 2;

    private final HttpSettings settings;
    private final Supplier<ApiServices> services;
    private @Nullable HttpServer server;

    /**
     * Creates the verticle.
     *
     * @param services called on the event loop at start
     */
    public HttpVerticle(HttpSettings settings, Supplier<ApiServices> services) {
        this.settings = settings;
        this.services = services;
    }

    @Override
    public Future<?> start() {
        FrontDoor door = services.get().frontDoor(vertx, context, settings);
        HttpServer created = vertx.createHttpServer(settings.toOptions())
                .requestHandler(door)
                .invalidRequestHandler(door::handleInvalid)
                .connectionHandler(new Admission(settings.maxConnections()));
        server = created;
        return created.listen();
    }

    @Override
    public Future<?> stop() {
        return server == null ? Future.succeededFuture() : server.shutdown(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the port that is listened on, once started. */
    public int port() {
        return server == null ? settings.port() : server.actualPort();
    }
}
