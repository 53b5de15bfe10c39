package dev.reissue.config;

import java.util.ArrayList;
import java.util.List;

/** The settings of TLS on the two ports. TLS to PostgreSQL and Redis is told by their URIs. */
final class TlsKeys {
    private static final List<Key<?>> DECLARED = new ArrayList<>();

    static final Key<String> HTTP_CERT = add(
            Key.optionalText(
                    "http.tlsCertFile",
                    "PEM file of the API's certificate and those between it and its root. With it and http.tlsKeyFile the API speaks TLS only."));
    static final Key<String> HTTP_KEY = add(Key.optionalText(
            "http.tlsKeyFile", "PEM file of that certificate's private key, PKCS#8 without a password."));
    static final Key<String> HTTP_CLIENT_CA = add(
            Key.optionalText(
                    "http.tlsClientCaFile",
                    "PEM file of the authorities that sign callers' certificates; with it a caller without such a certificate is not heard."));
    static final Key<String> MANAGEMENT_CERT = add(Key.optionalText(
            "management.tlsCertFile",
            "PEM file of the certificate of the management port, which then speaks TLS only."));
    static final Key<String> MANAGEMENT_KEY = add(Key.optionalText(
            "management.tlsKeyFile", "PEM file of that certificate's private key, PKCS#8 without a password."));
    static final Key<Long> RELOAD = add(Key.millis(
            "tls.reloadMs",
            10_000,
            100,
            86_400_000,
            "How often those files are looked at; what is new serves new connections, without a restart."));

    static final List<Key<?>> ALL = List.copyOf(DECLARED);

    private TlsKeys() {}

    private static <T> Key<T> add(Key<T> key) {
        DECLARED.add(key);
        return key;
    }
}
