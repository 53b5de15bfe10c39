package dev.reissue.ledger;

import static dev.reissue.ledger.Ask.abandon;
import static dev.reissue.ledger.Ask.confirm;
import static dev.reissue.ledger.Ask.voiding;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.support.Futures;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every store does with numbers of generation 0. Each test gets a batch of its own. */
public abstract class SettleStoreContract {
    protected static final int SEQUENCE = 1;

    protected abstract SettleStore store();

    /** Makes an OPEN batch of the sequence {@link #SEQUENCE} with values that no other batch has; returns it. */
    protected abstract BatchRange openBatch(int size);

    /** Seals a batch. */
    protected abstract void seal(BatchRange batch, long issuedTo);

    @Test
    void theFirstInWinsAndEverybodyLearnsIt() {
        BatchRange b = openBatch(10);
        assertThat(settle(confirm(SEQUENCE, b.lo()).ticket(b.batchId(), 0)))
                .containsExactly(answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED));
        assertThat(settle(abandon(SEQUENCE, b.lo()).ticket(b.batchId(), 0)))
                .containsExactly(answer(SettleOutcome.ALREADY_CONFIRMED, NumberState.CONFIRMED));
        assertThat(settle(abandon(SEQUENCE, b.hi()).ticket(b.batchId(), 0)))
                .containsExactly(answer(SettleOutcome.ABANDONED, NumberState.ABANDONED));
        assertThat(settle(confirm(SEQUENCE, b.hi()).ticket(b.batchId(), 0)))
                .containsExactly(answer(SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED));
    }

    @Test
    void repeatsAreHarmless() {
        BatchRange b = openBatch(10);
        Ask confirm = confirm(SEQUENCE, b.lo()).ticket(b.batchId(), 0);
        Ask abandon = abandon(SEQUENCE, b.lo() + 1).ticket(b.batchId(), 0);
        Ask voiding = voiding(SEQUENCE, b.lo() + 2).ticket(b.batchId(), 0);
        assertThat(settle(confirm, abandon, voiding))
                .containsExactly(
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED),
                        answer(SettleOutcome.ABANDONED, NumberState.ABANDONED),
                        answer(SettleOutcome.VOIDED, NumberState.VOID));
        for (int i = 0; i < 3; i++) {
            assertThat(settle(confirm, abandon, voiding))
                    .containsExactly(
                            answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED),
                            answer(SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED),
                            answer(SettleOutcome.VOIDED, NumberState.VOID));
        }
    }

    @Test
    void answersStandInTheOrderOfTheItems() {
        BatchRange first = openBatch(100);
        BatchRange second = openBatch(100);
        Ask[] asks = new Ask[100];
        for (int i = 0; i < asks.length; i++) {
            BatchRange b = i % 2 == 0 ? second : first;
            asks[i] =
                    (i % 3 == 0 ? abandon(SEQUENCE, b.hi() - i) : confirm(SEQUENCE, b.hi() - i)).ticket(b.batchId(), 0);
        }
        List<Answer> answers = settle(asks);
        for (int i = 0; i < asks.length; i++) {
            assertThat(answers.get(i).outcome())
                    .isEqualTo(i % 3 == 0 ? SettleOutcome.ABANDONED : SettleOutcome.CONFIRMED);
        }
    }

    @Test
    void sameNumberTwiceInOneCallIsSettledInOrder() {
        BatchRange b = openBatch(10);
        Ask confirm = confirm(SEQUENCE, b.lo()).ticket(b.batchId(), 0);
        Ask abandon = abandon(SEQUENCE, b.lo()).ticket(b.batchId(), 0);
        Ask other = abandon(SEQUENCE, b.hi()).ticket(b.batchId(), 0);
        assertThat(settle(confirm, abandon, other, other, confirm))
                .containsExactly(
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED),
                        answer(SettleOutcome.ALREADY_CONFIRMED, NumberState.CONFIRMED),
                        answer(SettleOutcome.ABANDONED, NumberState.ABANDONED),
                        answer(SettleOutcome.ALREADY_ABANDONED, NumberState.ABANDONED),
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED));
    }

    @Test
    void aValueOutsideOfItsBatchWasNeverIssued() {
        BatchRange b = openBatch(10);
        assertThat(settle(
                        confirm(SEQUENCE, b.lo() - 1).ticket(b.batchId(), 0),
                        confirm(SEQUENCE, b.hi() + 1).ticket(b.batchId(), 0),
                        confirm(SEQUENCE, b.lo()).ticket(b.batchId(), 0)))
                .containsExactly(neverIssued(), neverIssued(), answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED));
    }

    @Test
    void aValueAboveTheLastOneHandedOutWasNeverIssued() {
        BatchRange b = openBatch(10);
        seal(b, b.lo() + 4);
        assertThat(settle(
                        abandon(SEQUENCE, b.lo() + 4).ticket(b.batchId(), 0),
                        abandon(SEQUENCE, b.lo() + 5).ticket(b.batchId(), 0)))
                .containsExactly(answer(SettleOutcome.ABANDONED, NumberState.ABANDONED), neverIssued());
    }

    @Test
    void aNumberAloneIsEnoughInASealedBatchOnly() {
        BatchRange b = openBatch(10);
        assertThat(settle(confirm(SEQUENCE, b.lo()), abandon(SEQUENCE, b.lo() + 1), voiding(SEQUENCE, b.lo() + 2)))
                .allSatisfy(a -> assertThat(a.outcome()).isEqualTo(SettleOutcome.TICKET_REQUIRED));
        seal(b, b.lo() + 5);
        assertThat(settle(
                        confirm(SEQUENCE, b.lo()),
                        abandon(SEQUENCE, b.lo() + 1),
                        voiding(SEQUENCE, b.lo() + 2),
                        confirm(SEQUENCE, b.lo() + 6)))
                .containsExactly(
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED),
                        answer(SettleOutcome.ABANDONED, NumberState.ABANDONED),
                        answer(SettleOutcome.VOIDED, NumberState.VOID),
                        neverIssued());
    }

    @Test
    void theOwnerOfAnOpenBatchVouchesForANumber() {
        BatchRange b = openBatch(10);
        assertThat(settle(confirm(SEQUENCE, b.lo()).ours(b.batchId()), confirm(SEQUENCE, b.lo() + 1)))
                .containsExactly(
                        answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED),
                        new Answer(SettleOutcome.TICKET_REQUIRED, null, 0));
    }

    @Test
    void aHolderVoidsWhatIsNotConfirmedAndAnOperatorEverything() {
        BatchRange b = openBatch(10);
        settle(
                confirm(SEQUENCE, b.lo()).ticket(b.batchId(), 0),
                abandon(SEQUENCE, b.lo() + 1).ticket(b.batchId(), 0));
        seal(b, b.hi());
        assertThat(settle(
                        voiding(SEQUENCE, b.lo()).ticket(b.batchId(), 0),
                        voiding(SEQUENCE, b.lo() + 1).ticket(b.batchId(), 0)))
                .containsExactly(
                        answer(SettleOutcome.ALREADY_CONFIRMED, NumberState.CONFIRMED),
                        answer(SettleOutcome.VOIDED, NumberState.VOID));
        assertThat(settle(voiding(SEQUENCE, b.lo()).operator()))
                .containsExactly(answer(SettleOutcome.VOIDED, NumberState.VOID));
        assertThat(settle(confirm(SEQUENCE, b.lo()).ticket(b.batchId(), 0)))
                .containsExactly(answer(SettleOutcome.VOID, NumberState.VOID));
    }

    protected static Answer answer(SettleOutcome outcome, NumberState state) {
        return new Answer(outcome, state, 0);
    }

    protected static Answer neverIssued() {
        return new Answer(SettleOutcome.NEVER_ISSUED, null, 0);
    }

    protected final List<Answer> settle(Ask... asks) {
        return Futures.get(store().settle(Arrays.stream(asks).map(Ask::item).toList()));
    }
}
