package dev.reissue.recycle;

import dev.reissue.recycle.PoolPush.Pushed;
import dev.reissue.recycle.ReleaseStore.Decided;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The arrow ABANDONED to REPLAYABLE, or to RETIRED: numbers whose safety window is over go into the pool. Any thread; runs may
 * overlap, in this process and others.
 */
public final class ReleasePass implements Pass {
    private final ReleaseStore store;
    private final PoolPush push;
    private final PushSchedule schedule;
    private final Supplier<ScanScope> scope;
    private final Paging paging;
    private final RecycleAlerts alerts;

    /** Creates the pass. */
    public ReleasePass(
            ReleaseStore store,
            NumberPool pool,
            PushStore pushes,
            PushSchedule schedule,
            Supplier<ScanScope> scope,
            Paging paging,
            RecycleAlerts alerts) {
        this.store = store;
        this.push = new PoolPush(pool, pushes, schedule);
        this.schedule = schedule;
        this.scope = scope;
        this.paging = paging;
        this.alerts = alerts;
    }

    /**
     * What one run did.
     *
     * @param released numbers that are replayable now
     * @param retired numbers that are never issued again
     * @param pushed entries that the pool accepted
     * @param refused entries that it refused
     * @param undelivered entries that could not be sent
     * @param more whether more is due
     */
    public record Report(int released, int retired, int pushed, int refused, int undelivered, boolean more)
            implements PassReport {
        @Override
        public Map<String, Integer> counters() {
            return Map.of(
                    "released", released,
                    "retired", retired,
                    "pushed", pushed,
                    "refused", refused,
                    "undelivered", undelivered);
        }

        private Report plus(Report o) {
            return new Report(
                    released + o.released,
                    retired + o.retired,
                    pushed + o.pushed,
                    refused + o.refused,
                    undelivered + o.undelivered,
                    o.more);
        }
    }

    @Override
    public String name() {
        return "release";
    }

    @Override
    public Future<Report> run() {
        ScanScope here = scope.get();
        return paging.run(rows -> page(here, rows), Report::plus);
    }

    private Future<Report> page(ScanScope here, int rows) {
        return store.release(here, rows, schedule.delayMs(0))
                .compose(decided -> publish(push, alerts, decided)
                        .map(p -> new Report(
                                released(decided),
                                decided.size() - released(decided),
                                p.accepted(),
                                p.refused(),
                                p.undelivered(),
                                decided.size() >= rows)));
    }

    /** Reports what was retired and pushes what is replayable. */
    static Future<Pushed> publish(PoolPush push, RecycleAlerts alerts, List<Decided> decided) {
        List<LogRow> replayable = new ArrayList<>(decided.size());
        List<Decided> retired = new ArrayList<>();
        for (Decided d : decided) {
            if (d.retiredBecause() == null) {
                replayable.add(d.row());
            } else {
                retired.add(d);
            }
        }
        alerts.retired(retired);
        return push.push(replayable);
    }

    private static int released(List<Decided> decided) {
        int n = 0;
        for (Decided d : decided) {
            n += d.retiredBecause() == null ? 1 : 0;
        }
        return n;
    }
}
