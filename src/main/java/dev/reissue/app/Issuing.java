package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.issuance.BufferRegistry;
import dev.reissue.issuance.HandOutGuard;
import dev.reissue.issuance.LeaseView;
import dev.reissue.ledger.BatchLeaser;
import dev.reissue.ledger.InstanceStore;
import dev.reissue.ledger.LeaseKeeper;
import dev.reissue.ledger.LostLeases;
import dev.reissue.ledger.MarkStore;
import dev.reissue.ledger.ProcessMarks;
import dev.reissue.ledger.RegressionGuard;
import dev.reissue.ledger.Scheduler;
import dev.reissue.ledger.SealQueue;
import dev.reissue.ledger.Witness;
import dev.reissue.postgres.PgBatchStore;
import dev.reissue.postgres.PgInstanceStore;
import dev.reissue.postgres.PgWitnessStore;
import dev.reissue.segment.SegmentSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/**
 * The issuing side of the process: its lease, the batches under it, and the buffers from which numbers are taken. Wired once, any
 * thread.
 */
final class Issuing {
    /** Lost lease ids that may wait to be settled; with more nothing is leased. */
    private static final int LOST_MAX = 1_000;

    private static final long LOST_PAUSE_MS = 200;
    private static final long BEAT_MS = 1_000;

    private final LeaseKeeper keeper;
    private final SealQueue seals;
    private final BufferRegistry buffers;
    private final HandOutGuard guard;
    private final RegressionGuard regression;
    private final Witness witness;
    private final SegmentSettings segments;

    Issuing(Vertx vertx, Config config, Databases databases, MarkStore marks, Meters meters, LongSupplier nanoClock) {
        Scheduler scheduler = VertxScheduler.of(vertx);
        long deadlineMs = config.postgres().lease().deadlineMs();
        InstanceStore instances = new PgInstanceStore(databases.lease());
        PgBatchStore batches = new PgBatchStore(databases.lease());
        Config.Instance lease = config.instance();
        keeper = new LeaseKeeper(
                instances,
                HostName.get(),
                new LeaseKeeper.Timing(lease.leaseMs(), lease.marginMs(), lease.renewMs(), renewDeadlineMs(config)),
                UUID::randomUUID,
                nanoClock,
                scheduler,
                meters.ledger());
        seals = new SealQueue(batches, keeper, nanoClock, scheduler, deadlineMs, meters.ledger());
        LostLeases lost = new LostLeases(
                batches,
                scheduler,
                nanoClock,
                // A statement may wait for a connection and then run, each for as long as the deadline.
                new LostLeases.Timing(3 * deadlineMs, LOST_PAUSE_MS, deadlineMs, LOST_MAX),
                meters.ledger());
        regression = new RegressionGuard(batches, new ProcessMarks(), marks, meters.ledger());
        witness = new Witness(
                new PgWitnessStore(databases.lease()),
                regression::fenceAll,
                Math.min(BEAT_MS, lease.renewMs()),
                deadlineMs,
                scheduler,
                meters.ledger());
        BatchLeaser leaser = new BatchLeaser(
                batches, keeper, regression, lost, UUID::randomUUID, nanoClock, scheduler, deadlineMs, meters.ledger());
        segments = SegmentSettings.DEFAULTS
                .withWaiting(
                        Duration.ofMillis(config.issue().waitMaxMs()),
                        config.issue().waitingMax())
                .withLeasing(config.issue().batchesMax(), config.issue().stockMax());
        buffers = new BufferRegistry(
                sequence -> leaser.source(sequence.id(), "", sequence.name()),
                seals,
                segments,
                nanoClock,
                () -> ThreadLocalRandom.current().nextDouble(),
                meters.segment());
        guard = new HandOutGuard(
                leaseView(keeper),
                Duration.ofMillis(config.issue().handOutMaxMs()).toNanos(),
                nanoClock);
        keeper.onLost(lostId -> buffers.dropAll());
    }

    /** Registers the process and begins to look after its buffers; completes with the first lease. */
    Future<Void> start(Vertx vertx) {
        vertx.setPeriodic(segments.tick().toMillis(), id -> buffers.tick());
        return keeper.start().onSuccess(registered -> witness.start());
    }

    /** Closes all cursors, seals and returns what is left, and ends the lease. */
    Future<?> stop(long flushMs) {
        witness.stop();
        Future<Void> drained = buffers.drain();
        return seals.flush(flushMs)
                .compose(left -> left == 0 ? drained : Future.succeededFuture())
                .eventually(keeper::stop);
    }

    LeaseKeeper keeper() {
        return keeper;
    }

    BufferRegistry buffers() {
        return buffers;
    }

    HandOutGuard guard() {
        return guard;
    }

    RegressionGuard regression() {
        return regression;
    }

    private static long renewDeadlineMs(Config config) {
        Config.Instance lease = config.instance();
        long room = lease.leaseMs() - lease.marginMs() - lease.renewMs() - 1;
        return Math.max(1, Math.min(config.postgres().lease().deadlineMs(), room));
    }

    private static LeaseView leaseView(LeaseKeeper keeper) {
        return new LeaseView() {
            @Override
            public boolean valid() {
                return keeper.valid();
            }

            @Override
            public boolean covers(long takenNanos) {
                return keeper.covers(takenNanos);
            }
        };
    }
}
