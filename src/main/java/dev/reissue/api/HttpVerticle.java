package dev.reissue.api;

import dev.reissue.issuance.Settlement;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The public port on one event loop: a server, its routes, a lifecycle. Deploy one an event loop; they share the port. At the end
 * it listens no more, answers what it has begun, and commits what was collected.
 */
public final class HttpVerticle extends VerticleBase {
    private final HttpSettings settings;
    private final PortTls tls;
    private final long finishMs;
    private final Supplier<ApiServices> services;
    private @Nullable HttpServer server;
    private @Nullable Settlement settlement;

    /**
     * Creates the verticle.
     *
     * @param tls the port's certificate
     * @param finishMs how long requests under way have to be answered once the port is closed; then their connections are cut
     * @param services called on the event loop at start
     */
    public HttpVerticle(HttpSettings settings, PortTls tls, long finishMs, Supplier<ApiServices> services) {
        this.settings = settings;
        this.tls = tls;
        this.finishMs = finishMs;
        this.services = services;
    }

    @Override
    public Future<?> start() {
        ApiServices api = services.get();
        settlement = api.settlement();
        FrontDoor door = api.frontDoor(vertx, context, settings);
        Guests guests = new Guests(settings);
        vertx.setPeriodic(Guests.SWEEP_EVERY_MS, id -> guests.sweep());
        HttpServerOptions options = settings.toOptions();
        tls.configure(options);
        HttpServer created = vertx.createHttpServer(options)
                .requestHandler(request -> guests.receive(request, door))
                .invalidRequestHandler(door::handleInvalid)
                .connectionHandler(guests::arrive);
        server = created;
        return created.listen().onSuccess(tls::add);
    }

    @Override
    public Future<?> stop() {
        if (server == null || settlement == null) {
            return Future.succeededFuture();
        }
        // A caller that has left does not take back what it sent.
        return server.shutdown(finishMs, TimeUnit.MILLISECONDS).eventually(settlement::drain);
    }

    /** Returns the port that is listened on, once started. */
    public int port() {
        return server == null ? settings.port() : server.actualPort();
    }
}
