package dev.reissue.api;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** {@code GET /openapi.yaml}: the description of this interface, read once. Any event loop. */
final class OpenApiEndpoint implements Endpoint {
    private static final String RESOURCE = "/openapi.yaml";
    private static final CharSequence YAML = HttpHeaders.createOptimized("application/yaml");

    private final byte[] description = load();

    @Override
    public void handle(Exchange exchange) {
        exchange.answer(YAML, Buffer.buffer(description));
    }

    private static byte[] load() {
        try (InputStream in = OpenApiEndpoint.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its resource " + RESOURCE);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + RESOURCE, e);
        }
    }
}
