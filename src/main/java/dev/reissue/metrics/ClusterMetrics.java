package dev.reissue.metrics;

import dev.reissue.cluster.ClusterMeter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** What the cluster counts; kinds of events are named where they happen, a dozen of them. Any thread. */
final class ClusterMetrics implements ClusterMeter {
    private final MeterFactory meters;
    private final ConcurrentMap<String, LongAdder> events = new ConcurrentHashMap<>();
    private volatile int members;

    ClusterMetrics(MeterFactory meters) {
        this.meters = meters;
        meters.gauge(MeterNames.CLUSTER_MEMBERS, "Members of the cluster, this process included", () -> members);
    }

    @Override
    public void members(int now) {
        members = now;
    }

    @Override
    public void event(String kind) {
        events.computeIfAbsent(
                        kind, k -> meters.counter(MeterNames.CLUSTER_EVENTS, "What happened in the cluster", "kind", k))
                .increment();
    }
}
