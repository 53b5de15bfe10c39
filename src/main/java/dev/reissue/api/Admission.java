package dev.reissue.api;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets connections of one event loop in, up to a limit; what comes above it is closed at once. */
final class Admission implements Handler<HttpConnection> {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private final int limit;
    private int open;

    Admission(int limit) {
        this.limit = limit;
    }

    @Override
    public void handle(HttpConnection connection) {
        // Callers that vanish or send noise are their own affair: no line for each of them.
        connection.exceptionHandler(e -> LOG.atDebug().setCause(e).log("a connection failed"));
        if (open >= limit) {
            connection.close();
            return;
        }
        open++;
        connection.closeHandler(closed -> open--);
    }
}
