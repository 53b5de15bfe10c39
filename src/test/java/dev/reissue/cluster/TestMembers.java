package dev.reissue.cluster;

import dev.reissue.cluster.ClusterSettings.Tcp;
import dev.reissue.support.Await;
import dev.reissue.support.Futures;
import dev.reissue.support.TestRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Members on the loopback, in this JVM. One thread. */
final class TestMembers implements AutoCloseable {
    static final String LEDGER = "ledger-1";
    private static final Duration SOON = Duration.ofSeconds(60);

    private final List<ClusterMember> started = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final String name;

    /** Names the places of so many members; none of them runs yet. */
    TestMembers(int places) {
        try {
            for (int i = 0; i < places; i++) {
                ports.add(TestRedis.freePort());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.name = "test-" + ports.get(0);
    }

    /** Events in the order in which they were counted. */
    static final class Events implements ClusterMeter {
        final ConcurrentLinkedQueue<String> kinds = new ConcurrentLinkedQueue<>();
        volatile int members;

        @Override
        public void members(int now) {
            members = now;
        }

        @Override
        public void event(String kind) {
            kinds.add(kind);
        }
    }

    ClusterSettings settings(int place) {
        List<String> all = ports.stream().map(port -> "127.0.0.1:" + port).toList();
        return new ClusterSettings(name, new Tcp(all), "127.0.0.1", ports.get(place), 1, "", 2_000);
    }

    static MemberIdentity identity(String... roles) {
        return new MemberIdentity(LEDGER, List.of(roles), "here", "test");
    }

    /** Makes a member that does not run yet. */
    ClusterMember member(int place, MemberIdentity identity, ClusterMeter meter) {
        ClusterMember member = new ClusterMember(settings(place), identity, meter);
        started.add(member);
        return member;
    }

    ClusterMember start(int place) {
        ClusterMember member = member(place, identity("issue", "recycle"), ClusterMeter.NOOP);
        member.start();
        return member;
    }

    static void awaitSize(int members, ClusterMember... all) {
        Await.until(members + " members see each other", SOON, () -> {
            for (ClusterMember each : all) {
                if (each.members().size() != members) {
                    return false;
                }
            }
            return true;
        });
    }

    @Override
    public void close() {
        started.forEach(member -> Futures.get(member.stop()));
    }
}
