package dev.reissue.recycle;

import static dev.reissue.recycle.RecycleWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.StoreException;
import dev.reissue.recycle.FaultyClaims.Fault;
import dev.reissue.recycle.RecycleWorld.Holder;
import dev.reissue.recycle.RecycleWorld.LogView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Claims, their renewal and their return; the rules of the protocol's model are named where a test holds one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClaimIT {
    private final RecycleWorld world = new RecycleWorld(13);
    private final FaultyClaims faulty = new FaultyClaims(world.claims);
    private final FaultyPool faultyPool = new FaultyPool(world.pool);

    @BeforeAll
    void empty() {
        world.flush();
    }

    @AfterAll
    void close() {
        world.close();
    }

    @Test
    void anEntryThatThePoolHoldsTwiceIsHandedOutOnce() {
        int s = released(1005);
        PoolEntry entry =
                world.poolOf(s).stream().map(PoolEntry::parse).toList().get(0);
        await(world.pool.append(s, List.of(entry, entry)));
        Holder a = world.holder();
        Holder b = world.holder();
        a.refill(world, s);
        b.refill(world, s);

        List<Long> issued = new ArrayList<>();
        for (Holder h : List.of(a, b)) {
            for (Claimed c = h.stock.poll(s); c != null; c = h.stock.poll(s)) {
                issued.add(c.value());
            }
        }
        assertThat(issued).containsExactly(1005L);
    }

    @Test
    void anEntryOfAnOlderVersionWinsNothing() {
        int s = released(7);
        await(world.pool.append(
                s,
                List.of(new PoolEntry(world.known(s, 7).id(), world.known(s, 7).version() - 1))));
        await(world.pool.pop(s, 1));
        Holder a = world.holder();

        assertThat(a.refill(world, s).lostRace()).isOne();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYABLE);
    }

    @Test
    void ofASequenceUnderRepairNothingIsClaimedEvenByWhoKnowsNothing() {
        int s = released(7);
        world.run(
                "insert into sequence_counter (sequence_id, next_value, issue_floor, repair_from) values (?, 100, 1, 90)",
                s);

        assertThat(world.holder().refill(world, s).claimed()).isZero();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYABLE);
    }

    @Test
    void whatARepairHasMadeSuspectIsNotClaimedAndRetiredInTheEnd() {
        int s = released(7);
        world.run(
                "insert into sequence_counter (sequence_id, next_value, issue_floor, suspect_to)"
                        + " select sequence_id, 100, 1, batch_id from issue_log where sequence_id = ? and seq_no = 7",
                s);

        assertThat(world.holder().refill(world, s).claimed()).isZero();
        world.pass(s, 30);
        assertThat(await(world.repush(s).run()).retired()).isOne();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.RETIRED);
        assertThat(world.story(s, 7)).last().asString().contains("suspect-batch");
    }

    @Test
    void claimedByAProcessThatDiesANumberComesBackAfterTimeoutAndWindow() {
        int s = released(1005);
        world.holder().refill(world, s);
        assertThat(world.known(s, 1005).state()).isEqualTo(NumberState.REPLAYED);

        // t + 5 s for the time in stock, then W.
        world.pass(s, 65);
        await(world.expire(s).run());
        world.pass(s, 120);
        await(world.release(s).run());
        Holder b = world.holder();
        b.refill(world, s);
        Claimed again = b.stock.poll(s);
        assertThat(again).isNotNull();
        assertThat(again.generation()).isEqualTo(2);
    }

    @Test
    void poppedByAProcessThatDiesBeforeItsClaimANumberIsPushedAgain() {
        int s = released(1005);
        await(world.pool.pop(s, 10));

        assertThat(await(world.repush(s).run()).pushed()).isZero();
        world.pass(s, 30);
        assertThat(await(world.repush(s).run()).pushed()).isOne();

        Holder b = world.holder();
        assertThat(b.refill(world, s).claimed()).isOne();
    }

    @Test
    void ruleGiveBackNamesOwnerAndVersionAndBurnsTheGeneration() {
        int s = released(7);
        Holder a = world.holder();
        a.refill(world, s);
        LogView claimed = world.known(s, 7);
        PoolEntry held = new PoolEntry(claimed.id(), claimed.version());

        assertThat(await(world.claims.giveBack(UUID.randomUUID(), List.of(held), 30_000)))
                .isEmpty();
        assertThat(await(world.claims.giveBack(a.id, List.of(new PoolEntry(held.id(), held.version() - 1)), 30_000)))
                .isEmpty();
        assertThat(await(a.pass.drain()).givenBack()).isOne();

        LogView back = world.known(s, 7);
        assertThat(back.state()).isEqualTo(NumberState.REPLAYABLE);
        assertThat(back.generation()).isOne();
        assertThat(back.holderGeneration()).isZero();
        assertThat(back.replayTimes()).isZero();
        assertThat(back.version()).isEqualTo(claimed.version() + 1);
        assertThat(world.poolOf(s)).containsExactly(back.id() + ":" + back.version());
        Holder b = world.holder();
        b.refill(world, s);
        Claimed next = b.stock.poll(s);
        assertThat(next).isNotNull();
        assertThat(next.generation()).isEqualTo(2);
        // A late repeat of a's statement must not take it from b.
        assertThat(await(world.claims.giveBack(a.id, List.of(held), 30_000))).isEmpty();
        assertThat(world.known(s, 7).owner()).isEqualTo(b.id);
    }

    @Test
    void ruleANumberIsTakenOutOfTheStockBeforeItIsGivenBack() {
        int s = released(7);
        Holder a = world.holder();
        a.refill(world, s);
        Claimed taken = a.stock.poll(s);
        assertThat(taken).isNotNull();

        assertThat(await(a.pass.drain()).givenBack()).isZero();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYED);
    }

    @Test
    void ruleANumberTooOldForTheLastCheckIsNotHandedOutButRenewed() {
        int s = released(7);
        Holder a = world.holder();
        a.refill(world, s);
        long version = world.known(s, 7).version();
        world.nanos.addAndGet(RecycleWorld.HAND_OUT_MAX_NANOS / 2);

        assertThat(a.stock.poll(s)).isNull();
        assertThat(await(a.pass.run()).renewed()).isOne();

        Claimed fresh = a.stock.poll(s);
        assertThat(fresh).isNotNull();
        assertThat(fresh.generation()).isOne();
        assertThat(fresh.claimSentNanos()).isEqualTo(world.nanos.get());
        assertThat(world.known(s, 7).version()).isEqualTo(version + 1);
        assertThat(world.known(s, 7).replayTimes()).isOne();
    }

    @Test
    void ruleARenewalMovesTheDueDateAndIsTakenOutOfTheStockBefore() {
        int s = released(7);
        List<Holder> holder = new ArrayList<>();
        List<Claimed> takenMeanwhile = new ArrayList<>();
        Holder a = world.holder(
                new FaultyClaims(world.claims) {
                    @Override
                    public io.vertx.core.Future<List<Won>> renew(UUID owner, UUID claimId, List<PoolEntry> held) {
                        for (Claimed c = holder.get(0).stock.poll(s);
                                c != null;
                                c = holder.get(0).stock.poll(s)) {
                            takenMeanwhile.add(c);
                        }
                        return super.renew(owner, claimId, held);
                    }
                },
                world.pool);
        holder.add(a);
        a.refill(world, s);
        world.pass(s, 64);
        // Old enough to be renewed, young enough to be taken.
        world.nanos.addAndGet(RecycleWorld.HAND_OUT_MAX_NANOS * 3 / 8);
        assertThat(await(a.pass.run()).renewed()).isOne();

        assertThat(takenMeanwhile).isEmpty();
        world.pass(s, 2);
        assertThat(await(world.expire(s).run()).reissued()).isZero();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYED);
    }

    @Test
    void aSequenceThatNobodyAsksForGivesItsNumbersBack() {
        int s = released(7);
        Holder a = world.holder();
        a.refill(world, s);
        world.nanos.addAndGet((120 + 61) * 1_000_000_000L);

        assertThat(await(a.pass.run()).givenBack()).isOne();

        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYABLE);
        assertThat(a.stock.size()).isZero();
        assertThat(await(a.pass.run()).claimed()).isZero();
        assertThat(world.poolOf(s)).hasSize(1);
    }

    @Test
    void aSequenceThatWasNeverAskedForIsNotClaimed() {
        int s = released(7);
        Holder a = world.holder();
        assertThat(await(a.pass.run()).claimed()).isZero();
        assertThat(world.poolOf(s)).hasSize(1);
    }

    @Test
    void ruleAClaimWhoseAnswerIsLostIsLookedUpByItsIdAndGivenBack() {
        for (Fault fault : List.of(Fault.COMMITTED, Fault.NOT_COMMITTED, Fault.LATE)) {
            int s = released(7);
            Holder a = world.holder(faulty, world.pool);
            faulty.faults.add(fault);
            assertThat(a.refill(world, s).claimed()).isZero();
            if (fault == Fault.LATE) {
                world.nanos.addAndGet(2_000_000_000L);
                await(a.pass.run());
                faulty.arrive();
                assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYED);
            }
            assertThat(a.stock.poll(s)).isNull();

            world.nanos.addAndGet(2_000_000_000L);
            a.nobodyAsks(s);
            await(a.pass.run());
            LogView row = world.known(s, 7);
            assertThat(row.state()).as("after %s", fault).isEqualTo(NumberState.REPLAYABLE);
            assertThat(row.replayTimes()).isZero();
            world.pass(s, 30);
            await(world.repush(s).run());
            Holder b = world.holder();
            b.refill(world, s);
            assertThat(b.stock.poll(s)).as("after %s", fault).isNotNull();
        }
    }

    @Test
    void ruleTheClaimsIdDecidesAndNotWhatTheInstanceForgot() {
        int s = released(7);
        Holder a = world.holder();
        a.refill(world, s);
        assertThat(a.stock.poll(s)).isNotNull();

        // The number was handed out, so a does not remember it any more; another claim of a is looked up.
        assertThat(await(world.claims.returnLost(a.id, UUID.randomUUID(), 30_000)))
                .isEmpty();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYED);
    }

    @Test
    void aRefusedClaimPutsTheEntriesBack() {
        int s = released(7);
        Holder a = world.holder(faulty, world.pool);
        faulty.faults.add(Fault.REFUSED);
        assertThat(a.refill(world, s).claimed()).isZero();
        assertThat(world.poolOf(s)).hasSize(1);
        assertThat(a.refill(world, s).claimed()).isOne();
    }

    @Test
    void aRenewalWithoutAnAnswerEndsInANumberThatIsReplayable() {
        for (Fault fault : List.of(Fault.COMMITTED, Fault.NOT_COMMITTED, Fault.LATE)) {
            int s = released(7);
            Holder a = world.holder(faulty, world.pool);
            a.refill(world, s);
            world.nanos.addAndGet(RecycleWorld.HAND_OUT_MAX_NANOS / 2);
            faulty.faults.add(fault);
            await(a.pass.run());
            if (fault == Fault.LATE) {
                faulty.arrive();
            }
            world.nanos.addAndGet(2_000_000_000L);
            a.nobodyAsks(s);
            await(a.pass.run());
            assertThat(world.known(s, 7).state()).as("after %s", fault).isEqualTo(NumberState.REPLAYABLE);
        }
    }

    @Test
    void aReturnIsRepeatedUntilItsOutcomeIsKnown() {
        int s = released(7);
        Holder a = world.holder(faulty, world.pool);
        a.refill(world, s);
        a.nobodyAsks(s);
        world.nanos.addAndGet(RecycleWorld.HAND_OUT_MAX_NANOS / 2);
        faulty.faults.add(Fault.NOT_COMMITTED);
        assertThat(await(a.pass.run()).givenBack()).isZero();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYED);
        assertThat(a.stock.poll(s)).isNull();
        a.nobodyAsks(s);
        assertThat(await(a.pass.run()).givenBack()).isOne();
    }

    @Test
    void ruleALostLeaseIsFinalAndNothingClaimedUnderItIsHandedOut() {
        int s = released(7);
        Holder a = world.holder();
        a.refill(world, s);
        assertThat(a.stock.size()).isOne();
        a.id = UUID.randomUUID();

        assertThat(a.stock.poll(s)).isNull();
        assertThat(a.stock.dropAll()).isZero();
        assertThat(world.known(s, 7).state()).isEqualTo(NumberState.REPLAYED);
    }

    @Test
    void anAnswerUnderALostLeaseIsDropped() {
        int s = released(7);
        Holder[] holder = new Holder[1];
        Holder a = world.holder(
                new FaultyClaims(world.claims) {
                    @Override
                    public io.vertx.core.Future<List<Won>> claim(
                            UUID owner, UUID claimId, List<PoolEntry> entries, Map<Integer, CounterMark> known) {
                        return super.claim(owner, claimId, entries, known)
                                .onSuccess(won -> holder[0].id = UUID.randomUUID());
                    }
                },
                world.pool);
        holder[0] = a;

        assertThat(a.refill(world, s).dropped()).isOne();
        assertThat(a.stock.size()).isZero();
    }

    @Test
    void withoutAValidLeaseNothingIsClaimed() {
        int s = released(7);
        Holder a = world.holder();
        a.valid = false;
        assertThat(a.refill(world, s).claimed()).isZero();
        assertThat(world.poolOf(s)).hasSize(1);
    }

    @Test
    void anEmptyPoolIsNotPopped() {
        int s = released(7);
        Holder a = world.holder(world.claims, new FaultyPool(world.pool) {
            @Override
            public io.vertx.core.Future<java.util.Map<Integer, Long>> depths(java.util.Collection<Integer> ids) {
                return io.vertx.core.Future.succeededFuture(java.util.Map.of(s, 0L));
            }
        });
        assertThat(a.refill(world, s).claimed()).isZero();
        assertThat(world.poolOf(s)).hasSize(1);
    }

    @Test
    void aPoolThatAnotherProcessSawEmptyIsNeitherAskedNorPoppedUntilThatIsOld() {
        int s = released(7);
        Holder a = world.holder();
        a.told.tell(java.util.Map.of(s, 0L));
        assertThat(a.refill(world, s).claimed()).isZero();
        assertThat(a.refill(world, s).claimed()).isZero();
        assertThat(world.poolOf(s)).hasSize(1);
        assertThat(a.refill(world, s).claimed()).isOne();
    }

    @Test
    void aPoolThatAnotherProcessSawFilledIsPoppedWithoutAsking() {
        int s = released(7);
        Holder a = world.holder(world.claims, new FaultyPool(world.pool) {
            @Override
            public io.vertx.core.Future<java.util.Map<Integer, Long>> depths(java.util.Collection<Integer> ids) {
                throw new AssertionError("asked for " + ids);
            }
        });
        a.told.tell(java.util.Map.of(s, 1L));
        assertThat(a.refill(world, s).claimed()).isOne();
    }

    @Test
    void withThePoolOutOfReachTakingGoesOnAndClaimingHealsAlone() {
        int s = released(7);
        Holder a = world.holder(world.claims, faultyPool);
        faultyPool.fault = StoreException.Kind.UNKNOWN;
        assertThat(a.refill(world, s)).isEqualTo(ClaimReport.NONE);
        assertThat(a.stock.poll(s)).isNull();
        faultyPool.fault = null;
        assertThat(a.refill(world, s).claimed()).isOne();
        assertThat(a.stock.poll(s)).isNotNull();
    }

    @Test
    void aNumberOfARequestThatCouldNotBeServedAsAWholeIsHandedOutToTheNext() {
        int s = released(7);
        Holder a = world.holder();
        a.refill(world, s);
        Claimed c = a.stock.poll(s);
        assertThat(c).isNotNull();
        a.stock.giveBack(s, c);
        await(a.pass.run());
        Claimed again = a.stock.poll(s);
        assertThat(again).isNotNull();
        assertThat(again.value()).isEqualTo(7);
    }

    @Test
    void ruleAClaimLeavesTheReasonAlone() {
        int s = released(7);
        Holder a = world.holder();
        a.refill(world, s);
        assertThat(world.known(s, 7).explicit()).isTrue();
        await(a.pass.drain());
        assertThat(world.known(s, 7).explicit()).isTrue();
    }

    @Test
    void whatIsInThePoolThatIsNoEntryIsDropped() {
        int s = released(7);
        await(world.redis.send(io.vertx.redis.client.Request.cmd(io.vertx.redis.client.Command.LPUSH)
                .arg("test:pool:" + s)
                .arg("nonsense")
                .arg("1:x")));
        Holder a = world.holder();
        assertThat(a.refill(world, s).claimed()).isOne();
        assertThat(await(world.pool.waiting(s, Set.of(new PoolEntry(1, 1))))).isEmpty();
    }

    /** A sequence with one replayable number, explicitly abandoned before. */
    private int released(long value) {
        int s = world.sequence();
        long b = world.sealed(s, value, value);
        world.abandon(s, b, value);
        world.pass(s, 120);
        assertThat(await(world.release(s).run()).released()).isOne();
        return s;
    }
}
