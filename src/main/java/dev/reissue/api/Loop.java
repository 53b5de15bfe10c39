package dev.reissue.api;

import io.vertx.core.Context;
import io.vertx.core.http.HttpConnection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What the requests of one event loop share. Confined to it. */
final class Loop {
    private static final long NO_ERROR = 0;
    private static final long FAULT_LOG_EVERY_NANOS = 1_000_000_000L;

    final JsonOut json = new JsonOut();
    final Drain drain;
    final Drain.Counter inFlight;
    final ApiMeter meter;
    /** Null where nothing is recorded. */
    final @Nullable RequestSpans spans;

    final LongSupplier nanoClock;
    private final Context context;
    private final Thread thread = Thread.currentThread();
    /** HTTP/2 connections that were asked to end; the process ends soon, so none is taken out again. */
    private final Set<HttpConnection> sentAway = Collections.newSetFromMap(new IdentityHashMap<>());

    private long nextFaultLogNanos;

    /** Creates the shared part of the event loop that is running now. */
    Loop(Context context, Drain drain, ApiMeter meter, @Nullable RequestSpans spans, LongSupplier nanoClock) {
        this.context = context;
        this.drain = drain;
        this.inFlight = drain.counter();
        this.meter = meter;
        this.spans = spans;
        this.nanoClock = nanoClock;
        this.nextFaultLogNanos = nanoClock.getAsLong();
    }

    /** Runs a task on this event loop, at once if this is it: a use case may complete its futures on another one. */
    void run(Runnable task) {
        if (Thread.currentThread() == thread) {
            task.run();
        } else {
            context.runOnContext(nothing -> task.run());
        }
    }

    /** Asks the caller on an HTTP/2 connection to open no further stream on it; those it has opened are answered. */
    void sendAway(HttpConnection connection) {
        if (sentAway.add(connection)) {
            connection.goAway(NO_ERROR, Integer.MAX_VALUE);
        }
    }

    /** Tells whether a fault may be logged now: one a second, or a broken database would fill the disk. */
    boolean mayLogFault() {
        long now = nanoClock.getAsLong();
        if (now - nextFaultLogNanos < 0) {
            return false;
        }
        nextFaultLogNanos = now + FAULT_LOG_EVERY_NANOS;
        return true;
    }
}
