package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The arrow ALLOCATED, REPLAYED to ABANDONED: numbers that were neither confirmed nor abandoned in time. Any thread; runs may overlap,
 * in this process and others.
 */
public final class ExpirePass implements Pass {
    private final ExpireStore store;
    private final Supplier<ScanScope> scope;
    private final Paging paging;

    /** Creates the pass. */
    public ExpirePass(ExpireStore store, Supplier<ScanScope> scope, Paging paging) {
        this.store = store;
        this.scope = scope;
        this.paging = paging;
    }

    /**
     * What one run did.
     *
     * @param batches due batches looked at
     * @param numbers numbers of them that timed out
     * @param closed batches that were settled by that
     * @param reissued reissued numbers that timed out
     * @param more whether more is due
     */
    public record Report(int batches, int numbers, int closed, int reissued, boolean more) implements PassReport {
        @Override
        public Map<String, Integer> counters() {
            return Map.of("batches", batches, "numbers", numbers, "closed", closed, "reissued", reissued);
        }

        private Report plus(Report o) {
            return new Report(
                    batches + o.batches, numbers + o.numbers, closed + o.closed, reissued + o.reissued, o.more);
        }
    }

    @Override
    public String name() {
        return "expire";
    }

    @Override
    public Future<Report> run() {
        ScanScope here = scope.get();
        return paging.run(rows -> batches(here, rows), Report::plus)
                .compose(first -> paging.run(rows -> reissued(here, rows), Report::plus)
                        .map(second -> withMore(first.plus(second), first.more || second.more)));
    }

    private Future<Report> batches(ScanScope here, int rows) {
        return store.expireBatches(here, rows)
                .map(e -> new Report(e.batches(), e.numbers(), e.closed(), 0, e.numbers() >= rows));
    }

    private Future<Report> reissued(ScanScope here, int rows) {
        return store.expireReissued(here, rows).map(n -> new Report(0, 0, 0, n, n >= rows));
    }

    private static Report withMore(Report r, boolean more) {
        return new Report(r.batches, r.numbers, r.closed, r.reissued, more);
    }
}
