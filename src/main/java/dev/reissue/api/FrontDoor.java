package dev.reissue.api;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Where every request comes in: finds its endpoint, or tells why there is none. One event loop. */
final class FrontDoor implements Handler<HttpServerRequest> {
    private static final CharSequence ALLOW = HttpHeaders.createOptimized("Allow");

    private final Routes routes;
    private final Gate gate;
    private final Loop loop;

    FrontDoor(Routes routes, Gate gate, Loop loop) {
        this.routes = routes;
        this.gate = gate;
        this.loop = loop;
    }

    @Override
    public void handle(HttpServerRequest request) {
        Exchange exchange = new Exchange(request, loop);
        try {
            dispatch(exchange, request);
        } catch (RuntimeException e) {
            exchange.fail(e);
        }
    }

    /** Answers what is not HTTP at all; the connection is closed afterwards. */
    void handleInvalid(HttpServerRequest request) {
        Exchange exchange = new Exchange(request, loop);
        exchange.closeAfterwards();
        exchange.refuse(InvalidRequest.problem(request.decoderResult().cause()));
    }

    private void dispatch(Exchange exchange, HttpServerRequest request) {
        if (loop.drain.phase() == Drain.Phase.REFUSING) {
            exchange.closeAfterwards();
            exchange.refuse(Problem.of(Code.SHUTTING_DOWN, "Ask another instance, or this one again when it is back."));
            return;
        }
        String target = target(request);
        int question = target.indexOf('?');
        int pathEnd = question < 0 ? target.length() : question;
        Routes.Match match = routes.find(target, pathEnd);
        if (match == null) {
            leaveBody(exchange);
            exchange.refuse(Problem.of(Code.NOT_FOUND, "There is no such path.", target.substring(0, pathEnd)));
            return;
        }
        Routes.Route route = route(match, request.method());
        if (route == null) {
            leaveBody(exchange);
            request.response().putHeader(ALLOW, match.allow());
            exchange.refuse(Problem.of(
                    Code.METHOD_NOT_ALLOWED,
                    "Allowed here: " + match.allow() + ".",
                    request.method().name()));
            return;
        }
        if (!gate.admits(exchange, route.access())) {
            return;
        }
        if (!exchange.target(match, question < 0 ? null : target.substring(question + 1))) {
            leaveBody(exchange);
            exchange.refuse(Problem.of(
                    Code.URI_MALFORMED, "The path has a broken percent-encoding.", target.substring(0, pathEnd)));
            return;
        }
        if (Exchange.readsOnly(request.method()) || request.method().equals(HttpMethod.DELETE)) {
            leaveBody(exchange);
        }
        route.endpoint().handle(exchange);
    }

    private static Routes.@Nullable Route route(Routes.Match match, HttpMethod method) {
        Routes.Route route = match.methods().get(method);
        return route == null && method.equals(HttpMethod.HEAD) ? match.methods().get(HttpMethod.GET) : route;
    }

    /** Returns path and query; a target in absolute form is cut to them. */
    private static String target(HttpServerRequest request) {
        String uri = request.uri();
        if (!uri.isEmpty() && uri.charAt(0) == '/') {
            return uri;
        }
        String path = request.path();
        if (path == null) {
            return "";
        }
        return request.query() == null ? path : path + '?' + request.query();
    }

    /** Nobody reads the body of this request: one without a known end costs the connection. */
    static void leaveBody(Exchange exchange) {
        if (exchange.request().headers().contains(HttpHeaders.TRANSFER_ENCODING)) {
            exchange.closeAfterwards();
        }
    }
}
