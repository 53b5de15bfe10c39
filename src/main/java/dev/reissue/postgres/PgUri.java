package dev.reissue.postgres;

import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code postgresql://} URIs, with TLS as PostgreSQL's own clients have it: {@code sslmode}, and in {@code sslrootcert} a file
 * with the certificates that are trusted; without one the JVM's are.
 */
final class PgUri {
    private static final Pattern ROOT_CERT = Pattern.compile("(?<=[?&])sslrootcert=([^&]*)&?");
    private static final String VERIFY_NAME = "HTTPS";
    private static final String VERIFY_NO_NAME = "";

    private PgUri() {}

    static PgConnectOptions parse(String uri) {
        String file = rootCertificate(uri);
        PgConnectOptions options =
                PgConnectOptions.fromUri(ROOT_CERT.matcher(uri).replaceAll("").replaceAll("[?&]$", ""));
        if (file != null && options.getSslMode() == SslMode.REQUIRE) {
            options.setSslMode(SslMode.VERIFY_CA);
        }
        return options.setSslOptions(tls(options.getSslMode(), file));
    }

    /** Returns the file with the certificates that are trusted, null where none is named. */
    static @Nullable String rootCertificate(String uri) {
        Matcher matcher = ROOT_CERT.matcher(uri);
        return matcher.find() ? URLDecoder.decode(matcher.group(1), StandardCharsets.UTF_8) : null;
    }

    private static ClientSSLOptions tls(SslMode mode, @Nullable String file) {
        ClientSSLOptions tls = new ClientSSLOptions().setHostnameVerificationAlgorithm(VERIFY_NO_NAME);
        return switch (mode) {
            case DISABLE, ALLOW, PREFER, REQUIRE -> tls.setTrustAll(true);
            case VERIFY_CA -> tls.setTrustOptions(trust(file));
            case VERIFY_FULL -> tls.setTrustOptions(trust(file)).setHostnameVerificationAlgorithm(VERIFY_NAME);
        };
    }

    private static TrustOptions trust(@Nullable String file) {
        if (file != null) {
            return new PemTrustOptions().addCertPath(file);
        }
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            return TrustOptions.wrap(factory.getTrustManagers()[0]);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JVM has no certificates that it trusts", e);
        }
    }
}
