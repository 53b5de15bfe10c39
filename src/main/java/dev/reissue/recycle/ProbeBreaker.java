package dev.reissue.recycle;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Remembers which endpoints do not answer: after so many failures in a row one is left alone for a while, and then given one try. Any
 * thread.
 */
public final class ProbeBreaker {
    /** Endpoints remembered; the sequences name them, so there are few. */
    private static final int MAX = 1000;

    private final int failures;
    private final long openNanos;
    private final LongSupplier nanoClock;
    private final Map<String, State> states = new HashMap<>();

    private record State(int failures, long openUntilNanos) {}

    /**
     * Creates a breaker.
     *
     * @param failures failures in a row after which an endpoint is left alone
     * @param openMs for how long
     */
    public ProbeBreaker(int failures, long openMs, LongSupplier nanoClock) {
        if (failures < 1 || openMs < 1) {
            throw new IllegalArgumentException("no breaker: " + failures + " failures, " + openMs + " ms");
        }
        this.failures = failures;
        this.openNanos = openMs * 1_000_000;
        this.nanoClock = nanoClock;
    }

    /** Returns the endpoints that must not be asked now. */
    public synchronized List<String> open() {
        long now = nanoClock.getAsLong();
        List<String> open = new ArrayList<>();
        states.forEach((url, s) -> {
            if (s.failures >= failures && now - s.openUntilNanos < 0) {
                open.add(url);
            }
        });
        return open;
    }

    /** Notes an answer. */
    public synchronized void succeeded(String url) {
        states.remove(url);
    }

    /** Notes that there was none; tells whether the endpoint is left alone from now on. */
    public synchronized boolean failed(String url) {
        if (states.size() >= MAX && !states.containsKey(url)) {
            states.clear();
        }
        State before = states.getOrDefault(url, new State(0, 0));
        State now = new State(before.failures + 1, nanoClock.getAsLong() + openNanos);
        states.put(url, now);
        return now.failures >= failures;
    }
}
