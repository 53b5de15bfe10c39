package dev.reissue.system;

import dev.reissue.support.RawHttp;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Callers on connections of their own that take numbers until enough were answered, and reconnect where a server was killed. The
 * history tells answered numbers from requests whose outcome is unknown.
 */
final class Callers {
    final ConcurrentLinkedQueue<Long> values = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<String> tickets = new ConcurrentLinkedQueue<>();
    final Map<String, Integer> refusals = new ConcurrentHashMap<>();
    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger unknown = new AtomicInteger();
    private final AtomicLong wanted;
    private final String path;
    private final long deadlineNanos;

    Callers(String sequence, int numbers, long deadlineMs) {
        this.path = "/v1/sequences/" + sequence + "/next";
        this.wanted = new AtomicLong(numbers);
        this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMs);
    }

    /** Runs callers, each against the port that its supplier gives, and waits for all of them. */
    void run(List<IntSupplier> ports) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(ports.size());
        try {
            List<Callable<Void>> calls = new ArrayList<>();
            for (IntSupplier port : ports) {
                calls.add(() -> call(port));
            }
            for (Future<Void> done : threads.invokeAll(calls)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
        if (wanted.get() > 0) {
            throw new AssertionError(wanted.get() + " numbers were still wanted at the deadline");
        }
    }

    private Void call(IntSupplier port) {
        while (wanted.get() > 0 && System.nanoTime() - deadlineNanos < 0) {
            boolean sent = false;
            try (RawHttp http = new RawHttp("127.0.0.1", port.getAsInt())) {
                while (System.nanoTime() - deadlineNanos < 0 && wanted.getAndDecrement() > 0) {
                    sent = true;
                    RawHttp.Answer answer = http.post(path, "");
                    sent = false;
                    if (answer.status() == 200) {
                        JsonObject json = new JsonObject(answer.body());
                        values.add(Long.parseLong(json.getString("value")));
                        tickets.add(json.getString("ticket"));
                    } else if (answer.status() == 503) {
                        refused.incrementAndGet();
                        refusals.merge(new JsonObject(answer.body()).getString("code"), 1, Integer::sum);
                        wanted.incrementAndGet();
                    } else {
                        throw new AssertionError(answer.status() + ": " + answer.body());
                    }
                }
            } catch (IOException e) {
                if (sent) {
                    unknown.incrementAndGet();
                    wanted.incrementAndGet();
                }
                // The server is gone: leave it the processor to come back on.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
        return null;
    }
}
