package dev.reissue.recycle;

import static dev.reissue.recycle.RecycleWorld.await;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore;
import dev.reissue.ledger.BatchStore.LeaseRequest;
import dev.reissue.ledger.BatchStore.Seal;
import dev.reissue.ledger.InstanceStore;
import dev.reissue.recycle.StormHistory.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A process as the storm has it: its lease, one cursor, its stock of claimed numbers, and answers that have not left yet. It may lose
 * everything at any time. One thread.
 */
final class StormNode {
    private static final long LEASE_MS = 15_000;
    private static final long MARGIN_NANOS = 1_000_000_000L;
    private static final long HAND_OUT_MAX_NANOS = 2_000_000_000L;

    private final RecycleWorld world;
    private final int sequence;
    private final BatchStore batches;
    private final InstanceStore instances;
    private final LongSupplier clock;
    private final FaultyClaims claims;
    private final FaultyPool pool;
    private final List<Held> pending = new ArrayList<>();
    private final List<Seal> seals = new ArrayList<>();
    private final List<UUID> lostLeases = new ArrayList<>();

    private UUID id = UUID.randomUUID();
    private long fromNanos;
    private long untilNanos;
    private @Nullable BatchRange batch;
    private long next;
    private ClaimStock stock;
    private ClaimPass pass;

    StormNode(
            RecycleWorld world,
            int sequence,
            BatchStore batches,
            InstanceStore instances,
            FaultyPool pool,
            LongSupplier clock) {
        this.world = world;
        this.sequence = sequence;
        this.batches = batches;
        this.instances = instances;
        this.clock = clock;
        this.claims = new FaultyClaims(world.claims);
        this.pool = pool;
        this.stock = stock();
        this.pass = pass();
        register();
    }

    private ClaimStock stock() {
        return new ClaimStock(() -> id, HAND_OUT_MAX_NANOS, clock);
    }

    private ClaimPass pass() {
        return new ClaimPass(
                stock,
                claims,
                ClaimGuard.blind(),
                pool,
                world.pushes,
                new PoolDepths(clock),
                () -> id,
                this::valid,
                new ClaimSettings(100, 40, 1, 60_000, 60_000, PushSchedule.DEFAULT),
                clock,
                RecycleMeter.NOOP);
    }

    private void register() {
        long sent = clock.getAsLong();
        id = UUID.randomUUID();
        await(instances.register(id, "storm", LEASE_MS));
        fromNanos = clock.getAsLong();
        untilNanos = sent + LEASE_MS * 1_000_000 - MARGIN_NANOS;
    }

    boolean valid() {
        return clock.getAsLong() < untilNanos;
    }

    void renew() {
        long sent = clock.getAsLong();
        if (valid() && await(instances.renew(id, LEASE_MS))) {
            untilNanos = sent + LEASE_MS * 1_000_000 - MARGIN_NANOS;
            return;
        }
        // A lost lease is final: cursors and queues are dropped, life goes on under a new id.
        batch = null;
        seals.clear();
        lostLeases.clear();
        register();
        stock.dropAll();
    }

    /** Takes numbers, recycled ones first; their answers have not left yet. */
    void take(int count, Random random) {
        for (int i = 0; i < count && valid(); i++) {
            Claimed c = stock.poll(sequence);
            if (c != null) {
                pending.add(new Held(c.value(), c.batchId(), c.generation(), c.claimSentNanos()));
                continue;
            }
            BatchRange b = batch;
            if (b == null || next > b.hi()) {
                if (b != null) {
                    seal();
                }
                b = lease(random.nextInt(10) == 0);
                if (b == null) {
                    return;
                }
            }
            pending.add(new Held(next++, b.batchId(), 0, clock.getAsLong()));
        }
    }

    private @Nullable BatchRange lease(boolean answerIsLost) {
        UUID lease = UUID.randomUUID();
        List<BatchRange> leased = await(batches.lease(new LeaseRequest(sequence, "", id, lease, 1)))
                .batches();
        if (answerIsLost) {
            lostLeases.add(lease);
            return null;
        }
        if (leased.isEmpty()) {
            return null;
        }
        batch = leased.get(0);
        next = leased.get(0).lo();
        return batch;
    }

    /** Closes the cursor for good; the statement follows. */
    void seal() {
        if (batch != null) {
            seals.add(new Seal(batch.batchId(), next - 1));
            batch = null;
        }
    }

    /** Sends what is to be sealed and returned; an answer that is lost is asked for again. */
    void sendSeals(boolean answerIsLost) {
        if (!seals.isEmpty()) {
            await(batches.seal(id, List.copyOf(seals)));
            if (!answerIsLost) {
                seals.clear();
            }
        }
        for (UUID lease : lostLeases) {
            await(batches.returnLost(id, lease));
        }
        lostLeases.clear();
    }

    void claim(Random random) {
        if (random.nextInt(6) == 0) {
            FaultyClaims.Fault[] faults = FaultyClaims.Fault.values();
            claims.faults.add(faults[random.nextInt(faults.length)]);
        }
        await(pass.run());
        claims.faults.clear();
        if (random.nextBoolean()) {
            claims.arriveAll();
        }
    }

    /** Lets the answers leave that still may, in a moment or right now; the others turn into refusals. */
    void answer(StormHistory history) {
        for (Held h : pending) {
            long now = clock.getAsLong();
            boolean covered = h.takenNanos > fromNanos && now < untilNanos;
            if (covered && now - h.takenNanos < HAND_OUT_MAX_NANOS) {
                history.handedOut(h, now);
            }
        }
        pending.clear();
    }

    /** Dies; only what is in the database, in Redis and on the wire is left. */
    void crash() {
        pending.clear();
        seals.clear();
        lostLeases.clear();
        batch = null;
        stock = stock();
        pass = pass();
        register();
    }

    void stop() {
        pending.clear();
        seal();
        sendSeals(false);
        claims.arriveAll();
        await(pass.drain());
        await(instances.release(id));
    }
}
