package dev.reissue.ledger;

import dev.reissue.ledger.BatchStore.LeaseAnswer;
import dev.reissue.ledger.BatchStore.LeaseRequest;
import dev.reissue.ledger.StoreException.Kind;
import dev.reissue.segment.SegmentSource;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leases batches so that whatever goes wrong, a number is never handed out from a batch that is not there, and none is lost. Any
 * thread.
 *
 * <p>Every lease carries an id of its own. The marks of the counter are read first, then the lease is sent. Its answer is used
 * only if it came in time, if the instance is still the one that asked, and if the counter is above the marks; otherwise its
 * numbers are given back by id, or, if the database turned out to have lost commits, sent the slow way round.
 */
public final class BatchLeaser {
    /** How often one lease is sent again because the database had lost commits. */
    private static final int REPAIRS_MAX = 3;

    /** A repair is several statements, each of which may take as long as the deadline. */
    private static final int REPAIR_DEADLINES = 10;

    private final BatchStore store;
    private final LeaseKeeper keeper;
    private final RegressionGuard guard;
    private final LostLeases lost;
    private final Supplier<UUID> ids;
    private final LongSupplier nanoClock;
    private final Scheduler scheduler;
    private final long deadlineMs;
    private final LedgerMeter meter;

    /**
     * Creates a leaser for all sequences.
     *
     * @param deadlineMs how long the database may take to answer a lease
     */
    public BatchLeaser(
            BatchStore store,
            LeaseKeeper keeper,
            RegressionGuard guard,
            LostLeases lost,
            Supplier<UUID> ids,
            LongSupplier nanoClock,
            Scheduler scheduler,
            long deadlineMs,
            LedgerMeter meter) {
        this.store = store;
        this.keeper = keeper;
        this.guard = guard;
        this.lost = lost;
        this.ids = ids;
        this.nanoClock = nanoClock;
        this.scheduler = scheduler;
        this.deadlineMs = deadlineMs;
        this.meter = meter;
    }

    /**
     * Returns the source of one sequence's batches.
     *
     * @param period the period, empty for a sequence that does not restart
     * @param name the sequence's name, for logs and metrics
     */
    public SegmentSource source(int sequenceId, String period, String name) {
        return new Source(sequenceId, period, name);
    }

    private final class Source implements SegmentSource {
        private final int sequenceId;
        private final String period;
        private final String name;

        /** A lease whose answer showed that commits were lost, while that is not repaired. */
        private volatile @Nullable Regressed unrepaired;

        private record Regressed(LeaseRequest request, CounterMark known) {}

        Source(int sequenceId, String period, String name) {
            this.sequenceId = sequenceId;
            this.period = period;
            this.name = name;
        }

        @Override
        public Future<List<BatchRange>> lease(int batches) {
            UUID owner = keeper.current();
            if (!keeper.valid()) {
                return unavailable("this instance has no valid lease");
            }
            if (lost.full()) {
                return unavailable("too many leases are not settled");
            }
            Regressed open = unrepaired;
            Future<?> ready = open == null ? Future.succeededFuture() : repair(open);
            return ready.compose(x -> guard.known(sequenceId, period))
                    .compose(known -> send(owner, batches, known, REPAIRS_MAX));
        }

        private Future<List<BatchRange>> send(UUID owner, int batches, CounterMark known, int repairsLeft) {
            LeaseRequest request = new LeaseRequest(sequenceId, period, owner, ids.get(), batches, known);
            long sentNanos = nanoClock.getAsLong();
            return Deadline.within(deadlineMs, scheduler, "a lease", store.lease(request))
                    .transform(done -> {
                        if (done.failed()) {
                            return failed(request, (StoreException) done.cause());
                        }
                        LeaseAnswer answer = done.result();
                        meter.leased(name, answer.batches().size(), nanoClock.getAsLong() - sentNanos);
                        if (answer.repairing()) {
                            // Whoever began it may be dead by now.
                            return regressed(request, known.max(answer.mark()), repairsLeft);
                        }
                        if (RegressionGuard.regressed(known, answer.mark())) {
                            return regressed(request, known, repairsLeft);
                        }
                        guard.seen(sequenceId, period, answer.mark());
                        if (!owner.equals(keeper.current())) {
                            lost.add(owner, request.leaseId(), name);
                            return unavailable("this instance lost its lease meanwhile");
                        }
                        return Future.succeededFuture(answer.batches());
                    });
        }

        private Future<List<BatchRange>> failed(LeaseRequest request, StoreException e) {
            meter.leaseFailed(name, e.kind());
            if (e.kind() == Kind.UNKNOWN) {
                lost.add(request.owner(), request.leaseId(), name);
            }
            return Future.failedFuture(e);
        }

        private Future<List<BatchRange>> regressed(LeaseRequest request, CounterMark known, int repairsLeft) {
            Regressed found = new Regressed(request, known);
            unrepaired = found;
            if (repairsLeft == 0) {
                return unavailable("the counter stays below what is known of it");
            }
            return repair(found)
                    .compose(mark -> send(request.owner(), request.batches(), known.max(mark), repairsLeft - 1));
        }

        private Future<CounterMark> repair(Regressed found) {
            return Deadline.within(
                            REPAIR_DEADLINES * deadlineMs,
                            scheduler,
                            "the repair of a counter",
                            guard.repair(found.request, found.known, name))
                    .onSuccess(mark -> unrepaired = null);
        }
    }

    private static Future<List<BatchRange>> unavailable(String why) {
        return Future.failedFuture(new StoreException(Kind.UNAVAILABLE, why));
    }
}
