package dev.reissue.config;

import java.util.Optional;

/**
 * The URI of a server, which may hold a password: printing it shows everything but that. Immutable, any thread.
 */
public final class SecretUri {
    /** No server at all. */
    static final SecretUri NONE = new SecretUri("none");

    private final String uri;

    SecretUri(String uri) {
        this.uri = uri;
    }

    /** Returns the whole URI, for connecting only: it must not get into a log or a message. */
    public String reveal() {
        return uri;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SecretUri that && uri.equals(that.uri);
    }

    @Override
    public int hashCode() {
        return uri.hashCode();
    }

    /** Returns the URI, nothing where there is no server. */
    public Optional<String> revealIfGiven() {
        return equals(NONE) ? Optional.empty() : Optional.of(uri);
    }

    /** Returns the URI with stars for the password, and for all that follows the host of a web address: tokens stand there. */
    @Override
    public String toString() {
        return redact(uri);
    }

    private static String redact(String uri) {
        if (uri.startsWith("http")) {
            return uri.replaceAll("://([^/?#]*@)?([^/?#]*).*", "://$2/***");
        }
        return uri.replaceAll("(://[^:/@]*):.*@", "$1:***@")
                .replaceAll("(?i)([?&][^=&]*(?:password|auth)[^=&]*=)[^&]*", "$1***");
    }
}
