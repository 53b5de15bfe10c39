package dev.reissue.api;

import io.vertx.core.http.HttpServerOptions;
import java.util.concurrent.TimeUnit;

/**
 * How the public port listens and what it bears. Immutable, any thread.
 *
 * @param host the address to listen on
 * @param port the port, 0 for any free one
 * @param bodyLimitBytes the largest body; the default holds 1,000 items with tickets
 * @param bodyDeadlineMs how long a body may take to arrive
 * @param idleTimeoutMs after how long without traffic a connection is closed
 * @param headerLimitBytes the largest headers of a request
 * @param maxConnections connections an event loop; what comes above it is closed at once
 * @param clearTextHttp2 whether HTTP/2 is spoken without TLS too; a connection then counts from its first request only
 */
public record HttpSettings(
        String host,
        int port,
        int bodyLimitBytes,
        long bodyDeadlineMs,
        int idleTimeoutMs,
        int headerLimitBytes,
        int maxConnections,
        boolean clearTextHttp2) {
    /** The settings of a service that nobody has set anything for. */
    public static final HttpSettings DEFAULT =
            new HttpSettings("127.0.0.1", 8080, 256 * 1024, 10_000, 60_000, 8192, 10_000, true);

    private static final int LONGEST_REQUEST_LINE = 4096;
    private static final int ACCEPT_BACKLOG = 1024;

    /** Checks the settings. */
    public HttpSettings {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port is not in 0..65535: " + port);
        }
        positive("bodyLimitBytes", bodyLimitBytes);
        positive("bodyDeadlineMs", bodyDeadlineMs);
        positive("idleTimeoutMs", idleTimeoutMs);
        positive("headerLimitBytes", headerLimitBytes);
        positive("maxConnections", maxConnections);
    }

    /** Returns these settings with another address. */
    public HttpSettings at(String otherHost, int otherPort) {
        return new HttpSettings(
                otherHost,
                otherPort,
                bodyLimitBytes,
                bodyDeadlineMs,
                idleTimeoutMs,
                headerLimitBytes,
                maxConnections,
                clearTextHttp2);
    }

    HttpServerOptions toOptions() {
        return new HttpServerOptions()
                .setHost(host)
                .setPort(port)
                .setIdleTimeout(idleTimeoutMs)
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setMaxHeaderSize(headerLimitBytes)
                .setMaxInitialLineLength(LONGEST_REQUEST_LINE)
                .setHttp2ClearTextEnabled(clearTextHttp2)
                .setDecompressionSupported(false)
                .setCompressionSupported(false)
                .setTcpNoDelay(true)
                .setAcceptBacklog(ACCEPT_BACKLOG);
    }

    private static void positive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " is not positive: " + value);
        }
    }
}
