package dev.reissue.redis;

import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * TLS to Redis: a {@code rediss://} URI has the server prove its name, by a certificate that the JVM trusts or one of those in the file
 * that the parameter {@code sslrootcert} names.
 */
final class RedisTls {
    private static final Pattern ROOT_CERT = Pattern.compile("(?<=[?&])sslrootcert=([^&]*)&?");

    private RedisTls() {}

    static NetClientOptions options(String uri) {
        NetClientOptions options = new NetClientOptions();
        if (uri.startsWith("rediss://")) {
            options.setSsl(true).setHostnameVerificationAlgorithm("HTTPS");
            Matcher file = ROOT_CERT.matcher(uri);
            if (file.find()) {
                options.setTrustOptions(
                        new PemTrustOptions().addCertPath(URLDecoder.decode(file.group(1), StandardCharsets.UTF_8)));
            }
        }
        return options;
    }

    /** Returns the URI without the parameter that the client does not know. */
    static String withoutFile(String uri) {
        return ROOT_CERT.matcher(uri).replaceAll("").replaceAll("[?&]$", "");
    }
}
