package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The arrow SEALED to CLOSED: batches whose issued numbers are all settled. Goes round: a run starts where the last one ended, since
 * most sealed batches are not settled yet. Any thread; runs may overlap, in this process and others.
 */
public final class ClosePass implements Pass {
    private final CloseStore store;
    private final Supplier<ScanScope> scope;
    private final Paging paging;
    private final AtomicReference<@Nullable String> cursor = new AtomicReference<>();

    /** Creates the pass. */
    public ClosePass(CloseStore store, Supplier<ScanScope> scope, Paging paging) {
        this.store = store;
        this.scope = scope;
        this.paging = paging;
    }

    /**
     * What one run did.
     *
     * @param seen sealed batches looked at
     * @param closed batches that are closed now
     * @param more whether the round goes on
     */
    public record Report(int seen, int closed, boolean more) implements PassReport {
        @Override
        public Map<String, Integer> counters() {
            return Map.of("seen", seen, "closed", closed);
        }

        private Report plus(Report o) {
            return new Report(seen + o.seen, closed + o.closed, o.more);
        }
    }

    @Override
    public String name() {
        return "close";
    }

    @Override
    public Future<Report> run() {
        ScanScope here = scope.get();
        // A run that ends at its bound is not short of time, it is half way round: the next turn goes on.
        return paging.run(rows -> page(here, rows), Report::plus).map(r -> new Report(r.seen, r.closed, false));
    }

    private Future<Report> page(ScanScope here, int batches) {
        return store.close(here, cursor.get(), batches).map(c -> {
            cursor.set(c.last());
            return new Report(c.seen(), c.closed(), c.last() != null);
        });
    }
}
