package dev.reissue.recycle;

import static dev.reissue.recycle.RecycleWorld.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.ledger.NumberState;
import dev.reissue.recycle.RecycleWorld.Holder;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The way of numbers from abandoned to issued again, pass by pass. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecyclePathIT {
    private final RecycleWorld world = new RecycleWorld(11);

    @BeforeAll
    void empty() {
        world.flush();
    }

    @AfterAll
    void close() {
        world.close();
    }

    @Test
    void anAbandonedNumberComesBackOnceAndNotBeforeItsWindowIsOver() {
        int s = world.sequence();
        long b = world.sealed(s, 1, 1000, 5);
        for (int v : new int[] {1, 2, 4, 5}) {
            world.confirmBit(b, v);
        }
        world.abandon(s, b, 3);
        Holder a = world.holder();

        assertThat(await(world.release(s).run()).released()).isZero();
        world.pass(s, 119);
        assertThat(await(world.release(s).run()).released()).isZero();
        world.pass(s, 1);
        assertThat(await(world.release(s).run()).released()).isOne();
        assertThat(a.stock.poll(s)).isNull();
        a.refill(world, s);

        Claimed three = a.stock.poll(s);
        assertThat(three).isNotNull();
        assertThat(three.value()).isEqualTo(3);
        assertThat(three.generation()).isOne();
        assertThat(a.stock.poll(s)).isNull();
        assertThat(world.known(s, 3).state()).isEqualTo(NumberState.REPLAYED);
        assertThat(world.story(s, 3)).containsExactly("3>4:0:", "4>5:1:claimed");
    }

    @Test
    void numbersNeitherConfirmedNorAbandonedTimeOutAndTheirBatchIsClosed() {
        int s = world.sequence();
        long b = world.sealed(s, 100, 109, 106);
        world.confirmBit(b, 100);
        world.abandon(s, b, 101);

        ExpirePass.Report r = await(world.expire(s).run());

        assertThat(r).isEqualTo(new ExpirePass.Report(1, 5, 1, 0, false));
        assertThat(world.one("select status from batch where batch_id = ?", b)).isEqualTo(3);
        assertThat(world.row(s, 100)).isNull();
        assertThat(world.row(s, 107)).isNull();
        assertThat(world.known(s, 101).explicit()).isTrue();
        assertThat(world.known(s, 106).explicit()).isFalse();
        assertThat(world.known(s, 106).state()).isEqualTo(NumberState.ABANDONED);
        assertThat(world.story(s, 106)).containsExactly("->3:0:timeout");
        assertThat(await(world.expire(s).run()).batches()).isZero();
    }

    @Test
    void aBatchThatIsNotDueIsNotExpired() {
        int s = world.sequence();
        long b = world.sealed(s, 1, 10);
        world.run("update batch set due_at = now() + interval '1 s' where batch_id = ?", b);

        assertThat(await(world.expire(s).run()).numbers()).isZero();
        world.pass(s, 1);
        assertThat(await(world.expire(s).run()).numbers()).isEqualTo(10);
    }

    @Test
    void aBatchOfManyUnsettledNumbersIsExpiredInPages() {
        int s = world.sequence();
        world.sealed(s, 0, 4999);
        ExpirePass one = new ExpirePass(world.scans, world.only(s), new Paging(new PageSize(200), 1));

        assertThat(await(one.run())).isEqualTo(new ExpirePass.Report(1, 200, 0, 0, true));
        assertThat(await(new ExpirePass(world.scans, world.only(s), new Paging(new PageSize(1000), 5)).run()))
                .isEqualTo(new ExpirePass.Report(5, 4800, 1, 0, false));
        assertThat(world.one("select count(distinct seq_no) from issue_log where sequence_id = ?", s))
                .isEqualTo(5000);
    }

    @Test
    void expiringPassesOfSeveralInstancesOverlapWithoutHarm() {
        int s = world.sequence();
        for (int i = 0; i < 20; i++) {
            world.sealed(s, i * 100L, i * 100L + 99);
        }

        int numbers = together(8, () -> world.expire(s).run()).stream()
                .mapToInt(ExpirePass.Report::numbers)
                .sum();
        numbers += await(world.expire(s).run()).numbers();

        assertThat(numbers).isEqualTo(2000);
        assertThat(world.one("select count(*) from issue_event where sequence_id = ?", s))
                .isEqualTo(2000);
    }

    @Test
    void releasingAndClaimingOfSeveralInstancesOverlapWithoutHarm() {
        int s = world.sequence();
        world.sealed(s, 0, 1999);
        await(world.expire(s).run());
        world.pass(s, 120);

        int released = together(6, () -> world.release(s).run()).stream()
                .mapToInt(ReleasePass.Report::released)
                .sum();
        released += await(world.release(s).run()).released();
        assertThat(released).isEqualTo(2000);
        // Everything twice: the pool may hold duplicates.
        List<PoolEntry> all = world.poolOf(s).stream().map(PoolEntry::parse).toList();
        await(world.pool.append(s, all));

        Set<Long> issued = new HashSet<>();
        List<Holder> holders =
                IntStream.range(0, 3).mapToObj(i -> world.holder()).toList();
        for (int round = 0; round < 200 && issued.size() < 2000; round++) {
            holders.forEach(h -> h.stock.shelf(s).asked.add(100_000));
            world.nanos.addAndGet(600_000_000L);
            await(Future.all(holders.stream().map(h -> h.pass.run()).toList()));
            for (Holder h : holders) {
                for (Claimed c = h.stock.poll(s); c != null; c = h.stock.poll(s)) {
                    assertThat(issued.add(c.value()))
                            .as("value %s handed out once", c.value())
                            .isTrue();
                }
            }
        }
        assertThat(issued).hasSize(2000);
    }

    @Test
    void aReissuedNumberThatTimesOutRestsForAnotherWindowAndNamesItsLastHolder() {
        int s = world.sequence();
        Holder a = reissued(s, 7);
        assertThat(world.known(s, 7).holderGeneration()).isZero();

        world.pass(s, 64);
        assertThat(await(world.expire(s).run()).reissued()).isZero();
        world.pass(s, 1);
        assertThat(await(world.expire(s).run()).reissued()).isOne();

        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.ABANDONED);
        assertThat(world.known(s, 7).holderGeneration()).isOne();
        assertThat(world.known(s, 7).explicit()).isFalse();
        assertThat(await(world.release(s).run()).released()).isZero();
        world.pass(s, 120);
        assertThat(await(world.release(s).run()).released()).isOne();
        a.refill(world, s);
        Claimed again = a.stock.poll(s);
        assertThat(again).isNotNull();
        assertThat(again.generation()).isEqualTo(2);
    }

    @Test
    void aNumberThatCameBackUnusedTooOftenIsRetiredAndReported() {
        int s = world.sequence();
        Holder a = reissued(s, 7);
        world.pass(s, 65);
        await(world.expire(s).run());
        world.pass(s, 120);
        await(world.release(s).run());
        a.refill(world, s);
        assertThat(a.stock.poll(s)).isNotNull();
        world.pass(s, 65);
        await(world.expire(s).run());
        world.pass(s, 120);

        assertThat(await(world.release(s).run()).retired()).isOne();

        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.RETIRED);
        RecycleAlerts.Subject subject = world.alerted(RecycleAlerts.Kind.HOT_NUMBER, s);
        assertThat(subject.number()).isEqualTo("N-000007");
        assertThat(world.story(s, 7)).last().isEqualTo("3>6:2:replay-cap");
    }

    @Test
    void withRecyclingOffOrTooOldOrOfALostHistoryANumberIsRetired() {
        record Limit(String change, String reason) {}
        for (Limit limit : List.of(
                new Limit("update sequence set recycle = false where id = ?", "recycling-off"),
                new Limit("update sequence set recycle_age_max = '1 ms' where id = ?", "too-old"),
                new Limit("update batch set suspect = true where sequence_id = ?", "suspect-batch"),
                new Limit(
                        "insert into sequence_counter (sequence_id, next_value, issue_floor, suspect_to)"
                                + " values (?, 100, 1, 1000000000)",
                        "suspect-batch"))) {
            int s = world.sequence();
            long b = world.sealed(s, 1, 10);
            world.abandon(s, b, 3);
            world.pass(s, 120);
            world.run(limit.change, s);

            assertThat(await(world.release(s).run()).retired()).isOne();
            assertThat(world.story(s, 3)).containsExactly("3>6:0:" + limit.reason);
            assertThat(world.poolOf(s)).isEmpty();
        }
    }

    @Test
    void recyclingSwitchedOffKeepsReplayableNumbersUntilItIsSwitchedOn() {
        int s = world.sequence();
        released(s, 5);
        world.run("update sequence set recycle = false where id = ?", s);
        Holder a = world.holder();
        assertThat(a.refill(world, s).claimed()).isZero();
        for (int i = 0; i < 6; i++) {
            world.pass(s, 300);
            await(world.repush(s).run());
        }
        assertThat(world.known(s, 5).state()).isEqualTo(NumberState.REPLAYABLE);
        assertThat(world.known(s, 5).pushAttempts()).isZero();

        world.run("update sequence set recycle = true where id = ?", s);
        world.pass(s, 300);
        assertThat(await(world.repush(s).run()).pushed()).isOne();
        assertThat(a.refill(world, s).claimed()).isOne();
    }

    @Test
    void aBatchOfWhichEveryNumberIsSettledIsClosedWhetherDueOrNot() {
        int s = world.sequence();
        long settled = world.sealed(s, 1, 4, 2);
        long open = world.sealed(s, 11, 14, 12);
        world.run("update batch set due_at = now() + interval '1 hour' where sequence_id = ?", s);
        world.confirmBit(settled, 1);
        world.abandon(s, settled, 2);
        world.confirmBit(open, 11);

        assertThat(await(world.close(s).run())).isEqualTo(new ClosePass.Report(2, 1, false));
        assertThat(world.one("select status from batch where batch_id = ?", settled))
                .isEqualTo(3);
        assertThat(world.one("select status from batch where batch_id = ?", open))
                .isEqualTo(2);
        world.confirmBit(open, 12);
        assertThat(await(world.close(s).run()).closed()).isOne();
    }

    @Test
    void closingGoesRoundWhereManyBatchesAreNotSettledYet() {
        int s = world.sequence();
        for (int i = 0; i < 450; i++) {
            long b = world.sealed(s, i * 10L, i * 10L + 9, i * 10L);
            world.run("update batch set due_at = now() + ? * interval '1 s' where batch_id = ?", i + 60, b);
            if (i == 449) {
                world.confirmBit(b, 4490);
            }
        }
        ClosePass pass = new ClosePass(world.scans, world.only(s), new Paging(new PageSize(200), 1));
        assertThat(await(pass.run())).isEqualTo(new ClosePass.Report(200, 0, false));
        assertThat(await(pass.run())).isEqualTo(new ClosePass.Report(200, 0, false));
        assertThat(await(pass.run())).isEqualTo(new ClosePass.Report(50, 1, false));
        assertThat(await(pass.run())).isEqualTo(new ClosePass.Report(200, 0, false));
    }

    @Test
    void aStuckScanRaisesAnAlertOnTheAgeOfTheOldestUnsettledNumber() {
        try (RecycleWorld other = new RecycleWorld(12)) {
            int s = other.sequence();
            RecycleWatch watch = new RecycleWatch(
                    other.scans, other.pool, RecycleMeter.NOOP, other.alerting, 300_000, 60_000, other.nanos::get);
            await(watch.look());
            other.sealed(s, 1, 10);
            assertThat(await(watch.look()).overdueMs()).isBetween(900L, 20_000L);
            assertThat(other.alerts).isEmpty();
            other.pass(s, 300);

            await(watch.look());
            await(watch.look());

            assertThat(other.alerts).hasSize(1);
            assertThat(other.alerts.get(0).kind()).isEqualTo(RecycleAlerts.Kind.OVERDUE);
            await(other.expire(s).run());
            assertThat(await(watch.look())).isEqualTo(new WatchStore.View(0, 10, 0, 0, List.of()));
        }
    }

    @Test
    void whatWaitsIsToldBySequenceWithinTheScope() {
        try (RecycleWorld other = new RecycleWorld(13)) {
            int s = other.sequence();
            int t = other.sequence();
            other.sealed(s, 1, 10);
            other.sealed(t, 1, 3);
            await(other.expire(t).run());

            assertThat(await(other.scans.backlogs(ScanScope.ALL, 1_000)))
                    .extracting(MemberReport.Backlog::sequenceId, MemberReport.Backlog::cooling)
                    .containsExactlyInAnyOrder(tuple(s, 0L), tuple(t, 3L));
            assertThat(await(other.scans.backlogs(new ScanScope(List.of(t)), 1_000)))
                    .singleElement()
                    .satisfies(b -> assertThat(b.oldestCoolingMs()).isBetween(0L, 20_000L));
            assertThat(await(other.scans.backlogs(new ScanScope(List.of(s)), 1_000)))
                    .singleElement()
                    .satisfies(b -> assertThat(b.unsettled()).isOne());
        }
    }

    /** Brings a number into the pool. */
    private void released(int s, long value) {
        long b = world.sealed(s, value, value);
        world.abandon(s, b, value);
        world.pass(s, 120);
        assertThat(await(world.release(s).run()).released()).isOne();
    }

    private Holder reissued(int s, long value) {
        released(s, value);
        Holder a = world.holder();
        a.refill(world, s);
        assertThat(a.stock.poll(s)).isNotNull();
        return a;
    }

    private static <T> List<T> together(int times, java.util.function.Supplier<Future<T>> run) {
        List<Future<T>> all = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            all.add(run.get());
        }
        return all.stream().map(RecycleWorld::await).toList();
    }
}
