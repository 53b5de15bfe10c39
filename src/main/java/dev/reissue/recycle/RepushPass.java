package dev.reissue.recycle;

import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.StoreException;
import dev.reissue.recycle.PushStore.Look;
import dev.reissue.recycle.PushStore.Unclaimed;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The loop at REPLAYABLE, and the arrow to DEAD: looks whether the pool still has the entries that nobody claimed, and pushes those
 * again that it lost. Any thread; runs may overlap, in this process and others.
 *
 * <p>A failure is an entry that the pool refused or lost. A number that waits in its place because nobody needs one has no
 * failures; while the pool is out of reach the pass pauses and counts nothing.
 */
public final class RepushPass implements Pass {
    private final PushStore store;
    private final NumberPool pool;
    private final PoolPush push;
    private final PushSchedule schedule;
    private final Supplier<ScanScope> scope;
    private final Paging paging;
    private final RecycleAlerts alerts;

    /** Creates the pass. */
    public RepushPass(
            PushStore store,
            NumberPool pool,
            PushSchedule schedule,
            Supplier<ScanScope> scope,
            Paging paging,
            RecycleAlerts alerts) {
        this.store = store;
        this.pool = pool;
        this.push = new PoolPush(pool, store, schedule);
        this.schedule = schedule;
        this.scope = scope;
        this.paging = paging;
        this.alerts = alerts;
    }

    /**
     * What one run did.
     *
     * @param waiting entries found in their place
     * @param pushed entries pushed again
     * @param dead numbers that became dead letters
     * @param retired numbers that a failover has made suspect
     * @param paused 1 where the pool was out of reach
     * @param more whether more is due
     */
    public record Report(int waiting, int pushed, int dead, int retired, int paused, boolean more)
            implements PassReport {
        @Override
        public Map<String, Integer> counters() {
            return Map.of("waiting", waiting, "pushed", pushed, "dead", dead, "retired", retired, "paused", paused);
        }

        private Report plus(Report o) {
            return new Report(
                    waiting + o.waiting,
                    pushed + o.pushed,
                    dead + o.dead,
                    retired + o.retired,
                    paused + o.paused,
                    o.more);
        }
    }

    @Override
    public String name() {
        return "repush";
    }

    @Override
    public Future<Report> run() {
        ScanScope here = scope.get();
        return paging.run(rows -> page(here, rows), Report::plus);
    }

    private Future<Report> page(ScanScope here, int rows) {
        return store.retireSuspect(here, rows)
                .compose(retired -> unclaimed(here, rows)
                        .map(r ->
                                new Report(r.waiting, r.pushed, r.dead, retired, r.paused, r.more || retired >= rows)));
    }

    private Future<Report> unclaimed(ScanScope here, int rows) {
        return store.unclaimed(here, rows).compose(due -> {
            if (due.isEmpty()) {
                return Future.succeededFuture(new Report(0, 0, 0, 0, 0, false));
            }
            return present(due)
                    .compose(present -> act(sort(due, present), due.size() >= rows))
                    .recover(e -> e instanceof PoolOutage
                            ? Future.succeededFuture(new Report(0, 0, 0, 0, 1, false))
                            : Future.failedFuture(e));
        });
    }

    /** Finds the entries that the pool has; a list that the server refuses to read has none. */
    private Future<Set<PoolEntry>> present(List<Unclaimed> due) {
        Map<Integer, Set<PoolEntry>> bySequence = new HashMap<>();
        for (Unclaimed u : due) {
            if (u.pushed() && u.recycle()) {
                bySequence
                        .computeIfAbsent(u.row().sequenceId(), id -> new HashSet<>())
                        .add(u.row().entry());
            }
        }
        if (bySequence.isEmpty()) {
            // Nothing to search for, but a pool that is out of reach must not be pushed to either.
            bySequence.put(due.get(0).row().sequenceId(), Set.of());
        }
        Future<Set<PoolEntry>> found = Future.succeededFuture(new HashSet<>());
        for (Map.Entry<Integer, Set<PoolEntry>> e : bySequence.entrySet()) {
            found = found.compose(all -> pool.waiting(e.getKey(), e.getValue())
                    .recover(failure -> failure instanceof StoreException s && s.kind() == StoreException.Kind.REFUSED
                            ? Future.succeededFuture(Set.of())
                            : Future.failedFuture(new PoolOutage(failure)))
                    .map(some -> {
                        all.addAll(some);
                        return all;
                    }));
        }
        return found;
    }

    private record Sorted(
            int waiting, List<Look> looks, Map<PoolEntry, LogRow> toPush, Map<DeadReason, List<PoolEntry>> dead) {}

    private Sorted sort(List<Unclaimed> due, Set<PoolEntry> present) {
        int waiting = 0;
        List<Look> looks = new ArrayList<>(due.size());
        Map<PoolEntry, LogRow> toPush = new HashMap<>();
        Map<DeadReason, List<PoolEntry>> dead = new HashMap<>();
        for (Unclaimed u : due) {
            PoolEntry entry = u.row().entry();
            if (!u.recycle()) {
                looks.add(new Look(entry, u.failures(), false, schedule.restMs()));
            } else if (present.contains(entry)) {
                waiting++;
                looks.add(new Look(entry, 0, true, schedule.restMs()));
            } else {
                int failures = u.failures() + (u.pushed() ? 1 : 0);
                if (schedule.exhausted(failures)) {
                    dead.computeIfAbsent(
                                    u.pushed() ? DeadReason.ENTRY_LOST : DeadReason.PUSH_REFUSED,
                                    r -> new ArrayList<>())
                            .add(entry);
                } else {
                    looks.add(new Look(entry, failures, true, schedule.delayMs(failures)));
                    toPush.put(entry, u.row());
                }
            }
        }
        return new Sorted(waiting, looks, toPush, dead);
    }

    private Future<Report> act(Sorted sorted, boolean more) {
        return store.reschedule(sorted.looks)
                .compose(changed -> push.push(changed.stream()
                        .map(sorted.toPush::get)
                        .filter(row -> row != null)
                        .toList()))
                .compose(pushed -> bury(sorted.dead)
                        .map(dead -> new Report(
                                sorted.waiting,
                                pushed.accepted(),
                                dead,
                                0,
                                pushed.undelivered() > 0 ? 1 : 0,
                                more && pushed.undelivered() == 0)));
    }

    private Future<Integer> bury(Map<DeadReason, List<PoolEntry>> dead) {
        Future<Integer> buried = Future.succeededFuture(0);
        for (Map.Entry<DeadReason, List<PoolEntry>> e : dead.entrySet()) {
            buried = buried.compose(sum -> store.bury(e.getValue(), NumberState.REPLAYABLE, e.getKey())
                    .map(rows -> {
                        alerts.dead(rows, e.getKey());
                        return sum + rows.size();
                    }));
        }
        return buried;
    }

    /** The pool as a whole is out of reach. */
    private static final class PoolOutage extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PoolOutage(Throwable cause) {
            super(cause);
        }
    }
}
