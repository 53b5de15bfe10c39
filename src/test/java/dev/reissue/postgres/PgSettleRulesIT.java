package dev.reissue.postgres;

import static dev.reissue.ledger.Ask.abandon;
import static dev.reissue.ledger.Ask.confirm;
import static dev.reissue.ledger.Ask.voiding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reissue.ledger.Ask;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.StoreException;
import dev.reissue.support.Futures;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The rules of settling, one by one. {@code v} is a value of the sealed batch {@code b}, {@code o} one of the open batch. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PgSettleRulesIT {
    private final SettleLedger ledger = SettleLedger.open(4);
    private int sequence;
    private BatchRange b = new BatchRange(1, 0, 0);
    private BatchRange open = new BatchRange(1, 0, 0);
    private long v;
    private long o;

    @BeforeAll
    void createTheSequences() throws SQLException {
        sequence = ledger.sequence("rules");
    }

    @BeforeEach
    void takeFreshBatches() throws SQLException {
        b = ledger.sealedBatch(sequence, 20);
        open = ledger.openBatch(sequence, 20);
        v = b.lo() + 7;
        o = open.lo() + 3;
    }

    @AfterAll
    void close() throws SQLException {
        ledger.close();
    }

    // Bits and rows of generation 0

    @Test
    void aConfirmTouchesOneBitAndWritesNoRow() throws SQLException {
        ledger.settle(confirm(sequence, o).ticket(open.batchId(), 0));
        assertThat(ledger.text(
                        "select confirmed::text || ' ' || abandoned from batch where batch_id = ?", open.batchId()))
                .isEqualTo("00010000000000000000 " + "0".repeat(20));
        assertThat(ledger.row(o, "status")).isNull();
        assertThat(ledger.history(o)).isNull();
    }

    @Test
    void anAbandonWritesItsRowAndItsHistoryWithTheBit() throws SQLException {
        ledger.settle(abandon(sequence, o).ticket(open.batchId(), 0).because("no stock"));
        assertThat(ledger.bit(open, o)).isEqualTo("a");
        assertThat(
                        ledger.row(
                                o,
                                "batch_id, status, generation, holder_generation, explicit, abandon_reason, version, replay_times"))
                .isEqualTo(open.batchId() + "|3|0|0|t|no stock|1|0");
        assertThat(ledger.history(o)).isEqualTo(">3/0/no stock");
    }

    @Test
    void theWindowOfAnAbandonIsTheSequencesAndRunsOnTheDatabasesClock() throws SQLException {
        ledger.settle(abandon(sequence, v).ticket(b.batchId(), 0));
        assertThat(
                        ledger.row(
                                v,
                                "replay_deadline - abandoned_time >= interval '120 s', replay_deadline < now() + interval '121 s'"))
                .isEqualTo("t|t");
    }

    @Test
    void anAbandonWritesItsRowOnceHoweverOftenItIsRepeated() throws SQLException {
        Ask abandon = abandon(sequence, v).ticket(b.batchId(), 0);
        for (int i = 0; i < 5; i++) {
            ledger.settle(abandon, abandon);
        }
        assertThat(ledger.number("select count(*) from issue_log where seq_no = ?", v))
                .isEqualTo(1);
        assertThat(ledger.row(v, "status, version")).isEqualTo("3|1");
        assertThat(ledger.history(v)).isEqualTo(">3/0");
    }

    @Test
    void aTracedConfirmKeepsItsBusinessKeyAndARepeatDoesNotChangeIt() throws SQLException {
        Ask confirm = confirm(sequence, v).ticket(b.batchId(), 0);
        assertThat(ledger.settleOne(confirm.traced("order-1")))
                .isEqualTo(answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0));
        assertThat(ledger.settleOne(confirm.traced("order-2")))
                .isEqualTo(answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0));
        assertThat(ledger.bit(b, v)).isEqualTo("c");
        assertThat(ledger.row(v, "status, generation, biz_key, explicit, version"))
                .isEqualTo("2|0|order-1|f|1");
        assertThat(ledger.history(v)).isEqualTo(">2/0");
        assertThat(ledger.settleOne(abandon(sequence, v).ticket(b.batchId(), 0)))
                .isEqualTo(answer(SettleOutcome.ALREADY_CONFIRMED, NumberState.CONFIRMED, 0));
    }

    @Test
    void aBatchOfAnotherSequenceIsNotTouched() throws SQLException {
        int other = ledger.sequence("other" + v);
        assertThat(ledger.settle(
                        confirm(other, v).ticket(b.batchId(), 0),
                        confirm(sequence, v + 1).ticket(b.batchId(), 0),
                        abandon(other, v + 2).ticket(b.batchId(), 0)))
                .containsExactly(
                        answer(SettleOutcome.NEVER_ISSUED, null, 0),
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0),
                        answer(SettleOutcome.NEVER_ISSUED, null, 0));
        assertThat(ledger.bit(b, v)).isEmpty();
        assertThat(ledger.bit(b, v + 2)).isEmpty();
    }

    @Test
    void bitsOutsideOfTheIssuedRangeAreNeverTouchedHoweverTheMaskLies() throws SQLException {
        BatchRange part = ledger.openBatch(sequence, 20);
        ledger.seal(part, part.lo() + 9);
        Ask[] asks = new Ask[30];
        for (int i = 0; i < asks.length; i++) {
            Ask ask = i % 2 == 0 ? confirm(sequence, part.lo() - 5 + i) : abandon(sequence, part.lo() - 5 + i);
            asks[i] = ask.ticket(part.batchId(), 0);
        }
        List<Answer> answers = ledger.settle(asks);
        for (int i = 0; i < asks.length; i++) {
            boolean inside = i >= 5 && i < 15;
            assertThat(answers.get(i).outcome())
                    .as("value lo%+d", i - 5)
                    .isEqualTo(
                            !inside
                                    ? SettleOutcome.NEVER_ISSUED
                                    : i % 2 == 0 ? SettleOutcome.CONFIRMED : SettleOutcome.ABANDONED);
        }
        assertThat(ledger.text(
                        "select confirmed::text || ' ' || abandoned from batch where batch_id = ?", part.batchId()))
                .isEqualTo("01010101010000000000 10101010100000000000");
    }

    @Test
    void aClosedBatchStillTellsTheTruth() throws SQLException {
        ledger.settle(
                confirm(sequence, v).ticket(b.batchId(), 0),
                abandon(sequence, v + 1).ticket(b.batchId(), 0));
        ledger.change("update batch set status = 3 where batch_id = ?", b.batchId());
        assertThat(ledger.settle(confirm(sequence, v), abandon(sequence, v + 1), confirm(sequence, v + 1)))
                .containsExactly(
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0),
                        answer(SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED, 0),
                        answer(SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED, 0));
    }

    // Late calls after a timeout

    @Test
    void aLateConfirmRescuesATimedOutNumberWhileItRests() throws SQLException {
        ledger.timeOut(b, v);
        assertThat(ledger.settleOne(confirm(sequence, v).ticket(b.batchId(), 0)))
                .isEqualTo(answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0));
        assertThat(ledger.row(v, "status, holder_generation, version, coalesce(replay_deadline::text, '-')"))
                .isEqualTo("2|0|2|-");
        assertThat(ledger.history(v)).isEqualTo("3>2/0");
        assertThat(ledger.settleOne(confirm(sequence, v).ticket(b.batchId(), 0)).outcome())
                .isEqualTo(SettleOutcome.CONFIRMED);
    }

    @Test
    void aLateConfirmRescuesAReplayableNumberSoThatItsClaimFails() throws SQLException {
        ledger.timeOut(b, v);
        ledger.setState(v, 4);
        ledger.change("update issue_log set pushed = true, next_push_at = now() where seq_no = ?", v);
        assertThat(ledger.settleOne(confirm(sequence, v)).outcome()).isEqualTo(SettleOutcome.CONFIRMED);
        assertThat(ledger.row(v, "status, version, pushed, coalesce(next_push_at::text, '-')"))
                .isEqualTo("2|3|f|-");
    }

    @Test
    void aConfirmAfterAnExplicitAbandonIsRefusedInEveryLaterState() throws SQLException {
        Ask confirm = confirm(sequence, v).ticket(b.batchId(), 0);
        ledger.settle(abandon(sequence, v).ticket(b.batchId(), 0));
        assertThat(ledger.settleOne(confirm))
                .isEqualTo(answer(SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED, 0));
        ledger.setState(v, 4);
        assertThat(ledger.settleOne(confirm))
                .isEqualTo(answer(SettleOutcome.ALREADY_ABANDONED, NumberState.REPLAYABLE, 0));
        ledger.setState(v, 6);
        assertThat(ledger.settleOne(confirm)).isEqualTo(answer(SettleOutcome.RETIRED, NumberState.RETIRED, 0));
        ledger.setState(v, 8);
        assertThat(ledger.settleOne(confirm)).isEqualTo(answer(SettleOutcome.DEAD, NumberState.DEAD, 0));
        ledger.setState(v, 7);
        assertThat(ledger.settleOne(confirm)).isEqualTo(answer(SettleOutcome.VOID, NumberState.VOID, 0));
    }

    @Test
    void anExplicitAbandonAfterATimeoutMakesTheAbandonExplicit() throws SQLException {
        for (int state : new int[] {3, 4, 6, 8}) {
            long value = b.lo() + state;
            ledger.timeOut(b, value);
            ledger.setState(value, state);
            ledger.change("update issue_log set pushed = true, next_push_at = now() where seq_no = ?", value);
            NumberState is = NumberState.ofCode(state);
            Ask abandon = abandon(sequence, value).ticket(b.batchId(), 0).because("cancelled");
            assertThat(ledger.settleOne(abandon)).isEqualTo(answer(SettleOutcome.ABANDONED, is, 0));
            assertThat(ledger.settleOne(abandon)).isEqualTo(answer(SettleOutcome.ALREADY_ABANDONED, is, 0));
            // The entry in the pool stays good: neither version nor push times change.
            assertThat(ledger.row(value, "status, explicit, abandon_reason, version, pushed, next_push_at is not null"))
                    .isEqualTo(state + "|t|cancelled|2|t|t");
            assertThat(ledger.settleOne(confirm(sequence, value).ticket(b.batchId(), 0))
                            .outcome())
                    .isNotEqualTo(SettleOutcome.CONFIRMED);
        }
    }

    @Test
    void aLateAbandonLeavesTheWindowAsItIs() throws SQLException {
        ledger.timeOut(b, v);
        String before = ledger.row(v, "replay_deadline, abandoned_time");
        ledger.settle(abandon(sequence, v).ticket(b.batchId(), 0));
        assertThat(ledger.row(v, "replay_deadline, abandoned_time")).isEqualTo(before);
    }

    // Generations

    @Test
    void aLateRepeatOfAnOldAbandonDoesNotTakeTheNumberFromItsNextHolder() throws SQLException {
        Ask old = abandon(sequence, v).ticket(b.batchId(), 0);
        ledger.settle(old);
        ledger.reissue(v);
        String before =
                ledger.row(v, "status, generation, holder_generation, explicit, version, owner, claim_id, due_at");
        assertThat(ledger.settleOne(old)).isEqualTo(answer(SettleOutcome.SUPERSEDED, NumberState.REPLAYED, 1));
        assertThat(ledger.row(v, "status, generation, holder_generation, explicit, version, owner, claim_id, due_at"))
                .isEqualTo(before);
        assertThat(ledger.settleOne(confirm(sequence, v).ticket(b.batchId(), 1)))
                .isEqualTo(answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 1));
        assertThat(ledger.settleOne(old)).isEqualTo(answer(SettleOutcome.SUPERSEDED, NumberState.CONFIRMED, 1));
    }

    @Test
    void aLateConfirmOfATimedOutHolderIsRefusedOnceAnotherOneHasTheNumber() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        assertThat(ledger.settleOne(confirm(sequence, v).ticket(b.batchId(), 0)))
                .isEqualTo(answer(SettleOutcome.SUPERSEDED, NumberState.REPLAYED, 1));
        assertThat(ledger.settleOne(voiding(sequence, v).ticket(b.batchId(), 0)).outcome())
                .isEqualTo(SettleOutcome.SUPERSEDED);
    }

    @Test
    void theNextHolderConfirmsWithItsOwnTicketAndAgain() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        Ask confirm = confirm(sequence, v).ticket(b.batchId(), 1).traced("order-9");
        assertThat(ledger.settleOne(confirm)).isEqualTo(answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 1));
        assertThat(ledger.settleOne(confirm)).isEqualTo(answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 1));
        assertThat(ledger.row(v, "status, generation, holder_generation, version, biz_key, explicit, replay_times"))
                .isEqualTo("2|1|1|4|order-9|f|1");
        assertThat(ledger.row(
                        v, "coalesce(owner::text, '-'), coalesce(claim_id::text, '-'), coalesce(due_at::text, '-')"))
                .isEqualTo("-|-|-");
        assertThat(ledger.history(v)).isEqualTo("5>2/1");
    }

    @Test
    void theNextHolderAbandonsWithItsOwnTicket() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        Ask abandon = abandon(sequence, v).ticket(b.batchId(), 1);
        assertThat(ledger.settleOne(abandon)).isEqualTo(answer(SettleOutcome.ABANDONED, NumberState.ABANDONED, 1));
        assertThat(ledger.settleOne(abandon))
                .isEqualTo(answer(SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED, 1));
        assertThat(
                        ledger.row(
                                v,
                                "status, generation, holder_generation, explicit, version, replay_deadline > now() + interval '110 s'"))
                .isEqualTo("3|1|1|t|4|t");
        assertThat(ledger.settleOne(confirm(sequence, v).ticket(b.batchId(), 0)).outcome())
                .isEqualTo(SettleOutcome.SUPERSEDED);
    }

    @Test
    void aTimedOutSecondHolderIsRescuedAndTheFirstOneIsNot() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        ledger.change(
                "update issue_log set status = 3, holder_generation = 1, explicit = false, version = version + 1 where seq_no = ?",
                v);
        assertThat(ledger.settle(
                        confirm(sequence, v).ticket(b.batchId(), 0),
                        confirm(sequence, v).ticket(b.batchId(), 1)))
                .containsExactly(
                        answer(SettleOutcome.SUPERSEDED, NumberState.ABANDONED, 1),
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 1));
    }

    @Test
    void aClaimThatWentBackUnusedLeavesTheRescueToTheLastHolder() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        // Given back: replayable again, the generation burnt, the last holder still 0.
        ledger.change(
                "update issue_log set status = 4, version = version + 1, replay_times = 0, owner = null where seq_no = ?",
                v);
        assertThat(ledger.settle(
                        confirm(sequence, v).ticket(b.batchId(), 1),
                        confirm(sequence, v),
                        confirm(sequence, v).ticket(b.batchId(), 0)))
                .containsExactly(
                        answer(SettleOutcome.NEVER_ISSUED, NumberState.REPLAYABLE, 1),
                        answer(SettleOutcome.TICKET_REQUIRED, NumberState.REPLAYABLE, 1),
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 1));
        assertThat(ledger.row(v, "status, generation, holder_generation")).isEqualTo("2|1|0");
    }

    @Test
    void aGenerationThatTheLedgerDoesNotKnowWasNeverIssued() throws SQLException {
        assertThat(ledger.settleOne(confirm(sequence, v).ticket(b.batchId(), 1)).outcome())
                .isEqualTo(SettleOutcome.NEVER_ISSUED);
        ledger.timeOut(b, v);
        ledger.reissue(v);
        assertThat(ledger.settleOne(confirm(sequence, v).ticket(b.batchId(), 2)))
                .isEqualTo(answer(SettleOutcome.NEVER_ISSUED, NumberState.REPLAYED, 1));
        assertThat(ledger.row(v, "status")).isEqualTo("5");
    }

    // Without a ticket

    @Test
    void aNumberThatNobodyHoldsYetCannotBeSettledByMistake() throws SQLException {
        assertThat(ledger.settle(
                        confirm(sequence, o),
                        abandon(sequence, o + 1),
                        voiding(sequence, o + 2).operator()))
                .containsOnly(answer(SettleOutcome.TICKET_REQUIRED, null, 0));
        assertThat(ledger.bit(open, o) + ledger.bit(open, o + 1) + ledger.bit(open, o + 2))
                .isEmpty();
        assertThat(ledger.number("select count(*) from issue_log where batch_id = ?", open.batchId()))
                .isZero();
    }

    @Test
    void ticketsAndNumbersOfOneOpenBatchInOneCallDoNotMix() throws SQLException {
        assertThat(ledger.settle(
                        confirm(sequence, o).ticket(open.batchId(), 0),
                        confirm(sequence, o + 1),
                        abandon(sequence, o + 2).ticket(open.batchId(), 0),
                        abandon(sequence, o + 3),
                        confirm(sequence, o + 4).ours(open.batchId())))
                .extracting(Answer::outcome)
                .containsExactly(
                        SettleOutcome.CONFIRMED,
                        SettleOutcome.TICKET_REQUIRED,
                        SettleOutcome.ABANDONED,
                        SettleOutcome.TICKET_REQUIRED,
                        SettleOutcome.CONFIRMED);
        assertThat(ledger.text(
                        "select confirmed::text || ' ' || abandoned from batch where batch_id = ?", open.batchId()))
                .isEqualTo("00010001000000000000 00000100000000000000");
    }

    @Test
    void aNumberInNoBatchWasNeverIssued() {
        assertThat(ledger.settle(
                        confirm(sequence, b.hi() + 1),
                        abandon(sequence, 1),
                        voiding(sequence, 999_999_998).operator()))
                .containsOnly(answer(SettleOutcome.NEVER_ISSUED, null, 0));
    }

    @Test
    void aNumberAloneSettlesGenerationZeroOnly() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        for (Ask ask : List.of(
                confirm(sequence, v),
                abandon(sequence, v),
                voiding(sequence, v),
                voiding(sequence, v).operator())) {
            assertThat(ledger.settleOne(ask)).isEqualTo(answer(SettleOutcome.TICKET_REQUIRED, NumberState.REPLAYED, 1));
        }
        ledger.change(
                "update issue_log set status = 3, holder_generation = 1, version = version + 1 where seq_no = ?", v);
        for (Ask ask : List.of(confirm(sequence, v), abandon(sequence, v), voiding(sequence, v))) {
            assertThat(ledger.settleOne(ask))
                    .isEqualTo(answer(SettleOutcome.TICKET_REQUIRED, NumberState.ABANDONED, 1));
        }
        assertThat(ledger.row(v, "status, explicit")).isEqualTo("3|f");
    }

    @Test
    void aRepeatByNumberOfWhatIsConfirmedIsHarmlessInAnOpenBatchToo() {
        ledger.settle(confirm(sequence, o).ticket(open.batchId(), 0));
        assertThat(ledger.settleOne(confirm(sequence, o)))
                .isEqualTo(answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0));
    }

    @Test
    void aValueThatWentBackAndWasLeasedAgainIsFoundInItsNewBatch() throws SQLException {
        BatchRange first = ledger.openBatch(sequence, 20);
        ledger.seal(first, first.lo() + 4);
        BatchRange second = ledger.openBatch(sequence, first.lo() + 5, first.hi());
        ledger.seal(second, second.lo() + 4);
        assertThat(ledger.settle(
                        confirm(sequence, first.lo() + 4),
                        confirm(sequence, second.lo()),
                        confirm(sequence, second.lo() + 5)))
                .extracting(Answer::outcome)
                .containsExactly(SettleOutcome.CONFIRMED, SettleOutcome.CONFIRMED, SettleOutcome.NEVER_ISSUED);
        assertThat(ledger.bit(first, first.lo() + 4) + ledger.bit(second, second.lo()))
                .isEqualTo("cc");
    }

    // Who, and in which trace

    @Test
    void whoSettledANumberStandsInItsRowAndItsHistory() throws SQLException {
        long abandoned = b.lo() + 1;
        long rescued = b.lo() + 2;
        long voided = b.lo() + 3;
        long traced = b.lo() + 4;
        ledger.timeOut(b, rescued);
        settle(confirm(sequence, voided).ticket(b.batchId(), 0).by("nobody", "nowhere"));
        settle(abandon(sequence, abandoned).ticket(b.batchId(), 0).by("r-1", "trace-1"));
        settle(confirm(sequence, rescued).ticket(b.batchId(), 0).by("r-2", "trace-2"));
        settle(voiding(sequence, voided).ticket(b.batchId(), 0).operator().by("ann", "trace-3"));
        settle(confirm(sequence, traced).ticket(b.batchId(), 0).traced("k").by("r-4", null));
        for (String each : List.of(
                abandoned + " r-1|trace-1", rescued + " r-2|trace-2", voided + " ann|trace-3", traced + " r-4|-")) {
            long value = Long.parseLong(each.substring(0, each.indexOf(' ')));
            String who = each.substring(each.indexOf(' ') + 1);
            assertThat(ledger.row(value, "settled_by, coalesce(trace_id, '-')")).isEqualTo(who);
            assertThat(ledger.text(
                            "select actor || '|' || coalesce(trace_id, '-') from issue_event where seq_no = ?", value))
                    .isEqualTo(who);
        }
    }

    private void settle(SettleStore.Item item) {
        assertThat(Futures.get(ledger.store.settle(List.of(item))))
                .allMatch(answer -> answer.outcome().accepted(item.kind()));
    }

    // Void

    @Test
    void aVoidTakesTheNumberOutOfEverythingAndSaysWhy() throws SQLException {
        assertThat(ledger.settleOne(
                        voiding(sequence, o).ticket(open.batchId(), 0).because("printed twice")))
                .isEqualTo(answer(SettleOutcome.VOIDED, NumberState.VOID, 0));
        assertThat(ledger.bit(open, o)).isEqualTo("a");
        assertThat(ledger.row(o, "status, abandon_reason, version, coalesce(replay_deadline::text, '-')"))
                .isEqualTo("7|printed twice|1|-");
        assertThat(ledger.history(o)).isEqualTo(">7/0/printed twice");
        assertThat(ledger.settle(
                        voiding(sequence, o).ticket(open.batchId(), 0),
                        abandon(sequence, o).ticket(open.batchId(), 0),
                        confirm(sequence, o).ticket(open.batchId(), 0)))
                .extracting(Answer::outcome)
                .containsExactly(SettleOutcome.VOIDED, SettleOutcome.VOID, SettleOutcome.VOID);
    }

    @Test
    void aHolderVoidsItsNumberInEveryStateButConfirmed() throws SQLException {
        for (int state : new int[] {3, 4, 6, 8}) {
            long value = b.lo() + state;
            ledger.timeOut(b, value);
            ledger.setState(value, state);
            assertThat(ledger.settleOne(voiding(sequence, value).ticket(b.batchId(), 0)))
                    .isEqualTo(answer(SettleOutcome.VOIDED, NumberState.VOID, 0));
            assertThat(ledger.row(
                            value, "status, version, pushed, abandon_reason, coalesce(replay_deadline::text, '-')"))
                    .isEqualTo("7|3|f|lost|-");
        }
        ledger.timeOut(b, v);
        ledger.reissue(v);
        assertThat(ledger.settleOne(voiding(sequence, v).ticket(b.batchId(), 1)))
                .isEqualTo(answer(SettleOutcome.VOIDED, NumberState.VOID, 1));
        assertThat(ledger.row(v, "holder_generation, coalesce(owner::text, '-'), coalesce(due_at::text, '-')"))
                .isEqualTo("1|-|-");
    }

    @Test
    void aVoidedDeadLetterNoLongerWaitsForAnOperator() throws SQLException {
        ledger.timeOut(b, v);
        ledger.setState(v, 8);
        ledger.change("""
                insert into issue_dead (id, sequence_id, period, seq_no, batch_id, generation, holder_generation, version, push_attempts,
                  probe_attempts, dead_reason)
                select id, sequence_id, period, seq_no, batch_id, generation, holder_generation, version, 4, 0, 'push-failed'
                from issue_log where seq_no = ?""", v);
        assertThat(ledger.settleOne(voiding(sequence, v).operator()).outcome()).isEqualTo(SettleOutcome.VOIDED);
        assertThat(ledger.number("select count(*) from issue_dead where seq_no = ?", v))
                .isZero();
    }

    @Test
    void onlyAnOperatorVoidsAConfirmedNumberAndItsBitStays() throws SQLException {
        ledger.settle(confirm(sequence, v).ticket(b.batchId(), 0));
        assertThat(ledger.settleOne(voiding(sequence, v).ticket(b.batchId(), 0)).outcome())
                .isEqualTo(SettleOutcome.ALREADY_CONFIRMED);
        assertThat(ledger.settleOne(voiding(sequence, v)).outcome()).isEqualTo(SettleOutcome.ALREADY_CONFIRMED);
        assertThat(ledger.settleOne(voiding(sequence, v).operator().because("cancelled")))
                .isEqualTo(answer(SettleOutcome.VOIDED, NumberState.VOID, 0));
        assertThat(ledger.bit(b, v)).isEqualTo("c");
        assertThat(ledger.row(v, "batch_id, status, abandon_reason, version"))
                .isEqualTo(b.batchId() + "|7|cancelled|1");
        assertThat(ledger.history(v)).isEqualTo("2>7/0/cancelled");
        assertThat(ledger.settle(
                        voiding(sequence, v).operator(),
                        confirm(sequence, v).ticket(b.batchId(), 0),
                        abandon(sequence, v)))
                .extracting(Answer::outcome)
                .containsExactly(SettleOutcome.VOIDED, SettleOutcome.VOID, SettleOutcome.VOID);
        assertThat(ledger.row(v, "version")).isEqualTo("1");
    }

    @Test
    void anOperatorVoidsConfirmedNumbersThatHaveARowToo() throws SQLException {
        ledger.settle(confirm(sequence, v).ticket(b.batchId(), 0).traced("order-5"));
        ledger.timeOut(b, v + 1);
        ledger.reissue(v + 1);
        ledger.settle(confirm(sequence, v + 1).ticket(b.batchId(), 1));
        assertThat(ledger.settle(
                        voiding(sequence, v).operator(),
                        voiding(sequence, v + 1).operator()))
                .containsExactly(
                        answer(SettleOutcome.VOIDED, NumberState.VOID, 0),
                        answer(SettleOutcome.VOIDED, NumberState.VOID, 1));
        assertThat(ledger.row(v, "status, biz_key, version")).isEqualTo("7|order-5|2");
        assertThat(ledger.row(v + 1, "status, generation, holder_generation")).isEqualTo("7|1|1");
    }

    @Test
    void anOperatorVoidsByNumberWhatRestsInAnyGeneration() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        ledger.change(
                "update issue_log set status = 3, holder_generation = 1, version = version + 1 where seq_no = ?", v);
        assertThat(ledger.settle(
                        voiding(sequence, v).operator(),
                        voiding(sequence, v + 1).operator()))
                .containsExactly(
                        answer(SettleOutcome.VOIDED, NumberState.VOID, 1),
                        answer(SettleOutcome.VOIDED, NumberState.VOID, 0));
        assertThat(ledger.bit(b, v + 1)).isEqualTo("a");
    }

    @Test
    void ruleByNumberNobodyVoidsWhatIsOnItsWayToTheNextHolder() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        assertThat(ledger.settle(voiding(sequence, v), voiding(sequence, v).operator()))
                .containsOnly(answer(SettleOutcome.TICKET_REQUIRED, NumberState.REPLAYED, 1));
        assertThat(ledger.row(v, "status")).isEqualTo("5");
    }

    @Test
    void anOperatorWithAnOldTicketDoesNotVoidTheNextHoldersNumber() throws SQLException {
        ledger.timeOut(b, v);
        ledger.reissue(v);
        ledger.settle(confirm(sequence, v).ticket(b.batchId(), 1));
        assertThat(ledger.settleOne(voiding(sequence, v).ticket(b.batchId(), 0).operator()))
                .isEqualTo(answer(SettleOutcome.SUPERSEDED, NumberState.CONFIRMED, 1));
    }

    // Lost tails

    @Test
    void aTicketOfALostBatchIsSettledInTheSuspectBatchThatStandsForIt() throws SQLException {
        BatchRange suspect = ledger.sealedBatch(sequence, 20);
        ledger.change("update batch set suspect = true where batch_id = ?", suspect.batchId());
        long gone = suspect.batchId() + 1_000_000;
        assertThat(ledger.settle(
                        confirm(sequence, suspect.lo()).ticket(gone, 0),
                        abandon(sequence, suspect.lo() + 1).ticket(gone, 0),
                        confirm(sequence, suspect.lo() + 2).ticket(gone, 1),
                        confirm(sequence, suspect.lo()).ticket(b.batchId(), 0)))
                .containsExactly(
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0),
                        answer(SettleOutcome.ABANDONED, NumberState.ABANDONED, 0),
                        answer(SettleOutcome.NEVER_ISSUED, null, 0),
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0));
        assertThat(ledger.bit(suspect, suspect.lo())
                        + ledger.bit(suspect, suspect.lo() + 1)
                        + ledger.bit(suspect, suspect.lo() + 2))
                .isEqualTo("ca");
        assertThat(ledger.row(suspect.lo() + 1, "batch_id, status")).isEqualTo(suspect.batchId() + "|3");
    }

    @Test
    void aTicketOfALostBatchIsNotSettledInABatchThatIsNotSuspect() throws SQLException {
        assertThat(ledger.settleOne(confirm(sequence, v).ticket(b.batchId() + 1_000_000, 0)))
                .isEqualTo(answer(SettleOutcome.NEVER_ISSUED, null, 0));
        assertThat(ledger.bit(b, v)).isEmpty();
    }

    // Answers and failures

    @Test
    void anAnswerIsGivenOnlyAfterTheCommit() throws SQLException {
        ledger.change("""
                create or replace function refuse_commit() returns trigger language plpgsql as
                $$ begin raise exception 'refused at commit'; end $$""");
        ledger.change("""
                create constraint trigger at_commit after insert on issue_log deferrable initially deferred
                for each row when (new.abandon_reason = 'poison') execute function refuse_commit()""");
        try {
            Ask poison = abandon(sequence, v).ticket(b.batchId(), 0).because("poison");
            assertThatThrownBy(
                            () -> ledger.settle(poison, confirm(sequence, v + 1).ticket(b.batchId(), 0)))
                    .isInstanceOf(StoreException.class)
                    .extracting(e -> ((StoreException) e).kind())
                    .isEqualTo(StoreException.Kind.REFUSED);
            assertThat(ledger.bit(b, v) + ledger.bit(b, v + 1)).isEmpty();
        } finally {
            ledger.change("drop trigger at_commit on issue_log");
        }
    }

    @Test
    void whatFailsBehindTheFirstStatementIsUnknownAndNotRefused() throws SQLException {
        ledger.timeOut(b, v);
        ledger.change("alter table issue_log add constraint no_confirm check (status <> 2) not valid");
        try {
            assertThatThrownBy(() -> ledger.settle(
                            confirm(sequence, v + 1).ticket(b.batchId(), 0),
                            confirm(sequence, v).ticket(b.batchId(), 0)))
                    .isInstanceOf(StoreException.class)
                    .extracting(e -> ((StoreException) e).kind())
                    .isEqualTo(StoreException.Kind.UNKNOWN);
            assertThat(ledger.bit(b, v + 1)).isEqualTo("c");
        } finally {
            ledger.change("alter table issue_log drop constraint no_confirm");
        }
    }

    @Test
    void aLedgerThatContradictsItselfIsReportedAndStopsNobodyElse() throws SQLException {
        ledger.change("update batch set abandoned = set_bit(abandoned, 7, 1) where batch_id = ?", b.batchId());
        assertThat(ledger.settle(
                        confirm(sequence, v).ticket(b.batchId(), 0),
                        confirm(sequence, v + 1).ticket(b.batchId(), 0)))
                .extracting(Answer::outcome)
                .containsExactly(SettleOutcome.ALREADY_ABANDONED, SettleOutcome.CONFIRMED);
    }

    @Test
    void noItemsNeedNoStatement() {
        assertThat(Futures.get(ledger.store.settle(List.of()))).isEmpty();
    }

    private static Answer answer(SettleOutcome outcome, @Nullable NumberState state, int generation) {
        return new Answer(outcome, state, generation);
    }
}
