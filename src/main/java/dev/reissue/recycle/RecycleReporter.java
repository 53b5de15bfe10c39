package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks how much the pool has of the sequences that this process scans, and tells the others what it knows. Whoever owns it calls
 * {@link #tick} in a fixed rhythm, on one thread; everything else on any.
 */
public final class RecycleReporter {
    /** Sequences looked at in one tick. */
    private static final int LOOK_MAX = 250;
    /** Ticks between two looks where nobody else is interested. */
    private static final int ALONE_EVERY = 10;

    private final Identity identity;
    private final SequenceOwners owners;
    private final Supplier<? extends Iterable<Integer>> sequences;
    private final NumberPool pool;
    private final PoolDepths depths;
    private final PassLog log;
    private final ReportBoard board;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile List<MemberReport.Backlog> backlogs = List.of();
    private volatile Map<Integer, Long> looked = Map.of();
    private int ticks;
    private int next;

    /**
     * What stays the same in every report.
     *
     * @param instance gives the id under which the process holds leases, null where it does not issue
     * @param scans whether it scans
     */
    public record Identity(
            Supplier<@Nullable String> instance, String host, String version, List<String> roles, boolean scans) {}

    /** Creates the reporter. */
    public RecycleReporter(
            Identity identity,
            SequenceOwners owners,
            Supplier<? extends Iterable<Integer>> sequences,
            NumberPool pool,
            PoolDepths depths,
            PassLog log,
            ReportBoard board) {
        this.identity = identity;
        this.owners = owners;
        this.sequences = sequences;
        this.pool = pool;
        this.depths = depths;
        this.log = log;
        this.board = board;
    }

    /** Notes what waits, as the last run of the scan saw it. */
    public void backlogs(List<MemberReport.Backlog> seen) {
        backlogs = List.copyOf(seen);
    }

    /** Looks and tells; while a look is under way it does not look again. Completes when both are done; never fails. */
    public Future<Void> tick() {
        boolean shared = board.self() != null && !board.others().isEmpty();
        boolean due = ticks++ % (shared ? 1 : ALONE_EVERY) == 0;
        if (!due || !looking.compareAndSet(false, true)) {
            return Future.succeededFuture();
        }
        return look().onComplete(done -> {
            looking.set(false);
            if (shared) {
                board.publish(report());
            }
        });
    }

    /** Returns what this process has to tell now. */
    public MemberReport report() {
        return new MemberReport(
                identity.instance.get(),
                identity.host,
                identity.version,
                identity.roles,
                log.overdueMs(),
                log.passes(),
                backlogs,
                looked);
    }

    private Future<Void> look() {
        List<Integer> page = identity.scans ? page() : List.of();
        looked = Map.of();
        return page.isEmpty()
                ? Future.succeededFuture()
                : pool.depths(page)
                        .onSuccess(seen -> {
                            depths.tell(seen);
                            looked = new HashMap<>(seen);
                        })
                        .<Void>mapEmpty()
                        .otherwiseEmpty();
    }

    /** The next sequences of this process, round and round. */
    private List<Integer> page() {
        List<Integer> mine = new ArrayList<>();
        sequences.get().forEach(id -> {
            if (owners.mine(id)) {
                mine.add(id);
            }
        });
        if (mine.size() <= LOOK_MAX) {
            return mine;
        }
        List<Integer> page = new ArrayList<>(LOOK_MAX);
        for (int i = 0; i < LOOK_MAX; i++) {
            page.add(mine.get((next + i) % mine.size()));
        }
        next = (next + LOOK_MAX) % mine.size();
        return page;
    }
}
