package dev.reissue.redis;

import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pipelined connection to Redis that nobody ever waits for long: each command has a deadline, the number of commands under way
 * is bounded, and after a failure nothing is tried for a short while. It connects again by itself. Any thread.
 *
 * <p>A command that got no answer in time cuts the connection, and with it everything else that was under way: behind a server
 * that is stuck nothing else would be answered either. The outcome of those is unknown.
 */
public final class RedisClient {
    private static final Logger LOG = LoggerFactory.getLogger(RedisClient.class);

    /** How the client reports a connection that ended, as if the server had answered with an error. */
    private static final String CONNECTION_CLOSED = "CONNECTION_CLOSED";

    /** How a server answers that has become a replica. */
    private static final String DEMOTED = "READONLY";

    /** Refusals that end without anybody changing the command. */
    private static final Set<String> PASSING =
            Set.of(DEMOTED, "LOADING", "OOM", "BUSY", "MISCONF", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS");

    private final Vertx vertx;
    private final RedisOptions options;
    private final Settings settings;
    private final LongSupplier nanoClock;
    private final AtomicInteger underWay = new AtomicInteger();

    private @Nullable Link link;
    private long closedUntilNanos;
    private boolean failing;
    private boolean closed;

    /**
     * How Redis is called.
     *
     * @param uri a {@code redis://} or {@code rediss://} URI
     * @param deadlineMs how long a command may take, connecting included
     * @param pauseMs for how long nothing is tried after a failure
     * @param underWayMax how many commands may be under way
     * @param resp3 whether to ask the server for the newer protocol; some servers and proxies refuse
     */
    public record Settings(String uri, long deadlineMs, long pauseMs, int underWayMax, boolean resp3) {
        /** Checks the values. */
        public Settings {
            if (deadlineMs < 1 || pauseMs < 0 || underWayMax < 1) {
                throw new IllegalArgumentException("no way to call Redis: deadlineMs " + deadlineMs + ", pauseMs "
                        + pauseMs + ", underWayMax " + underWayMax);
            }
        }

        /** Returns the defaults: 100 ms, a pause of 1 s, 1,000 commands, the older protocol. */
        public static Settings of(String uri) {
            return new Settings(uri, 100, 1_000, 1_000, false);
        }

        /** Leaves out the URI, which may hold a password. */
        @Override
        public String toString() {
            return "deadlineMs " + deadlineMs + ", pauseMs " + pauseMs + ", underWayMax " + underWayMax + ", resp3 "
                    + resp3;
        }
    }

    /** Creates a client that connects at the first command. */
    public RedisClient(Vertx vertx, Settings settings, LongSupplier nanoClock) {
        this.vertx = vertx;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.closedUntilNanos = nanoClock.getAsLong();
        this.options = new RedisOptions()
                .setConnectionString(RedisTls.withoutFile(settings.uri))
                .setProtocolNegotiation(settings.resp3)
                .setMaxWaitingHandlers(settings.underWayMax + 1)
                .setMaxPoolSize(1)
                .setMaxPoolWaiting(1)
                .setNetClientOptions(RedisTls.options(settings.uri)
                        .setConnectTimeout((int) settings.deadlineMs)
                        .setTcpNoDelay(true));
    }

    /**
     * Sends a command. The future fails with a {@link StoreException} only: {@link Kind#UNAVAILABLE} where nothing was sent,
     * {@link Kind#REFUSED} where Redis answered with an error, {@link Kind#UNKNOWN} where no answer came.
     *
     * @return the answer, null for nil
     */
    public Future<@Nullable Response> send(Request request) {
        if (underWay.incrementAndGet() > settings.underWayMax) {
            underWay.decrementAndGet();
            return Future.failedFuture(
                    new StoreException(Kind.UNAVAILABLE, "too many commands to Redis are under way"));
        }
        return within(request).onComplete(done -> underWay.decrementAndGet());
    }

    /** Tells whether Redis is being tried at the moment, as opposed to left alone after a failure. */
    public synchronized boolean available() {
        return !closed && nanoClock.getAsLong() - closedUntilNanos >= 0;
    }

    /** Tells whether Redis answered when it was last asked; true before it was asked at all. */
    public synchronized boolean answers() {
        return !failing;
    }

    /** Closes the connection. */
    public Future<Void> close() {
        Link last;
        synchronized (this) {
            closed = true;
            last = link;
            link = null;
        }
        return last == null ? Future.succeededFuture() : last.pool.close();
    }

    private Future<@Nullable Response> within(Request request) {
        Link used = connect();
        if (used == null) {
            return Future.failedFuture(new StoreException(Kind.UNAVAILABLE, "Redis is left alone after a failure"));
        }
        Promise<@Nullable Response> answer = Promise.promise();
        long timer = vertx.setTimer(settings.deadlineMs, x -> late(used, answer));
        used.connection.onComplete(done -> {
            if (done.failed()) {
                broken(used, done.cause());
                answer.tryFail(new StoreException(
                        Kind.UNAVAILABLE,
                        "no connection to Redis: " + done.cause().getMessage(),
                        done.cause()));
            } else if (!answer.future().isComplete()) {
                done.result().send(request).onComplete(sent -> {
                    if (sent.succeeded()) {
                        answered();
                        answer.tryComplete(sent.result());
                    } else {
                        answer.tryFail(failed(used, sent.cause()));
                    }
                });
            }
        });
        return answer.future().onComplete(done -> vertx.cancelTimer(timer));
    }

    /** Cuts first and tells then, so that whoever is told and tries again does not meet the same connection. */
    private void late(Link used, Promise<@Nullable Response> answer) {
        if (answer.future().isComplete()) {
            return;
        }
        Kind kind = used.connection.succeeded() ? Kind.UNKNOWN : Kind.UNAVAILABLE;
        StoreException e = new StoreException(kind, "no answer from Redis within " + settings.deadlineMs + " ms");
        broken(used, e);
        answer.tryFail(e);
    }

    private synchronized @Nullable Link connect() {
        if (!available()) {
            return null;
        }
        if (link == null) {
            Redis pool = Redis.createClient(vertx, options);
            Link made = new Link(pool, pool.connect());
            made.connection.onSuccess(c -> {
                c.exceptionHandler(e -> broken(made, e));
                c.endHandler(x -> forget(made));
            });
            link = made;
        }
        return link;
    }

    private StoreException failed(Link used, Throwable e) {
        if (e instanceof ErrorType error && !error.is(CONNECTION_CLOSED)) {
            if (error.is(DEMOTED)) {
                // The name may lead to the new master by now, this connection never will.
                broken(used, e);
            }
            boolean passing = PASSING.stream().anyMatch(error::is);
            return new StoreException(Kind.REFUSED, passing, "Redis refused a command: " + e.getMessage(), e);
        }
        broken(used, e);
        return new StoreException(Kind.UNKNOWN, "no answer from Redis: " + e.getMessage(), e);
    }

    private void answered() {
        synchronized (this) {
            if (!failing) {
                return;
            }
            failing = false;
        }
        LOG.info("Redis answers again");
    }

    /** Cuts a connection, unless that was done before, and leaves Redis alone for a while. */
    private void broken(Link used, Throwable e) {
        boolean first;
        synchronized (this) {
            if (!used.equals(link)) {
                return;
            }
            link = null;
            closedUntilNanos = nanoClock.getAsLong() + settings.pauseMs * 1_000_000;
            first = !failing && !closed;
            failing = true;
        }
        if (first) {
            LOG.atWarn().addKeyValue("why", e.getMessage()).log("Redis does not answer, will go on without it");
        }
        used.pool.close();
    }

    private void forget(Link used) {
        synchronized (this) {
            if (!used.equals(link)) {
                return;
            }
            link = null;
        }
        used.pool.close();
    }

    /**
     * A connection with a pool of its own: closing a connection only gives it back to its pool, so to cut one the pool has to be
     * closed.
     */
    private record Link(Redis pool, Future<RedisConnection> connection) {}
}
