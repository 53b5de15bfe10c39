package dev.reissue.cluster;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import dev.reissue.cluster.MemberIdentity.Seen;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as a member of the cluster. It starts in the background, tries again where that fails, and starts anew where the
 * library gave up; until then, and without any other member, everything goes on as if there was no cluster. Any thread; nothing here
 * waits for another member.
 */
public final class ClusterMember {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);
    private static final long AGAIN_MS = 5_000;

    private final ClusterSettings settings;
    private final MemberIdentity identity;
    private final ClusterMeter meter;
    /** Everything that may block goes here: start, retries, the end, and sending. */
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "cluster"));

    private final List<Runnable> leftListeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<HazelcastInstance>> upListeners = new CopyOnWriteArrayList<>();
    private volatile @Nullable HazelcastInstance live;
    /** The members of this ledger, by id; empty while there is no cluster. */
    private volatile List<Seen> members = List.of();

    private final Promise<Void> left = Promise.promise();
    private volatile @Nullable UUID self;
    private volatile String trouble = "starting";
    private volatile boolean stopping;

    /** Creates a member that does nothing until {@link #start}. */
    public ClusterMember(ClusterSettings settings, MemberIdentity identity, ClusterMeter meter) {
        this.settings = settings;
        this.identity = identity;
        this.meter = meter;
    }

    /** Begins to look for the others; returns at once. */
    public void start() {
        thread.execute(this::join);
    }

    /** Leaves the cluster, so that the others need not find out by themselves. Completes when that is done; never fails. */
    public Future<Void> stop() {
        stopping = true;
        try {
            thread.execute(() -> {
                leave();
                left.tryComplete();
            });
            thread.shutdown();
        } catch (RejectedExecutionException e) {
            LOG.atDebug().log("told to stop once more");
        }
        return left.future();
    }

    /** Adds a listener that is told when a member has gone, whether it left or died. Called on a thread of the library. */
    public void onLeft(Runnable listener) {
        leftListeners.add(listener);
    }

    /** Returns one line for operators. */
    public String describe() {
        int count = members.size();
        return count == 0 ? "alone: " + trouble : count + (count == 1 ? " member" : " members");
    }

    /** Tells whether this process is in a cluster, be it of one. */
    public boolean up() {
        return live != null;
    }

    /** Adds what is to be set up on each new start, before members are seen. */
    void onUp(Consumer<HazelcastInstance> listener) {
        upListeners.add(listener);
    }

    /** Returns the library's instance, null while there is none. */
    @Nullable
    HazelcastInstance live() {
        return live;
    }

    /** Returns the members of this ledger, in the order of their ids; empty while this process is in no cluster. */
    List<Seen> members() {
        return members;
    }

    /** Returns the id under which the others see this process, null while it is in no cluster. */
    @Nullable
    UUID self() {
        return self;
    }

    MemberIdentity identity() {
        return identity;
    }

    ClusterMeter meter() {
        return meter;
    }

    /** Runs something that may block, after what was given before; dropped at the end. */
    void run(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.atDebug().log("dropped at the end");
        }
    }

    private void join() {
        if (stopping) {
            return;
        }
        long began = System.nanoTime();
        HazelcastInstance started = null;
        try {
            started = Hazelcast.newHazelcastInstance(HazelcastSetup.config(settings, identity));
            HazelcastInstance instance = started;
            for (Consumer<HazelcastInstance> listener : upListeners) {
                listener.accept(instance);
            }
            live = instance;
            instance.getCluster().addMembershipListener(new Members(instance));
            instance.getLifecycleService().addLifecycleListener(event -> lifecycle(instance, event));
            look(instance);
            meter.event("started");
            LOG.atInfo()
                    .addKeyValue("members", members.size())
                    .addKeyValue("ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                    .log("in the cluster");
        } catch (Exception e) {
            trouble = "cannot join: " + e.getMessage();
            meter.event("start-failed");
            LOG.atWarn()
                    .addKeyValue("why", e.toString())
                    .addKeyValue("againMs", AGAIN_MS)
                    .log("not in the cluster");
            end(started);
            again();
        }
    }

    private void again() {
        if (!stopping) {
            var unused = thread.schedule(this::join, AGAIN_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void leave() {
        HazelcastInstance instance = live;
        live = null;
        members = List.of();
        trouble = "left";
        if (instance != null) {
            instance.shutdown();
        }
    }

    private static void end(@Nullable HazelcastInstance instance) {
        if (instance != null) {
            instance.getLifecycleService().terminate();
        }
    }

    private void look(HazelcastInstance instance) {
        List<Seen> seen = new ArrayList<>();
        instance.getCluster().getMembers().forEach(m -> seen.add(Seen.of(m)));
        seen.removeIf(s -> !s.identity().ledgerId().equals(identity.ledgerId()));
        seen.sort(Comparator.comparing(Seen::id));
        if (live == instance) {
            // A merge gives this member another id.
            self = instance.getCluster().getLocalMember().getUuid();
            members = List.copyOf(seen);
            meter.members(seen.size());
        }
    }

    private void lifecycle(HazelcastInstance instance, LifecycleEvent event) {
        if (event.getState() == LifecycleState.MERGED) {
            look(instance);
            meter.event("merged");
            LOG.atInfo().addKeyValue("members", members.size()).log("joined the other part of the cluster again");
        } else if (event.getState() == LifecycleState.SHUTDOWN && !stopping && live == instance) {
            live = null;
            members = List.of();
            trouble = "the library gave up";
            meter.members(0);
            meter.event("lost");
            LOG.atWarn().log("not in the cluster any more");
            again();
        }
    }

    private final class Members implements MembershipListener {
        private final HazelcastInstance instance;

        Members(HazelcastInstance instance) {
            this.instance = instance;
        }

        @Override
        public void memberAdded(MembershipEvent event) {
            look(instance);
            meter.event("joined");
            LOG.atInfo().addKeyValue("members", members.size()).log("a member joined");
        }

        @Override
        public void memberRemoved(MembershipEvent event) {
            look(instance);
            meter.event("left");
            LOG.atInfo().addKeyValue("members", members.size()).log("a member left");
            leftListeners.forEach(Runnable::run);
        }
    }
}
