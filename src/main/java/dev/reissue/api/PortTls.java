package dev.reissue.api;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of one port, which may be replaced while servers listen with it. Connections that are open keep the one they were
 * opened with. Any thread.
 */
public final class PortTls {
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
    private volatile @Nullable ServerSSLOptions current;

    private PortTls(@Nullable ServerSSLOptions first) {
        this.current = first;
    }

    /** A port without TLS. */
    public static PortTls none() {
        return new PortTls(null);
    }

    /** A port with TLS. */
    public static PortTls of(ServerSSLOptions first) {
        return new PortTls(first);
    }

    /** Has a server that is about to listen use the certificate, and HTTP/2 where the caller wants it. */
    public void configure(HttpServerOptions options) {
        ServerSSLOptions tls = current;
        if (tls != null) {
            options.setSsl(true)
                    .setUseAlpn(true)
                    .setKeyCertOptions(tls.getKeyCertOptions())
                    .setTrustOptions(tls.getTrustOptions())
                    .setClientAuth(tls.getClientAuth());
        }
    }

    /** Remembers a server that listens, for later certificates. */
    public void add(HttpServer server) {
        servers.add(server);
    }

    /**
     * Has new connections served with another certificate. Fails, and leaves the old one in use, where it cannot be used.
     *
     * @throws IllegalStateException for a port without TLS
     */
    public Future<Void> replace(ServerSSLOptions next) {
        if (current == null) {
            throw new IllegalStateException("a port without TLS has no certificate to replace");
        }
        List<Future<Boolean>> updates = new ArrayList<>();
        for (HttpServer server : servers) {
            updates.add(server.updateSSLOptions(next.copy()));
        }
        return Future.all(updates).<Void>mapEmpty().onSuccess(done -> current = next);
    }
}
