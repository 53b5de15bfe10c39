package dev.reissue.issuance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.reissue.issuance.SettleResult.Problem;
import dev.reissue.issuance.SettleResult.ProblemKind;
import dev.reissue.issuance.SettleResult.SettledNumber;
import dev.reissue.issuance.Settlement.Caller;
import dev.reissue.issuance.Settlement.Request;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.InMemorySettleStore;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.Ticket;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SettlementTest {
    private static final Caller CALLER = new Caller("request-1", null, false);

    private final TicketCodec tickets = new TicketCodec(new byte[TicketCodec.KEY_LENGTH]);
    private final InMemorySettleStore store = new InMemorySettleStore();
    private final BatchRange batch = store.openBatch(100);
    private final List<Item> sent = new ArrayList<>();
    private final List<Long> askedFor = new ArrayList<>();
    private final OtherOwners others = new OtherOwners() {
        @Override
        public long handedOutBatch(int sequenceId, long value) {
            return value == 70 ? batch.batchId() : NOT_OURS;
        }

        @Override
        public Future<Map<Long, Long>> ask(int sequenceId, Collection<Long> values) {
            askedFor.addAll(values);
            return Future.succeededFuture(values.contains(71L) ? Map.of(71L, batch.batchId()) : Map.of());
        }
    };
    private final Settlement settlement = settlement(new FlushSettings(0, 1000, 1, 2000, 1_000));
    private @Nullable StoreException fault;

    @Test
    void aTicketIsEnoughAndTheAnswerNamesTheNumber() {
        assertThat(settled(SettleKind.CONFIRM, byTicket(5)))
                .containsExactly(
                        new SettledNumber("ORD-00000005", 5, SettleOutcome.CONFIRMED, true, NumberState.CONFIRMED, 0));
    }

    @Test
    void aNumberAndItsTicketMayStandTogether() {
        assertThat(settled(SettleKind.ABANDON, new Request("ORD-00000006", ticket(1, 6), null, "no stock")))
                .containsExactly(
                        new SettledNumber("ORD-00000006", 6, SettleOutcome.ABANDONED, true, NumberState.ABANDONED, 0));
        assertThat(sent.get(0).reason()).isEqualTo("no stock");
    }

    @Test
    void aRepeatedAbandonIsAcceptedAndAConfirmAfterItIsNot() {
        settled(SettleKind.ABANDON, byTicket(7));
        assertThat(settled(SettleKind.ABANDON, byTicket(7)))
                .extracting(SettledNumber::outcome, SettledNumber::accepted)
                .containsExactly(tuple(SettleOutcome.ALREADY_ABANDONED, true));
        assertThat(settled(SettleKind.CONFIRM, byTicket(7)))
                .extracting(SettledNumber::outcome, SettledNumber::accepted)
                .containsExactly(tuple(SettleOutcome.ALREADY_ABANDONED, false));
    }

    @Test
    void aNumberAloneIsVouchedForByTheProcessThatHandedItOut() {
        assertThat(settled(SettleKind.CONFIRM, new Request("ORD-00000010", null, null, null)))
                .extracting(SettledNumber::outcome)
                .containsExactly(SettleOutcome.CONFIRMED);
        assertThat(sent.get(0).batchId()).isEqualTo(batch.batchId());
        assertThat(sent.get(0).ownedAndHandedOut()).isTrue();
        assertThat(settled(SettleKind.CONFIRM, new Request("ORD-00000011", null, null, null)))
                .extracting(SettledNumber::outcome)
                .containsExactly(SettleOutcome.TICKET_REQUIRED);
    }

    @Test
    void oneBadItemRefusesTheWholeCallAndEveryBadOneIsNamed() {
        String good = ticket(1, 20);
        SettleResult result = settle(
                sequence(false),
                SettleKind.CONFIRM,
                CALLER,
                byTicket(20),
                new Request(null, null, null, null),
                new Request("ORD-5", null, null, null),
                new Request(null, good.substring(1), null, null),
                new Request(null, (good.charAt(0) == 'A' ? "B" : "A") + good.substring(1), null, null),
                new Request(null, ticket(2, 20), null, null),
                new Request("ORD-00000021", good, null, null),
                new Request("ORD-00000022", null, "tab\there", null),
                new Request("ORD-00000022", null, null, "x".repeat(201)));
        assertThat(result).isInstanceOf(SettleResult.Rejected.class);
        assertThat(((SettleResult.Rejected) result).problems())
                .extracting(Problem::index, Problem::kind)
                .containsExactly(
                        tuple(1, ProblemKind.NOTHING_NAMED),
                        tuple(2, ProblemKind.NUMBER_MALFORMED),
                        tuple(3, ProblemKind.TICKET_MALFORMED),
                        tuple(4, ProblemKind.TICKET_MALFORMED),
                        tuple(5, ProblemKind.TICKET_FOREIGN),
                        tuple(6, ProblemKind.TICKET_FOREIGN),
                        tuple(7, ProblemKind.TEXT_INVALID),
                        tuple(8, ProblemKind.TEXT_INVALID));
        assertThat(sent).isEmpty();
    }

    @Test
    void aTicketOfAnotherTenantIsToldLikeOneThatWasMadeUp() {
        String madeUp = ticket(1, 20).substring(0, 43) + "-";
        assertThat(problems(
                        SettleKind.CONFIRM,
                        new Request(null, ticket(3, 20), null, null),
                        new Request(null, ticket(9, 20), null, null),
                        new Request("ORD-00000020", ticket(3, 20), null, null),
                        new Request(null, madeUp, null, null)))
                .extracting(Problem::kind, Problem::detail)
                .hasSize(4)
                .containsOnly(tuple(ProblemKind.TICKET_MALFORMED, "the ticket is truncated, altered or made up"));
        assertThat(sent).isEmpty();
    }

    @Test
    void anOperatorIsOneWhereNoTicketSaysThatItIsTheHolder() {
        Caller operator = new Caller("op", null, true);
        settle(sequence(false), SettleKind.VOID, operator, new Request("ORD-00000010", null, null, "printed twice"));
        settle(sequence(false), SettleKind.VOID, operator, new Request(null, ticket(1, 11), null, "printed twice"));
        settle(sequence(false), SettleKind.VOID, CALLER, new Request("ORD-00000010", null, null, "printed twice"));
        assertThat(sent).extracting(Item::operator).containsExactly(true, false, false);
    }

    @Test
    void anOperatorWhoAbandonsDoesNotTakeAConfirmedNumberBack() {
        Caller operator = new Caller("op", null, true);
        Request disclosed = new Request("ORD-00000010", null, null, Settlement.DISCLOSED);
        settle(sequence(false), SettleKind.ABANDON, operator, disclosed);
        assertThat(sent).extracting(Item::kind, Item::operator).containsExactly(tuple(SettleKind.VOID, false));
    }

    @Test
    void noProblemRepeatsATicket() {
        String foreign = ticket(2, 20);
        SettleResult result =
                settle(sequence(false), SettleKind.CONFIRM, CALLER, new Request(null, foreign, null, null));
        assertThat(result.toString()).doesNotContain(foreign);
    }

    @Test
    void aCallHasOneToAThousandItems() {
        assertThat(problems(SettleKind.CONFIRM)).extracting(Problem::kind).containsExactly(ProblemKind.NO_ITEMS);
        Request[] tooMany = Collections.nCopies(1_001, byTicket(1)).toArray(Request[]::new);
        assertThat(problems(SettleKind.CONFIRM, tooMany))
                .extracting(Problem::kind)
                .containsExactly(ProblemKind.TOO_MANY_ITEMS);
        Request[] enough = Collections.nCopies(1_000, byTicket(1)).toArray(Request[]::new);
        assertThat(settled(SettleKind.CONFIRM, enough)).hasSize(1_000);
    }

    @Test
    void aVoidNeedsAReason() {
        assertThat(problems(SettleKind.VOID, byTicket(30)))
                .extracting(Problem::kind)
                .containsExactly(ProblemKind.REASON_MISSING);
        assertThat(problems(SettleKind.VOID, new Request(null, ticket(1, 30), null, " ")))
                .extracting(Problem::kind)
                .containsExactly(ProblemKind.REASON_MISSING);
        assertThat(settled(SettleKind.VOID, new Request(null, ticket(1, 30), null, "misprint")))
                .extracting(SettledNumber::outcome)
                .containsExactly(SettleOutcome.VOIDED);
    }

    @Test
    void whatWasDisclosedIsVoidAndNotRecycled() {
        assertThat(settled(SettleKind.ABANDON, new Request(null, ticket(1, 31), null, Settlement.DISCLOSED)))
                .containsExactly(
                        new SettledNumber("ORD-00000031", 31, SettleOutcome.VOIDED, true, NumberState.VOID, 0));
        assertThat(sent.get(0).kind()).isEqualTo(SettleKind.VOID);
    }

    @Test
    void aBusinessKeyIsKeptOnlyWhereTheSequenceTraces() {
        Request keyed = new Request(null, ticket(1, 40), "order-1", null);
        settle(sequence(false), SettleKind.CONFIRM, CALLER, keyed);
        settle(sequence(true), SettleKind.CONFIRM, CALLER, keyed);
        settle(sequence(true), SettleKind.CONFIRM, CALLER, byTicket(41));
        settle(sequence(true), SettleKind.ABANDON, CALLER, keyed);
        assertThat(sent).extracting(Item::trace).containsExactly(false, true, false, false);
        assertThat(sent).extracting(Item::bizKey).containsExactly(null, "order-1", null, null);
    }

    @Test
    void onlyAnOperatorVoidsWhatIsConfirmed() {
        settled(SettleKind.CONFIRM, byTicket(10));
        Request voiding = new Request("ORD-00000010", null, null, "cancelled");
        assertThat(settled(SettleKind.VOID, voiding))
                .extracting(SettledNumber::outcome)
                .containsExactly(SettleOutcome.ALREADY_CONFIRMED);
        SettleResult byOperator = settle(sequence(false), SettleKind.VOID, new Caller("ann", null, true), voiding);
        assertThat(numbers(byOperator)).extracting(SettledNumber::outcome).containsExactly(SettleOutcome.VOIDED);
        assertThat(sent.get(sent.size() - 1).actor()).isEqualTo("ann");
    }

    @Test
    void aFullQueueIsAResultAndAFaultOfTheStoreAFailure() {
        Settlement tiny = settlement(new FlushSettings(0, 1, 1, 1, 1_000));
        SettleResult full = tiny.settle(sequence(false), SettleKind.CONFIRM, List.of(byTicket(1), byTicket(2)), CALLER)
                .result();
        assertThat(full).isEqualTo(new SettleResult.Overloaded());
        fault = new StoreException(StoreException.Kind.UNKNOWN, "cut", new IllegalStateException());
        Future<SettleResult> failed =
                settlement.settle(sequence(false), SettleKind.CONFIRM, List.of(byTicket(1)), CALLER);
        assertThat(failed.cause()).isInstanceOf(StoreException.class);
    }

    @Test
    void aNumberOfAnotherProcessIsSettledWithoutAskingWhereThatProcessToldOfIt() {
        assertThat(settled(SettleKind.CONFIRM, byNumber("ORD-00000070")))
                .extracting(SettledNumber::outcome)
                .containsExactly(SettleOutcome.CONFIRMED);
        assertThat(askedFor).isEmpty();
        assertThat(sent).hasSize(1);
    }

    @Test
    void whatNobodyHereCanTellIsAskedOfTheOthersOnceAndOnlyThat() {
        assertThat(settled(
                        SettleKind.CONFIRM,
                        byTicket(5),
                        byNumber("ORD-00000071"),
                        byNumber("ORD-00000010"),
                        byNumber("ORD-00000072"),
                        byNumber("ORD-00000071")))
                .extracting(SettledNumber::outcome)
                .containsExactly(
                        SettleOutcome.CONFIRMED,
                        SettleOutcome.CONFIRMED,
                        SettleOutcome.CONFIRMED,
                        SettleOutcome.TICKET_REQUIRED,
                        SettleOutcome.CONFIRMED);
        assertThat(askedFor).containsExactlyInAnyOrder(71L, 72L);
        assertThat(sent).hasSize(6);
        assertThat(sent.get(5).ownedAndHandedOut()).isTrue();
    }

    @Test
    void aNumberThatNobodyVouchesForIsRefused() {
        assertThat(settled(SettleKind.VOID, new Request("ORD-00000072", null, null, "misprint")))
                .extracting(SettledNumber::outcome)
                .containsExactly(SettleOutcome.TICKET_REQUIRED);
        assertThat(sent).hasSize(1);
    }

    private static Request byNumber(String number) {
        return new Request(number, null, null, null);
    }

    private Settlement settlement(FlushSettings settings) {
        GroupCommit<Item, Answer> commit = new GroupCommit<>(
                items -> {
                    sent.addAll(items);
                    return fault == null ? store.settle(items) : Future.failedFuture(fault);
                },
                (ms, task) -> {
                    if (ms == 0) {
                        task.run();
                    }
                },
                () -> 0,
                SettleMeter.NOOP,
                settings);
        OwnedBatches owned = (sequenceId, value) -> value == 10 ? batch.batchId() : OwnedBatches.NOT_OURS;
        return new Settlement(
                new TicketReader(tickets, SettlementTest::known), owned, others, commit, SettleMeter.NOOP);
    }

    private Request byTicket(long value) {
        return new Request(null, ticket(1, value), null, null);
    }

    private String ticket(int sequenceId, long value) {
        return tickets.encode(new Ticket(sequenceId, batch.batchId(), value, 0));
    }

    /** Sequence 1 is the one that is settled, 2 another one of its tenant, 3 one of another tenant; more are not known. */
    private static @Nullable SequenceDefinition known(int id) {
        return id > 3 ? null : sequence(id, id == 3 ? "another" : "default", false);
    }

    private static SequenceDefinition sequence(boolean trace) {
        return sequence(1, "default", trace);
    }

    private static SequenceDefinition sequence(int id, String tenant, boolean trace) {
        NumberFormat format = NumberFormat.parse("ORD-{seq:8}");
        return new SequenceDefinition(
                id,
                tenant,
                "order" + id,
                format,
                1,
                99_999_999,
                100,
                5_000,
                60_000,
                120_000,
                true,
                2,
                null,
                null,
                trace,
                false,
                1);
    }

    private SettleResult settle(SequenceDefinition sequence, SettleKind kind, Caller caller, Request... requests) {
        return settlement.settle(sequence, kind, List.of(requests), caller).result();
    }

    private List<SettledNumber> settled(SettleKind kind, Request... requests) {
        return numbers(settle(sequence(false), kind, CALLER, requests));
    }

    private static List<SettledNumber> numbers(SettleResult result) {
        assertThat(result).isInstanceOf(SettleResult.Settled.class);
        return ((SettleResult.Settled) result).numbers();
    }

    private List<Problem> problems(SettleKind kind, Request... requests) {
        SettleResult result = settle(sequence(false), kind, CALLER, requests);
        assertThat(result).isInstanceOf(SettleResult.Rejected.class);
        return ((SettleResult.Rejected) result).problems();
    }
}
