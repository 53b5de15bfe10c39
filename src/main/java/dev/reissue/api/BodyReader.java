package dev.reissue.api;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects the bodies of one event loop's requests, each up to a limit and a deadline. Memory grows with what has arrived, not
 * with what a header announces. One timer looks after all bodies under way: they expire in the order in which they began.
 */
final class BodyReader {
    private static final byte[] EMPTY = {};
    private static final int FIRST_BYTES = 512;
    private static final long SWEEP_EVERY_MS = 250;

    private final int limitBytes;
    private final long deadlineNanos;
    private final Loop loop;
    private final LinkedHashSet<Body> underWay = new LinkedHashSet<>();

    BodyReader(HttpSettings settings, Loop loop) {
        this.limitBytes = settings.bodyLimitBytes();
        this.deadlineNanos = TimeUnit.MILLISECONDS.toNanos(settings.bodyDeadlineMs());
        this.loop = loop;
    }

    /** Begins to watch the deadlines. */
    BodyReader watch(Vertx vertx) {
        vertx.setPeriodic(SWEEP_EVERY_MS, id -> sweep(loop.nanoClock.getAsLong()));
        return this;
    }

    /** Goes on with the whole body, empty where there is none; a body that cannot be had is answered here. */
    void read(Exchange exchange, Consumer<byte[]> then) {
        HttpServerRequest request = exchange.request();
        String announced = request.headers().get(HttpHeaders.CONTENT_LENGTH);
        if (announced != null && tooLong(announced)) {
            exchange.closeAfterwards();
            exchange.refuse(tooLarge());
            return;
        }
        boolean none = request.version() != HttpVersion.HTTP_2
                && (announced == null
                        ? !request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                        : announced.equals("0"));
        if (none) {
            then.accept(EMPTY);
            return;
        }
        if (request.headers().contains(HttpHeaders.EXPECT, HttpHeaders.CONTINUE, true)) {
            request.response().writeContinue();
        }
        Body body = new Body(exchange, then, loop.nanoClock.getAsLong() + deadlineNanos);
        underWay.add(body);
        request.exceptionHandler(e -> body.lost()).handler(body::add).endHandler(end -> body.whole());
    }

    /** Goes on with the fields of a body that has to be an object, of a request that takes no query. */
    void readFields(Exchange exchange, Consumer<Map<String, @Nullable Object>> then) {
        read(exchange, body -> {
            if (exchange.query(Set.of()) != null) {
                Map<String, @Nullable Object> fields = Json.map(body).orRefuse(exchange);
                if (fields != null) {
                    then.accept(fields);
                }
            }
        });
    }

    void sweep(long nowNanos) {
        Iterator<Body> oldest = underWay.iterator();
        while (oldest.hasNext()) {
            Body body = oldest.next();
            if (nowNanos - body.deadline < 0) {
                return;
            }
            oldest.remove();
            body.late();
        }
    }

    private boolean tooLong(String announced) {
        long length = Query.wholeNumber(announced);
        return length < 0 || length > limitBytes;
    }

    private Problem tooLarge() {
        return Problem.of(Code.BODY_TOO_LARGE, "The limit is " + limitBytes + " bytes.");
    }

    private static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return true;
        }
        int semicolon = contentType.indexOf(';');
        String type = (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
                .strip()
                .toLowerCase(Locale.ROOT);
        return type.equals("application/json") || (type.startsWith("application/") && type.endsWith("+json"));
    }

    /** One body under way. */
    private final class Body {
        private final Exchange exchange;
        private final Consumer<byte[]> then;
        private final long deadline;
        private byte[] bytes = EMPTY;
        private int size;
        private boolean done;

        Body(Exchange exchange, Consumer<byte[]> then, long deadline) {
            this.exchange = exchange;
            this.then = then;
            this.deadline = deadline;
        }

        void add(Buffer chunk) {
            if (done) {
                return;
            }
            int more = chunk.length();
            if (more > limitBytes - size) {
                end();
                exchange.closeAfterwards();
                exchange.refuse(tooLarge());
                return;
            }
            if (size + more > bytes.length) {
                bytes = Arrays.copyOf(
                        bytes, Math.max(size + more, Math.min(limitBytes, Math.max(FIRST_BYTES, 2 * size))));
            }
            chunk.getBytes(bytes, size);
            size += more;
        }

        void whole() {
            if (done) {
                return;
            }
            end();
            String contentType = exchange.request().headers().get(HttpHeaders.CONTENT_TYPE);
            if (size > 0 && !isJson(contentType)) {
                exchange.refuse(Problem.of(
                        Code.UNSUPPORTED_MEDIA_TYPE, "Send application/json, or no Content-Type at all.", contentType));
                return;
            }
            try {
                then.accept(size == bytes.length ? bytes : Arrays.copyOf(bytes, size));
            } catch (RuntimeException e) {
                exchange.fail(e);
            }
        }

        void late() {
            done = true;
            exchange.closeAfterwards();
            exchange.refuse(Problem.of(Code.BODY_TIMEOUT, "The body was not complete when its time was over."));
        }

        void lost() {
            if (!done) {
                end();
                exchange.abort();
            }
        }

        private void end() {
            done = true;
            underWay.remove(this);
        }
    }
}
