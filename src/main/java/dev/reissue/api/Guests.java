package dev.reissue.api;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one event loop. There is a limit to them; one that has brought no whole request for a time is closed, however many
 * bytes trickle in; and one whose caller does not read is asked nothing more until it does, so that answers do not pile up. Confined to
 * the event loop.
 */
final class Guests {
    static final long SWEEP_EVERY_MS = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(Guests.class);

    private final int limit;
    private final long patience;
    private final IdentityHashMap<HttpConnection, Guest> here = new IdentityHashMap<>();
    private long sweeps;

    /** A connection: the sweep after which its last request came. */
    private static final class Guest {
        private long heardAt;
    }

    Guests(HttpSettings settings) {
        this.limit = settings.maxConnections();
        // A body may take its time, so a request that is being sent is not mistaken for none.
        long longestMs = Math.max(settings.idleTimeoutMs(), settings.bodyDeadlineMs());
        this.patience = (longestMs + SWEEP_EVERY_MS - 1) / SWEEP_EVERY_MS;
    }

    /** Lets a connection in, or closes it at once. */
    void arrive(HttpConnection connection) {
        // Callers that vanish or send noise are their own affair: no line for each of them.
        connection.exceptionHandler(e -> LOG.atDebug().setCause(e).log("a connection failed"));
        if (here.size() >= limit) {
            connection.close();
            return;
        }
        Guest guest = new Guest();
        guest.heardAt = sweeps;
        here.put(connection, guest);
        connection.closeHandler(closed -> here.remove(connection));
    }

    /** Passes a request on, once earlier answers on its connection were taken. */
    void receive(HttpServerRequest request, Handler<HttpServerRequest> next) {
        Guest guest = here.get(request.connection());
        if (guest != null) {
            guest.heardAt = sweeps;
        }
        HttpServerResponse response = request.response();
        if (response.writeQueueFull()) {
            request.pause();
            response.drainHandler(drained -> {
                response.drainHandler(null);
                request.resume();
                next.handle(request);
            });
        } else {
            next.handle(request);
        }
    }

    /** Closes the connections that were silent for too long; called every {@value #SWEEP_EVERY_MS} ms. */
    void sweep() {
        sweeps++;
        List<HttpConnection> silent = new ArrayList<>();
        here.forEach((connection, guest) -> {
            if (sweeps - guest.heardAt > patience) {
                silent.add(connection);
            }
        });
        silent.forEach(HttpConnection::close);
    }
}
