package dev.reissue.postgres;

import io.vertx.pgclient.PgConnectOptions;

/** Reads {@code postgresql://} URIs. */
final class PgUri {
    private PgUri() {}

    static PgConnectOptions parse(String uri) {
        return PgConnectOptions.fromUri(uri);
    }
}
