package dev.reissue.recycle;

import static dev.reissue.recycle.RecycleWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.StoreException;
import dev.reissue.recycle.DeadLetterStore.Filter;
import dev.reissue.recycle.DeadLetterStore.Letter;
import dev.reissue.recycle.RecycleWorld.Holder;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The pool loses, refuses, or is away; dead letters and their redrive. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RepushIT {
    private final RecycleWorld world = new RecycleWorld(14);
    private final FaultyPool faulty = new FaultyPool(world.pool);
    private final DeadLetters letters = new DeadLetters(world.pushes);

    @BeforeAll
    void empty() {
        world.flush();
    }

    @AfterAll
    void close() {
        world.close();
    }

    @Test
    void aFlushedPoolGetsItsEntriesBackAndNothingIsHandedOutTwice() {
        int s = released(1005, 1009);
        world.flush();
        assertThat(await(world.repush(s).run()).pushed()).isZero();
        world.pass(s, 30);

        int pushed = await(world.repush(s).run()).pushed();
        // Another instance looks at the same time.
        pushed += await(world.repush(s).run()).pushed();

        assertThat(pushed).isEqualTo(2);
        assertThat(world.poolOf(s)).hasSize(2);
        Holder a = world.holder();
        a.refill(world, s);
        Set<Long> issued = new HashSet<>();
        for (Claimed c = a.stock.poll(s); c != null; c = a.stock.poll(s)) {
            assertThat(issued.add(c.value())).isTrue();
        }
        assertThat(issued).containsExactlyInAnyOrder(1005L, 1009L);
    }

    @Test
    void passesOfSeveralInstancesPushALostEntryOnce() {
        int s = released(LongStream.range(0, 1200).toArray());
        world.flush();
        world.pass(s, 30);

        int pushed = 0;
        List<Future<RepushPass.Report>> runs = java.util.stream.Stream.generate(
                        () -> world.repush(s).run())
                .limit(5)
                .toList();
        for (Future<RepushPass.Report> run : runs) {
            pushed += await(run).pushed();
        }
        pushed += await(world.repush(s).run()).pushed();

        assertThat(pushed).isEqualTo(1200);
        assertThat(world.poolOf(s)).hasSize(1200).doesNotHaveDuplicates();
    }

    @Test
    void aNumberThatWaitsBecauseNobodyNeedsOneHasNoFailure() {
        int s = released(7);
        for (int i = 0; i < 8; i++) {
            world.pass(s, 300);
            assertThat(await(world.repush(s).run())).isEqualTo(new RepushPass.Report(1, 0, 0, 0, 0, false));
        }
        assertThat(world.known(s, 7).pushAttempts()).isZero();
        assertThat(world.poolOf(s)).hasSize(1);
    }

    @Test
    void theFourthLossOfAnEntryMakesADeadLetterAndAnAlert() {
        int s = released(7);
        for (int seconds : new int[] {30, 120, 300}) {
            await(world.pool.pop(s, 10));
            world.pass(s, seconds - 1);
            assertThat(await(world.repush(s).run()).pushed()).isZero();
            world.pass(s, 1);
            assertThat(await(world.repush(s).run()).pushed()).isOne();
        }
        await(world.pool.pop(s, 10));
        world.pass(s, 300);

        assertThat(await(world.repush(s).run()).dead()).isOne();

        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.DEAD);
        List<Letter> dead = await(letters.list(new Filter(null, name(s), null, null), 0, 10));
        assertThat(dead).singleElement().satisfies(letter -> {
            assertThat(letter.reason()).isEqualTo(DeadReason.ENTRY_LOST);
            assertThat(letter.row().value()).isEqualTo(7);
            assertThat(letter.pushFailures()).isEqualTo(3);
        });
        RecycleAlerts.Subject subject = world.alerted(RecycleAlerts.Kind.DEAD_LETTER, s);
        assertThat(subject.sequence()).isEqualTo(name(s));
        assertThat(subject.number()).isEqualTo("N-000007");
        assertThat(subject.row().batchId()).isPositive();
        assertThat(world.story(s, 7)).last().isEqualTo("4>8:0:entry-lost");
    }

    @Test
    void ruleARedriveGoesOnWithGenerationAndVersion() {
        int s = dead(7);
        long id = world.known(s, 7).id();
        long version = world.known(s, 7).version();

        assertThat(await(letters.redrive(id, "op"))).isTrue();
        assertThat(await(letters.redrive(id, "op"))).isFalse();

        assertThat(world.known(s, 7).version()).isEqualTo(version + 1);
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYABLE);
        assertThat(await(world.repush(s).run()).pushed()).isOne();
        assertThat(world.known(s, 7).pushAttempts()).isZero();
        Holder a = world.holder();
        assertThat(a.refill(world, s).claimed()).isOne();
        assertThat(world.story(s, 7)).contains("8>4:0:redrive");
    }

    @Test
    void deadLettersAreRedrivenByFilterAndAll() {
        int a = dead(1, 2, 3);
        int b = dead(4, 5);

        assertThat(await(letters.redriveAll(new Filter(null, name(a), DeadReason.PROBE_UNKNOWN, null), "op"))
                        .redriven())
                .isZero();
        assertThat(await(letters.redriveAll(new Filter(null, name(a), DeadReason.ENTRY_LOST, null), "op"))
                        .redriven())
                .isEqualTo(3);
        assertThat(await(letters.list(new Filter("default", name(b), null, null), 0, 10)))
                .hasSize(2);
        assertThat(await(letters.redriveAll(new Filter("default", name(b), null, null), "op")))
                .isEqualTo(new DeadLetters.Redriven(2, false));
    }

    @Test
    void aDeadLetterThatWasDeclaredVoidIsNotShownAndNotRedriven() {
        int s = dead(7);
        world.run("update issue_log set status = 7, version = version + 1 where sequence_id = ?", s);
        assertThat(await(letters.list(new Filter(null, name(s), null, null), 0, 10)))
                .isEmpty();
        assertThat(await(letters.redrive(world.known(s, 7).id(), "op"))).isFalse();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.VOID);
    }

    @Test
    void anOutageOfThePoolPausesThePassAndCountsNothing() {
        int s = released(7);
        faulty.fault = StoreException.Kind.UNKNOWN;
        for (int i = 0; i < 6; i++) {
            world.pass(s, 300);
            assertThat(await(world.repush(s, faulty).run())).isEqualTo(new RepushPass.Report(0, 0, 0, 0, 1, false));
        }
        faulty.fault = null;
        assertThat(world.known(s, 7).pushAttempts()).isZero();
        assertThat(await(world.repush(s, faulty).run()).waiting()).isOne();
    }

    @Test
    void releasedDuringAnOutageANumberWaitsInTheDatabaseAndIsPushedWithoutAFailure() {
        int s = world.sequence();
        long b = world.sealed(s, 7, 7);
        world.abandon(s, b, 7);
        world.pass(s, 120);
        faulty.fault = StoreException.Kind.UNAVAILABLE;
        ReleasePass.Report r = await(world.release(s, faulty).run());
        faulty.fault = null;

        assertThat(r.released()).isOne();
        assertThat(r.undelivered()).isOne();
        assertThat(world.known(s, 7).pushed()).isFalse();
        world.pass(s, 30);
        assertThat(await(world.repush(s).run()).pushed()).isOne();
        assertThat(world.known(s, 7).pushAttempts()).isZero();
    }

    @Test
    void aPushThatThePoolRefusesIsAFailureAndTheFourthOneADeadLetter() {
        int s = world.sequence();
        long b = world.sealed(s, 7, 7);
        world.abandon(s, b, 7);
        world.pass(s, 120);
        await(world.redis.send(Request.cmd(Command.SET).arg("test:pool:" + s).arg("no list")));

        assertThat(await(world.release(s).run()).refused()).isOne();
        assertThat(world.known(s, 7).pushAttempts()).isOne();
        int dead = 0;
        for (int i = 0; i < 4 && dead == 0; i++) {
            world.pass(s, 300);
            dead = await(world.repush(s).run()).dead();
        }

        assertThat(dead).isOne();
        assertThat(await(letters.list(new Filter(null, name(s), null, null), 0, 10)))
                .singleElement()
                .satisfies(letter -> {
                    assertThat(letter.reason()).isEqualTo(DeadReason.PUSH_REFUSED);
                    assertThat(letter.pushFailures()).isEqualTo(4);
                });
    }

    @Test
    void aLongListIsSearchedToItsFront() {
        int s = released(7);
        PoolEntry entry =
                world.poolOf(s).stream().map(PoolEntry::parse).toList().get(0);
        await(world.pool.append(
                s,
                LongStream.range(0, 12_000)
                        .mapToObj(i -> new PoolEntry(10_000_000 + i, 1))
                        .toList()));

        assertThat(await(world.pool.waiting(s, Set.of(entry, new PoolEntry(entry.id(), 999)))))
                .containsExactly(entry);
    }

    private String name(int s) {
        return "s" + s;
    }

    private int released(long... values) {
        int s = world.sequence();
        for (long v : values) {
            world.abandon(s, world.sealed(s, v, v), v);
        }
        world.pass(s, 120);
        assertThat(await(world.release(s).run()).released()).isEqualTo(values.length);
        return s;
    }

    private int dead(long... values) {
        int s = released(values);
        world.run("update issue_log set push_attempts = 3 where sequence_id = ?", s);
        await(world.redis.send(Request.cmd(Command.DEL).arg("test:pool:" + s)));
        world.pass(s, 300);
        assertThat(await(world.repush(s).run()).dead()).isEqualTo(values.length);
        return s;
    }
}
