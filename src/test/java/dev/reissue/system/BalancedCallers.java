package dev.reissue.system;

import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Callers behind a load balancer: they take numbers and settle each of them, on connections that they keep until an answer asks
 * to close it. Connections go to processes that said they are ready when they were asked last, every tenth of a second. Whatever
 * is not answered 200 is a failure, and nothing is tried twice.
 */
final class BalancedCallers {
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    final AtomicLong confirmed = new AtomicLong();
    final AtomicLong abandoned = new AtomicLong();
    final AtomicLong requests = new AtomicLong();
    private final ConcurrentMap<ServiceProcess, Boolean> readiness = new ConcurrentHashMap<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private final String path;
    private volatile boolean stopped;

    BalancedCallers(String sequence, int callers, Collection<ServiceProcess> processes) {
        this.path = "/v1/sequences/" + sequence + "/";
        processes.forEach(process -> readiness.put(process, true));
        run("readiness", this::watch);
        for (int i = 0; i < callers; i++) {
            run("caller-" + i, this::call);
        }
    }

    /** From now on this process is asked whether it is ready, and called while it is. */
    void add(ServiceProcess process) {
        readiness.put(process, false);
    }

    /** This process has ended. */
    void remove(ServiceProcess process) {
        readiness.remove(process);
    }

    boolean uses(ServiceProcess process) {
        return Boolean.TRUE.equals(readiness.get(process));
    }

    /** Lets every caller finish what it has begun. */
    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void run(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        threads.add(thread);
        thread.start();
    }

    private void watch() {
        while (!stopped) {
            readiness.replaceAll((process, before) -> isReady(process));
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }

    private static boolean isReady(ServiceProcess process) {
        try {
            return process.management("/health/ready").status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private void call() {
        while (!stopped) {
            List<ServiceProcess> ready =
                    readiness.keySet().stream().filter(this::uses).toList();
            if (ready.isEmpty()) {
                failures.add("no process is ready");
                return;
            }
            ServiceProcess process = ready.get(Math.floorMod(turn.getAndIncrement(), ready.size()));
            try (RawHttp http = process.connect()) {
                boolean usable = true;
                while (usable && !stopped) {
                    usable = takeAndSettle(http);
                }
            } catch (IOException e) {
                failures.add("port " + process.port() + ": " + e);
            }
        }
    }

    /** Takes a number and settles it; the second call may have to go elsewhere. Returns whether the connection may be kept. */
    private boolean takeAndSettle(RawHttp http) throws IOException {
        RawHttp.Answer issued = post(http, "next", "");
        if (issued.status() != 200) {
            return false;
        }
        String ticket = new JsonObject()
                .put("ticket", new JsonObject(issued.body()).getString("ticket"))
                .encode();
        boolean abandon = turn.getAndIncrement() % 5 == 0;
        String what = abandon ? "abandon" : "confirm";
        RawHttp.Answer settled = http.closing() ? elsewhere(what, ticket) : post(http, what, ticket);
        if (settled.status() == 200) {
            (abandon ? abandoned : confirmed).incrementAndGet();
        }
        return !http.closing();
    }

    private RawHttp.Answer elsewhere(String what, String body) throws IOException {
        ServiceProcess process =
                readiness.keySet().stream().filter(this::uses).findAny().orElseThrow();
        try (RawHttp http = process.connect()) {
            return post(http, what, body);
        }
    }

    private RawHttp.Answer post(RawHttp http, String what, String body) throws IOException {
        requests.incrementAndGet();
        RawHttp.Answer answer = http.post(path + what, body);
        if (answer.status() != 200) {
            failures.add(what + ": " + answer.status() + " " + answer.body());
        }
        return answer;
    }
}
