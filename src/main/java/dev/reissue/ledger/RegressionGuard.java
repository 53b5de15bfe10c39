package dev.reissue.ledger;

import io.vertx.core.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices when the database has lost commits (a failover to a standby that lagged, a restored backup), by comparing its counters
 * with marks kept elsewhere, and then moves the counter past everything that was ever seen. It only ever makes things later. Any
 * thread.
 */
public final class RegressionGuard {
    private static final Logger LOG = LoggerFactory.getLogger(RegressionGuard.class);

    private final BatchStore store;
    private final ProcessMarks own;
    private final MarkStore shared;
    private final LedgerMeter meter;

    /**
     * Creates a guard.
     *
     * @param own the marks of this process
     * @param shared the marks of all processes
     */
    public RegressionGuard(BatchStore store, ProcessMarks own, MarkStore shared, LedgerMeter meter) {
        this.store = store;
        this.own = own;
        this.shared = shared;
        this.meter = meter;
    }

    /** Returns how far the counter is known to be. To be asked before a lease is sent. Never fails. */
    public Future<CounterMark> known(int sequenceId, String period) {
        return shared.highest(sequenceId, period)
                .otherwise(CounterMark.NONE)
                .map(mark -> mark.max(own.highest(sequenceId, period)));
    }

    /**
     * Tells whether a lease was answered by a database that lost commits. Every lease raises the revision, and a counter never
     * falls, so an answer that is not above what was known before the question has forgotten something.
     */
    public static boolean regressed(CounterMark known, CounterMark answered) {
        return answered.revision() <= known.revision() || answered.nextValue() < known.nextValue();
    }

    /** Remembers how far the counter is; does not wait for it. */
    public void seen(int sequenceId, String period, CounterMark mark) {
        own.raise(sequenceId, period, mark);
        shared.raise(sequenceId, period, mark);
    }

    /** Begins the repair of all counters, since the database has forgotten something; the next lease of each ends it. */
    public Future<Void> fenceAll() {
        return store.fenceAll(own.all());
    }

    /** Raises the counter above what is known, and sends everything in doubt the slow way round. Raises the alarm. */
    public Future<CounterMark> repair(BatchStore.LeaseRequest regressed, CounterMark known, String sequence) {
        meter.regression(sequence);
        LOG.atError()
                .addKeyValue("sequence", sequence)
                .addKeyValue("knownRevision", known.revision())
                .addKeyValue("knownNextValue", known.nextValue())
                .log("the database has lost commits: the counter is raised above what is known");
        return store.raiseAbove(regressed, known)
                .onSuccess(mark -> seen(regressed.sequenceId(), regressed.period(), mark));
    }
}
