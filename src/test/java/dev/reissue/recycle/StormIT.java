package dev.reissue.recycle;

import static dev.reissue.recycle.RecycleWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.ledger.StoreException;
import dev.reissue.postgres.PgBatchStore;
import dev.reissue.postgres.PgInstanceStore;
import dev.reissue.postgres.PgSettleStore;
import dev.reissue.recycle.StormHistory.Held;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Guarantees 1 to 4 under a storm: three processes, one database, and at random: numbers taken, confirmed, abandoned, declared void, calls
 * repeated, late or of unknown outcome, processes that die, leases that run out, a pool that loses, doubles or refuses everything, and
 * time that leaps. Then calm, and a look at what is left.
 *
 * <p>The seed is printed with every failure and given back by {@code -Dtest.jvm.args=-Dstorm.seed=...}; {@code -Dstorm.operations} sets
 * the length. What is done follows from the seed alone.
 */
class StormIT {
    private static final int NODES = 3;

    private final RecycleWorld world = new RecycleWorld(10);
    private final SettleStore settle = new PgSettleStore(world.database);
    private final PgInstanceStore instances = new PgInstanceStore(world.database);
    private final FaultyPool pool = new FaultyPool(world.pool);
    private final StormHistory history = new StormHistory();
    private final List<StormNode> nodes = new ArrayList<>();
    private final List<Runnable> late = new ArrayList<>();
    private int sequence;
    private long shiftNanos;
    private long operations;

    @Test
    void everyNumberIsHeldOnceComesBackInTimeAndIsAccountedFor() {
        long seed = Long.getLong("storm.seed", System.nanoTime());
        long wanted = Long.getLong("storm.operations", 10_000);
        world.flush();
        try {
            prepare();
            for (long step = 0; operations < wanted; step++) {
                step(new Random(seed * 1_000_003 + step));
            }
            calm();
            check();
            System.out.printf(
                    "storm: seed %d, %d operations, %d hand-outs, %d of them again, %d confirmed%n",
                    seed,
                    operations,
                    history.all.size(),
                    history.all.stream().filter(h -> h.generation > 0).count(),
                    history.confirmed().size());
        } catch (Throwable e) {
            throw new AssertionError(
                    "storm.seed=" + seed + " after " + operations + " operations: " + e.getMessage(), e);
        } finally {
            world.close();
        }
    }

    private long now() {
        return System.nanoTime() + shiftNanos;
    }

    private void prepare() {
        sequence = world.sequence();
        world.run(
                "update sequence set batch_size = 50, replay_cap = 20, confirm_timeout = '20 s', safety_window = '30 s' where id = ?",
                sequence);
        world.run(
                "insert into sequence_counter (sequence_id, period, next_value, issue_floor) values (?, '', 0, 0)",
                sequence);
        for (int i = 0; i < NODES; i++) {
            nodes.add(new StormNode(world, sequence, new PgBatchStore(world.database), instances, pool, this::now));
        }
    }

    private void step(Random random) {
        StormNode node = nodes.get(random.nextInt(NODES));
        int dice = random.nextInt(100);
        if (dice < 25) {
            int count = 1 + random.nextInt(30);
            node.take(count, random);
            if (random.nextInt(10) > 0) {
                node.answer(history);
            }
            operations += count;
        } else if (dice < 48) {
            settleSome(random);
        } else if (dice < 65) {
            node.claim(random);
            node.take(random.nextInt(20), random);
            node.answer(history);
        } else if (dice < 80) {
            passes(random);
        } else if (dice < 83) {
            node.seal();
            node.sendSeals(random.nextInt(4) == 0);
        } else if (dice < 86) {
            nodes.forEach(StormNode::renew);
        } else if (dice < 88) {
            node.answer(history);
        } else if (dice < 90) {
            disturbPool(random);
        } else if (dice < 91) {
            node.crash();
        } else if (dice < 92) {
            if (!late.isEmpty()) {
                late.remove(random.nextInt(late.size())).run();
            }
        } else {
            leap(random.nextInt(6) == 0 ? 10 + random.nextInt(40) : 1 + random.nextInt(6));
            nodes.stream().filter(n -> random.nextInt(5) > 0).forEach(StormNode::renew);
        }
        operations++;
    }

    private void settleSome(Random random) {
        if (history.all.isEmpty()) {
            return;
        }
        List<Held> held = new ArrayList<>();
        List<SettleKind> kinds = new ArrayList<>();
        List<Item> items = new ArrayList<>();
        int count = 1 + random.nextInt(60);
        for (int i = 0; i < count; i++) {
            int recent = random.nextInt(4) == 0 ? history.all.size() : Math.min(history.all.size(), 300);
            Held h = history.all.get(history.all.size() - 1 - random.nextInt(recent));
            int dice = random.nextInt(100);
            SettleKind kind = dice < 30 ? SettleKind.CONFIRM : dice < 97 ? SettleKind.ABANDON : SettleKind.VOID;
            boolean ticket = h.generation > 0 || random.nextInt(8) > 0;
            held.add(h);
            kinds.add(kind);
            items.add(new Item(
                    kind,
                    sequence,
                    "",
                    ticket ? h.batchId : SettleStore.NO_BATCH,
                    h.value,
                    ticket ? h.generation : SettleStore.NO_TICKET,
                    false,
                    false,
                    false,
                    null,
                    "storm",
                    "storm",
                    null));
        }
        operations += count;
        for (int i = 0; i < count; i++) {
            history.sends(held.get(i), kinds.get(i), now());
        }
        int fate = random.nextInt(20);
        if (fate == 0 && late.size() < 50) {
            // On the wire for a long time; whoever sent it has given up.
            late.add(() -> await(settle.settle(items)));
            return;
        }
        Future<List<Answer>> twin = fate == 1 ? settle.settle(items) : Future.succeededFuture(List.of());
        List<Answer> answers = await(settle.settle(items));
        await(twin);
        if (fate != 2) {
            for (int i = 0; i < count; i++) {
                history.answered(held.get(i), kinds.get(i), answers.get(i).outcome());
            }
        }
    }

    /** One or more passes, of several instances at once. */
    private void passes(Random random) {
        List<Future<?>> runs = new ArrayList<>();
        int many = 1 + random.nextInt(3);
        for (int i = 0; i < many; i++) {
            runs.add(
                    switch (random.nextInt(6)) {
                        case 0 -> world.expire(sequence).run();
                        case 1 -> world.release(sequence, pool).run();
                        case 2 -> world.repush(sequence, pool).run();
                        case 3 -> world.close(sequence).run();
                        case 4 -> new ReapPass(instances, 10).run();
                        default -> new DeadLetters(world.pushes).redriveAll(DeadLetterStore.Filter.ALL, "storm");
                    });
        }
        await(Future.all(runs));
    }

    private void disturbPool(Random random) {
        switch (random.nextInt(5)) {
            case 0 -> world.flush();
            case 1 -> await(world.pool.pop(sequence, 1 + random.nextInt(20)));
            case 2 -> {
                List<PoolEntry> entries = new ArrayList<>(await(world.pool.pop(sequence, 1 + random.nextInt(30))));
                List<PoolEntry> twice = new ArrayList<>(entries);
                twice.addAll(entries);
                entries.forEach(e -> twice.add(new PoolEntry(e.id(), e.version() - 1)));
                Collections.shuffle(twice, random);
                await(world.pool.append(sequence, twice));
            }
            case 3 -> pool.fault = StoreException.Kind.UNKNOWN;
            default -> pool.fault = null;
        }
    }

    private void leap(int seconds) {
        shiftNanos += seconds * 1_000_000_000L;
        world.pass(sequence, seconds);
        world.run("update instance set lease_until = lease_until - ? * interval '1 s'", seconds);
    }

    /** Nobody asks any more; only the passes go on until nothing moves. */
    private void calm() {
        pool.fault = null;
        late.forEach(Runnable::run);
        nodes.forEach(StormNode::stop);
        for (int i = 0; i < 30 && (i < 3 || moving() > 0); i++) {
            await(new ReapPass(instances, 100).run());
            leap(130);
            await(world.expire(sequence).run());
            await(world.close(sequence).run());
            leap(130);
            await(world.release(sequence).run());
        }
        DeadLetters dead = new DeadLetters(world.pushes);
        for (int i = 0;
                i < 100
                        && await(dead.redriveAll(DeadLetterStore.Filter.ALL, "storm"))
                                .more();
                i++) {}
        leap(300);
        // Each run is bounded, and a long storm leaves more than one of them pushes.
        for (int i = 0; i < 100 && await(world.repush(sequence).run()).more(); i++) {}
        assertThat(moving()).as("numbers still on their way").isZero();
    }

    private long moving() {
        return world.one(
                "select (select count(*) from batch where status < 3) + (select count(*) from issue_log where status in (1, 3, 5))");
    }

    private void check() {
        assertThat(unaccounted()).as("values in no place or in two").isZero();
        assertThat(world.one(
                        "select count(*) from issue_log r join batch b using (batch_id) where r.status <> 2 and get_bit(b.abandoned,"
                                + " (r.seq_no - b.lo)::int) = 0"))
                .as("rows without their bit")
                .isZero();
        Set<String> pooled = new HashSet<>(world.poolOf(sequence));
        assertThat(pooled)
                .as("the pool has every replayable number")
                .containsAll(world.texts("select id || ':' || version from issue_log where status = 4"));
        for (Held h : history.confirmed().values()) {
            assertThat(state(h)).as("acknowledged confirm of %s", h).isEqualTo("2/" + h.generation);
        }
        for (Held h : history.voided().values()) {
            assertThat(state(h)).as("acknowledged void of %s", h).startsWith("7/");
        }
    }

    /** Values below the counter that are not in exactly one place: returned, or issued with one bit, and with a row if abandoned. */
    private long unaccounted() {
        return world.one(
                "select count(*) from generate_series(0, (select next_value - 1 from sequence_counter where sequence_id = ?)) v"
                        + " where (select count(*) from returned_range r where v between r.lo and r.hi)"
                        + " + (select count(*) from batch b where v between b.lo and b.issued_to"
                        + " and get_bit(b.confirmed, (v - b.lo)::int) + get_bit(b.abandoned, (v - b.lo)::int) = 1"
                        + " and (get_bit(b.abandoned, (v - b.lo)::int) = (select count(*)::int from issue_log l where l.sequence_id ="
                        + " b.sequence_id and l.period = b.period and l.seq_no = v))) <> 1",
                sequence);
    }

    private String state(Held h) {
        RecycleWorld.LogView row = world.row(sequence, h.value);
        if (row != null) {
            return row.state().code() + "/" + row.holderGeneration();
        }
        return world.one(
                                "select get_bit(confirmed, (? - lo)::int) from batch where sequence_id = ? and ? between lo and issued_to",
                                h.value,
                                sequence,
                                h.value)
                        == 1
                ? "2/0"
                : "none/0";
    }
}
