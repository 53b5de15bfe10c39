package dev.reissue.recycle;

import dev.reissue.ledger.InstanceStore;
import io.vertx.core.Future;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over from instances whose lease is over: their open batches are sealed. What they had claimed got a due date with the claim. Any
 * thread; runs may overlap, in this process and others.
 */
public final class ReapPass implements Pass {
    private static final Logger LOG = LoggerFactory.getLogger(ReapPass.class);

    private final InstanceStore store;
    private final int limit;

    /**
     * Creates the pass.
     *
     * @param limit instances a run
     */
    public ReapPass(InstanceStore store, int limit) {
        this.store = store;
        this.limit = limit;
    }

    /**
     * What one run did.
     *
     * @param instances instances whose lease was over
     * @param batches batches sealed
     * @param more whether there may be more
     */
    public record Report(int instances, int batches, boolean more) implements PassReport {
        @Override
        public Map<String, Integer> counters() {
            return Map.of("instances", instances, "batches", batches);
        }
    }

    @Override
    public String name() {
        return "reap";
    }

    @Override
    public Future<Report> run() {
        return store.reap(limit).map(r -> {
            // One that ended in order has nothing left.
            if (r.batches() > 0) {
                LOG.atWarn()
                        .addKeyValue("instances", r.instances())
                        .addKeyValue("batches", r.batches())
                        .log("sealed the batches of instances whose lease was over");
            }
            return new Report(r.instances(), r.batches(), r.instances() >= limit);
        });
    }
}
