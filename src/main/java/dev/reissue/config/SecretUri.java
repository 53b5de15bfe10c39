package dev.reissue.config;

/**
 * The URI of a server, which may hold a password: printing it shows everything but that. Immutable, any thread.
 */
public final class SecretUri {
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

    /** Returns the URI with stars for the password. */
    @Override
    public String toString() {
        return redact(uri);
    }

    private static String redact(String uri) {
        return uri.replaceAll("(://[^:/@]*):.*@", "$1:***@")
                .replaceAll("(?i)([?&][^=&]*(?:password|auth)[^=&]*=)[^&]*", "$1***");
    }
}
