package dev.reissue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.KillablePostgres;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Three instances are replaced one by one under load, and no request fails. The callers do what a load balancer does: they ask for
 * readiness every 50 ms and send new requests to ready instances only, go to another connection where an answer says
 * {@code Connection: close}, and try another instance where a connection is refused. They never repeat a request that was sent.
 */
class RollingRestartIT {
    private static final int CALLERS = 32;
    private static final int WANTED_PER_SECOND = Integer.getInteger("rolling.rate", 2_000);
    private static final long STEADY_MS = 2_000;
    private static final String[] SETTINGS = {"shutdown.pauseMs=1000", "log.format=text"};

    private final CopyOnWriteArrayList<ServiceProcess> ready = new CopyOnWriteArrayList<>();
    private final Queue<Long> values = new ConcurrentLinkedQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    @Test
    void case27ARollingRestartUnderLoadFailsNoRequestAndLosesNoNumber() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<ServiceProcess> running = new CopyOnWriteArrayList<>();
        try (KillablePostgres postgres = new KillablePostgres();
                FaultRedis redis = new FaultRedis()) {
            for (int i = 0; i < 3; i++) {
                running.add(ServiceProcess.start(postgres.uri(), redis.uri(), SETTINGS));
            }
            create(running);
            ready.addAll(running);
            Future<?> watch = threads.submit(() -> watch(running));
            List<Future<?>> callers = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(threads.submit(this::call));
            }
            FaultWorld.pause(STEADY_MS);
            for (int i = 0; i < 3; i++) {
                ServiceProcess old = running.get(0);
                running.add(ServiceProcess.start(postgres.uri(), redis.uri(), SETTINGS));
                old.term();
                running.remove(old);
                old.close();
            }
            FaultWorld.pause(STEADY_MS);
            stop.set(true);
            double seconds = (System.nanoTime() - start) / 1e9;
            for (Future<?> caller : callers) {
                caller.get(1, TimeUnit.MINUTES);
            }
            watch.get(1, TimeUnit.MINUTES);
            System.out.printf(
                    "rolling restart of three: %d requests in %.1f s (%.0f/s wanted %d/s), failed %d%n",
                    values.size() + failures.size(),
                    seconds,
                    (values.size() + failures.size()) / seconds,
                    WANTED_PER_SECOND,
                    failures.size());
            for (ServiceProcess p : List.copyOf(running)) {
                p.term();
                p.close();
                running.remove(p);
            }
            assertThat(failures).isEmpty();
            assertThat(new HashSet<>(values)).hasSameSizeAs(values);
            accounts(postgres, redis);
        } finally {
            stop.set(true);
            threads.shutdownNow();
            for (ServiceProcess p : running) {
                p.close();
            }
        }
    }

    private static void create(List<ServiceProcess> running) throws IOException {
        RawHttp.Answer created = running.get(0)
                .send(
                        "POST",
                        "/v1/sequences",
                        new JsonObject().put("name", "rolling").encode());
        assertThat(created.status()).isEqualTo(201);
        Await.until("every instance knows the sequence", Duration.ofSeconds(30), () -> {
            for (ServiceProcess p : running) {
                if (p.send("GET", "/v1/sequences/rolling", "").status() != 200) {
                    return false;
                }
            }
            return true;
        });
    }

    /** Every number that was handed out is in a batch, every other one went back. */
    private void accounts(KillablePostgres postgres, FaultRedis redis) throws Exception {
        try (ServiceProcess last = ServiceProcess.start(postgres.uri(), redis.uri(), SETTINGS)) {
            JsonObject closure = new JsonObject(
                    last.send("GET", "/v1/sequences/rolling/closure", "").body());
            assertThat(closure.getLong("unaccounted")).as(closure.encode()).isZero();
            assertThat(closure.getJsonObject("counts").getLong("leased")).isZero();
            assertThat(closure.getJsonObject("counts").getLong("allocated")).isEqualTo(values.size());
            last.term();
        }
    }

    /** What a load balancer knows of its backends. */
    private void watch(List<ServiceProcess> running) {
        while (!stop.get()) {
            for (ServiceProcess p : running) {
                boolean up;
                try {
                    up = p.management("/health/ready").status() == 200;
                } catch (IOException e) {
                    up = false;
                }
                if (up) {
                    ready.addIfAbsent(p);
                } else {
                    ready.remove(p);
                }
            }
            ready.retainAll(running);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private void call() {
        Map<ServiceProcess, RawHttp> connections = new HashMap<>();
        long periodNanos = TimeUnit.SECONDS.toNanos(1) * CALLERS / WANTED_PER_SECOND;
        long due = System.nanoTime();
        for (int i = (int) Thread.currentThread().getId(); !stop.get(); i++) {
            List<ServiceProcess> backends = List.copyOf(ready);
            Set<ServiceProcess> gone = new HashSet<>(connections.keySet());
            backends.forEach(gone::remove);
            gone.forEach(p -> close(connections.remove(p)));
            if (!backends.isEmpty()) {
                once(backends.get(Math.floorMod(i, backends.size())), connections);
            }
            due = Math.max(due + periodNanos, System.nanoTime() - periodNanos * 4);
            LockSupport.parkNanos(due - System.nanoTime());
        }
        connections.values().forEach(RollingRestartIT::close);
    }

    private void once(ServiceProcess backend, Map<ServiceProcess, RawHttp> connections) {
        RawHttp http = connections.get(backend);
        try {
            if (http == null) {
                http = backend.connect();
                connections.put(backend, http);
            }
        } catch (IOException e) {
            // Refused: nothing was sent. The next one is tried.
            return;
        }
        try {
            RawHttp.Answer answer = http.post("/v1/sequences/rolling/next", "");
            if (http.closing()) {
                close(connections.remove(backend));
            }
            if (answer.status() == 200) {
                values.add(Long.parseLong(new JsonObject(answer.body()).getString("value")));
            } else {
                failures.add(answer.status() + ": " + answer.body());
            }
        } catch (IOException e) {
            close(connections.remove(backend));
            failures.add(e.toString());
        }
    }

    private static void close(RawHttp http) {
        try {
            http.close();
        } catch (IOException e) {
            System.err.println("a connection did not close: " + e);
        }
    }
}
