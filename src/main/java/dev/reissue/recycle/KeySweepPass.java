package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.Map;

/** Deletes idempotency keys whose time is over. Any thread; runs may overlap, in this process and others. */
public final class KeySweepPass implements Pass {
    private final KeySweepStore store;
    private final Paging paging;

    /** Creates the pass. */
    public KeySweepPass(KeySweepStore store, Paging paging) {
        this.store = store;
        this.paging = paging;
    }

    /**
     * What one run did.
     *
     * @param keys entries deleted
     * @param more whether the last page was full
     */
    public record Report(int keys, boolean more) implements PassReport {
        @Override
        public Map<String, Integer> counters() {
            return Map.of("keys", keys);
        }

        private Report plus(Report o) {
            return new Report(keys + o.keys, o.more);
        }
    }

    @Override
    public String name() {
        return "keys";
    }

    @Override
    public Future<Report> run() {
        return paging.run(rows -> store.sweep(rows).map(keys -> new Report(keys, keys >= rows)), Report::plus);
    }
}
