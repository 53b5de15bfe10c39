package dev.reissue.bench.http;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import java.util.concurrent.TimeUnit;

/** The other side of the comparison: Vert.x as it is, which answers every request with the same bytes. A process of its own. */
public final class BareServer {
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

    private BareServer() {}

    /** Serves until the process is ended. Arguments: the port, and the length of the body. */
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        Buffer body = body(Integer.parseInt(args[1]));
        Vertx vertx =
                Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
        HttpServerOptions options =
                new HttpServerOptions().setHost("127.0.0.1").setPort(port).setTcpNoDelay(true);
        vertx.createHttpServer(options)
                .requestHandler(request -> request.response()
                        .putHeader(HttpHeaders.CONTENT_TYPE, JSON)
                        .end(body))
                .listen()
                .await(10, TimeUnit.SECONDS);
    }

    private static Buffer body(int length) {
        String frame = "{\"answer\":\"\"}";
        return Buffer.buffer("{\"answer\":\"" + "x".repeat(Math.max(0, length - frame.length())) + "\"}");
    }
}
