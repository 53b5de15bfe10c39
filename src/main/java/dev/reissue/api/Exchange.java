package dev.reissue.api;

import dev.reissue.issuance.RequestId;
import dev.reissue.issuance.Settlement;
import dev.reissue.tenant.Caller;
import dev.reissue.tenant.Limit;
import dev.reissue.tenant.Scope;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer. One event loop. It is ended exactly once, by {@link #answer}, {@link #refuse} or {@link #fail}; where
 * the caller is gone, an ending only counts the request as done.
 */
final class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    private static final long NO_ERROR = 0;
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
    private static final CharSequence PROBLEM = HttpHeaders.createOptimized("application/problem+json");
    private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized(RequestId.HEADER);
    private static final CharSequence REPLAYED = HttpHeaders.createOptimized("Idempotency-Replayed");
    private static final CharSequence TRUE = HttpHeaders.createOptimized("true");
    private static final CharSequence RETRY_AFTER = HttpHeaders.createOptimized("Retry-After");

    private final HttpServerRequest request;
    private final Loop loop;
    private final Origin origin;
    private @Nullable String firstVariable;
    private @Nullable String secondVariable;
    private @Nullable String rawQuery;
    private Caller caller = Caller.ANYBODY;
    private Limit limit = Limit.REQUESTS;
    private boolean ended;
    private boolean closeAfterwards;

    Exchange(HttpServerRequest request, Loop loop) {
        this.request = request;
        this.loop = loop;
        this.origin = new Origin(request, loop.spans);
        loop.inFlight.up();
    }

    HttpServerRequest request() {
        return request;
    }

    /** Takes over on whose behalf the request comes, and what it is counted as. */
    void admit(Caller caller, Limit limit) {
        this.caller = caller;
        this.limit = limit;
    }

    Caller caller() {
        return caller;
    }

    /** Returns the tenant whose things the request is about; whatever belongs to others does not exist for it. */
    String tenant() {
        return caller.tenant();
    }

    Limit limit() {
        return limit;
    }

    long nanoTime() {
        return loop.nanoClock.getAsLong();
    }

    /** Counts a request that is refused because of a limit. */
    void limited(Limit by) {
        loop.meter.limited(by);
    }

    /** Returns the event loop's JSON text, empty. What is written must be sent before any other request gets its turn. */
    JsonOut json() {
        return loop.json.reset();
    }

    /** Returns the name of this request. */
    String requestId() {
        return origin.requestId();
    }

    /** Returns who settles numbers by this request, for the history and the rules. */
    Settlement.Caller settler() {
        return origin.settler(caller.scopes().has(Scope.OPERATE));
    }

    /**
     * Takes over what the target says.
     *
     * @return false if a variable of the path has a broken encoding
     */
    boolean target(Routes.Match match, @Nullable String rawQuery) {
        this.rawQuery = rawQuery;
        origin.route(match.template());
        this.firstVariable = match.first() == null ? null : PercentCodec.decode(match.first(), false);
        this.secondVariable = match.second() == null ? null : PercentCodec.decode(match.second(), false);
        return (firstVariable == null) == (match.first() == null)
                && (secondVariable == null) == (match.second() == null);
    }

    /** Returns what stands behind the question mark, null where nothing does. */
    @Nullable
    String rawQuery() {
        return rawQuery;
    }

    /** Returns the idempotency key as it was sent, null where there is none; more than one count as one that is not valid. */
    @Nullable
    String idempotencyKey() {
        return RequestKeys.sent(request.headers());
    }

    /** Marks the answer as one that was given before. */
    void markReplayed() {
        request.response().putHeader(REPLAYED, TRUE);
    }

    /** Reads the query; null where it was refused, and so the request answered. */
    @Nullable
    Query query(Set<String> known) {
        return Query.parse(rawQuery, known, Code.PARAMETER_INVALID).orRefuse(this);
    }

    /** Returns the path's first variable, decoded. */
    String name() {
        return present(firstVariable);
    }

    /** Returns the path's second variable, decoded. */
    String number() {
        return present(secondVariable);
    }

    /** Answers 200 with JSON. */
    void answer(JsonOut body) {
        answer(200, body);
    }

    /** Answers with JSON. */
    void answer(int status, JsonOut body) {
        HttpServerResponse response = open();
        if (response != null) {
            if (origin.givenId() != null) {
                response.putHeader(REQUEST_ID, origin.givenId());
            }
            send(response, status, JSON, body.toBuffer());
        }
    }

    /** Answers with JSON that was written before. */
    void answer(int status, String json) {
        answer(status, json().raw(json.getBytes(StandardCharsets.UTF_8)));
    }

    /** Answers with something that is not JSON. */
    void answer(CharSequence contentType, Buffer body) {
        HttpServerResponse response = open();
        if (response != null) {
            send(response, 200, contentType, body);
        }
    }

    /** Ends the connection (HTTP/2: the stream) once the answer is sent, since the rest of the request is not wanted. */
    void closeAfterwards() {
        closeAfterwards = true;
    }

    /** Answers with a problem. */
    void refuse(Problem problem) {
        loop.meter.refused(problem.code());
        HttpServerResponse response = open();
        if (response == null) {
            return;
        }
        JsonOut json = json();
        problem.write(json, requestId());
        response.putHeader(REQUEST_ID, requestId());
        if (problem.retryAfterSeconds() > 0) {
            response.putHeader(RETRY_AFTER, Integer.toString(problem.retryAfterSeconds()));
        }
        send(response, problem.code().status(), PROBLEM, json.toBuffer());
    }

    /** Answers with what is known about a fault; the caller never sees its inside. */
    void fail(Throwable fault) {
        Code code = Code.of(fault, !readsOnly(request.method()));
        if (code == Code.INTERNAL && loop.mayLogFault()) {
            origin.tell(LOG.atError())
                    .addKeyValue("method", request.method())
                    .setCause(fault)
                    .log("a request failed");
        } else {
            origin.tell(LOG.atDebug()).setCause(fault).log("a request failed");
        }
        refuse(Problem.of(code, code.title() + "."));
    }

    /**
     * Goes on with the result of a use case, on this event loop; a fault, in the future or in {@code then}, becomes the answer.
     */
    <T> void on(Future<T> future, Consumer<T> then) {
        if (future.isComplete()) {
            goOn(future, then);
        } else {
            future.onComplete(result -> loop.run(() -> goOn(result, then)));
        }
    }

    /** Ends without an answer: the caller is gone, or what it sends cannot be read. */
    void abort() {
        if (!ended) {
            ended = true;
            loop.inFlight.down();
            origin.ended(Origin.UNANSWERED);
            if (request.version() != HttpVersion.HTTP_2) {
                request.connection().close();
            }
        }
    }

    private void send(HttpServerResponse response, int status, CharSequence contentType, Buffer body) {
        boolean http1 = request.version() != HttpVersion.HTTP_2;
        boolean leaving = loop.drain.phase() != Drain.Phase.SERVING;
        if (http1 && (closeAfterwards || leaving)) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        } else if (leaving) {
            loop.sendAway(request.connection());
        }
        response.putHeader(HttpHeaders.CONTENT_TYPE, contentType);
        Future<Void> sent = response.setStatusCode(status).end(body);
        origin.ended(status);
        if (closeAfterwards) {
            // Over HTTP/2 only this stream ends: the connection has others.
            sent.onComplete(done -> {
                if (http1) {
                    request.connection().close();
                } else {
                    response.reset(NO_ERROR);
                }
            });
        }
    }

    /** Counts the request as done and returns its response, null if the caller is gone. */
    private @Nullable HttpServerResponse open() {
        if (ended) {
            return null;
        }
        ended = true;
        loop.inFlight.down();
        HttpServerResponse response = request.response();
        if (response.closed() || response.ended()) {
            origin.ended(Origin.UNANSWERED);
            return null;
        }
        return response;
    }

    private <T> void goOn(AsyncResult<T> result, Consumer<T> then) {
        if (result.failed()) {
            fail(result.cause());
            return;
        }
        try {
            then.accept(result.result());
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** Tells whether a method changes nothing. */
    static boolean readsOnly(HttpMethod method) {
        return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }

    private static String present(@Nullable String variable) {
        if (variable == null) {
            throw new IllegalStateException("the route has no such variable");
        }
        return variable;
    }
}
