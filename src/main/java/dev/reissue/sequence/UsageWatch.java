package dev.reissue.sequence;

import dev.reissue.sequence.UsageStore.Usage;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns long before a bounded sequence comes to its end: once a sequence when it passes the limit, and again where it fell below
 * meanwhile. One pass at a time; the ratio may be read on any thread.
 */
public final class UsageWatch {
    /** Sequences looked at in one pass, and so warned of; the fullest come first. */
    private static final int LIMIT = 100;

    private static final Logger LOG = LoggerFactory.getLogger(UsageWatch.class);

    private final UsageStore store;
    private final double alertRatio;
    private Set<Usage> warned = Set.of();
    private volatile double maxRatio;

    /**
     * Creates a watch.
     *
     * @param alertRatio how far a sequence may be used up without a warning, 0 to 1
     */
    public UsageWatch(UsageStore store, double alertRatio) {
        if (!(alertRatio > 0 && alertRatio <= 1)) {
            throw new IllegalArgumentException("alertRatio must be above 0 and at most 1: " + alertRatio);
        }
        this.store = store;
        this.alertRatio = alertRatio;
    }

    /** Returns how far the fullest sequence was used up at the last pass. */
    public double maxRatio() {
        return maxRatio;
    }

    /** Looks once; returns how many sequences are beyond the limit. */
    public Future<Integer> look() {
        return store.mostUsed(LIMIT).map(this::judge);
    }

    private synchronized int judge(List<Usage> fullest) {
        maxRatio = fullest.isEmpty() ? 0 : fullest.get(0).ratio();
        Set<Usage> beyond = new HashSet<>();
        for (Usage usage : fullest) {
            Usage sequence = new Usage(usage.tenant(), usage.name(), 0);
            if (usage.ratio() >= alertRatio && beyond.add(sequence) && !warned.contains(sequence)) {
                LOG.atWarn()
                        .addKeyValue("tenant", usage.tenant())
                        .addKeyValue("sequence", usage.name())
                        .addKeyValue("usedPercent", (int) (usage.ratio() * 100))
                        .log("a sequence comes to its end");
            }
        }
        warned = beyond;
        return beyond.size();
    }
}
