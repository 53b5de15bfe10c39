package dev.reissue.app;

import dev.reissue.api.PortTls;
import dev.reissue.config.Config;
import dev.reissue.metrics.Metrics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the files of a port's certificate now and then and has the port use what is new. Files that cannot be used, or do not
 * belong together, change nothing: they are looked at again. The reading is off the event loops; any thread.
 */
final class CertificateWatch {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

    private final Vertx vertx;
    private final String port;
    private final Config.Tls settings;
    private final PortTls tls;
    private volatile CertificateFiles used;
    private volatile String toldFault = "";

    private CertificateWatch(Vertx vertx, String port, Config.Tls settings, CertificateFiles first) {
        this.vertx = vertx;
        this.port = port;
        this.settings = settings;
        this.used = first;
        this.tls = PortTls.of(first.toOptions());
    }

    /**
     * Reads the files and looks at them from now on. Blocks.
     *
     * @param port the port's name, for the log
     * @throws StartException where the files cannot be used
     */
    static CertificateWatch start(Vertx vertx, String port, Config.Tls settings) {
        try {
            CertificateWatch watch =
                    new CertificateWatch(vertx, port, settings, CertificateFiles.read(vertx, settings));
            vertx.setPeriodic(settings.reloadMs(), id -> watch.look());
            return watch;
        } catch (IOException e) {
            throw new StartException("cannot use " + port + ".tls: " + e, e);
        }
    }

    /** Returns the certificate of a port, watched and shown as a meter; none where its settings name no files. */
    static PortTls portTls(Vertx vertx, String port, Config.Tls settings, Metrics metrics) {
        if (!settings.enabled()) {
            return PortTls.none();
        }
        CertificateWatch watch = start(vertx, port, settings);
        metrics.watchCertificate(port, watch::notAfter);
        return watch.tls;
    }

    PortTls tls() {
        return tls;
    }

    /** Returns when the certificate in use ends. */
    Instant notAfter() {
        return used.notAfter();
    }

    /** Looks once; ends when what is new is in use. Never fails. */
    Future<Void> look() {
        return vertx.executeBlocking(() -> CertificateFiles.read(vertx, settings))
                .compose(this::use)
                .recover(fault -> {
                    tell(fault);
                    return Future.succeededFuture();
                });
    }

    private Future<Void> use(CertificateFiles read) {
        if (read.same(used)) {
            toldFault = "";
            return Future.succeededFuture();
        }
        return tls.replace(read.toOptions()).onSuccess(done -> {
            used = read;
            toldFault = "";
            LOG.atInfo()
                    .addKeyValue("port", port)
                    .addKeyValue("notAfter", read.notAfter())
                    .log("a new certificate is in use");
        });
    }

    private void tell(Throwable fault) {
        String message = String.valueOf(fault.getMessage());
        if (!message.equals(toldFault)) {
            toldFault = message;
            LOG.atWarn()
                    .addKeyValue("port", port)
                    .addKeyValue("reason", message)
                    .log("the certificate's files cannot be used; the one in use stays");
        }
    }
}
