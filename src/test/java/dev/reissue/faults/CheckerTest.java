package dev.reissue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.faults.History.Call;
import dev.reissue.faults.History.HandOut;
import dev.reissue.faults.History.Kind;
import dev.reissue.faults.History.Lost;
import dev.reissue.faults.History.Result;
import dev.reissue.faults.History.Value;
import dev.reissue.faults.LedgerView.Batch;
import dev.reissue.faults.LedgerView.Event;
import dev.reissue.faults.LedgerView.Range;
import dev.reissue.faults.LedgerView.Row;
import dev.reissue.faults.LedgerView.Sequence;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The checker is shown a history and a ledger without a fault, and then with each kind of fault. In the sound one, of the values 1 to 10,
 * 1 to 6 were issued: 1 is confirmed, 2 was given up and confirmed by the second holder, 3 is in the pool, 4 void, 5 retired after a
 * timeout, 6 confirmed; 7 to 10 were returned. The timeout is 2 s, the window 3 s.
 */
class CheckerTest {
    private static final long SECOND = 1_000_000_000L;

    private final History history = new History();
    private final TreeMap<Long, Batch> batches = new TreeMap<>();
    private final List<Range> returned = new ArrayList<>();
    private final List<Range> skipped = new ArrayList<>();
    private final Map<Long, Row> rows = new HashMap<>();
    private final Map<Long, List<Event>> events = new HashMap<>();
    private final List<String> early = new ArrayList<>();
    private long nextValue = 11;

    @BeforeEach
    void sound() {
        batches.put(1L, batch(1, 6, bits(0, 5), bits(1, 2, 3, 4)));
        returned.add(new Range(7, 10));
        rows.put(2L, new Row(2, 1, 1));
        events.put(2L, List.of(new Event(3, 0), new Event(4, 0), new Event(5, 1), new Event(2, 1)));
        rows.put(3L, new Row(4, 0, 0));
        events.put(3L, List.of(new Event(3, 0), new Event(4, 0)));
        rows.put(4L, new Row(7, 0, 0));
        events.put(4L, List.of(new Event(7, 0)));
        rows.put(5L, new Row(6, 0, 0));
        events.put(5L, List.of(new Event(3, 0), new Event(6, 0)));
        for (long value = 1; value <= 6; value++) {
            handOut(value, 0, 1);
        }
        call(Kind.CONFIRM, 1, 0, 2, Result.OK);
        call(Kind.ABANDON, 2, 0, 2, Result.OK);
        call(Kind.ABANDON, 3, 0, 2, Result.OK);
        call(Kind.VOID, 4, 0, 2, Result.OK);
        call(Kind.CONFIRM, 6, 0, 2, Result.UNKNOWN);
        handOut(2, 1, 6);
        call(Kind.CONFIRM, 2, 1, 7, Result.OK);
        call(Kind.CONFIRM, 2, 0, 8, Result.FAILED);
    }

    @Test
    void findsNothingWhereNothingIsWrong() {
        assertThat(check()).isEmpty();
    }

    @Test
    void findsTwoHoldersOfOneGeneration() {
        handOut(1, 0, 1);
        finds("1 two holders");
    }

    @Test
    void findsTwoConfirmedGenerations() {
        call(Kind.CONFIRM, 2, 0, 5, Result.OK);
        finds("1 two generations confirmed");
    }

    @Test
    void findsTwoConfirmedGenerationsInTheLedgerAlone() {
        events.put(2L, List.of(new Event(3, 0), new Event(2, 0), new Event(4, 0), new Event(5, 1), new Event(2, 1)));
        finds("1 two generations confirmed in the ledger");
    }

    @Test
    void findsAConfirmThatReachesPastTheNextHolder() {
        call(Kind.CONFIRM, 2, 0, 9, Result.OK);
        finds("1 an old holder confirmed");
    }

    @Test
    void findsAConfirmedNumberThatIsHandedOut() {
        handOut(1, 1, 20);
        finds("1 handed out although used up");
    }

    @Test
    void findsAVoidNumberThatIsHandedOut() {
        handOut(4, 1, 20);
        finds("1 handed out although used up");
    }

    @Test
    void findsBothFatesAcknowledged() {
        call(Kind.ABANDON, 1, 0, 3, Result.OK);
        finds("1 confirmed and given up");
    }

    @Test
    void findsALostValue() {
        returned.set(0, new Range(7, 9));
        finds("2 in 0 places");
    }

    @Test
    void findsAValueInTwoPlaces() {
        returned.set(0, new Range(6, 10));
        finds("2 in 2 places");
        finds("2 handed out, but returned");
    }

    @Test
    void findsWhatIsNotSettledAtRest() {
        batches.put(1L, batch(1, 6, bits(0), bits(1, 2, 3, 4)));
        finds("2 not at rest");
    }

    @Test
    void findsBitsThatContradict() {
        batches.put(1L, batch(1, 6, bits(0, 1, 5), bits(1, 2, 3, 4)));
        finds("2 confirmed and abandoned");
    }

    @Test
    void findsAnAbandonedBitWithoutItsRow() {
        rows.remove(3L);
        finds("2 an abandoned bit without a row");
    }

    @Test
    void findsARowWithoutItsBit() {
        batches.put(1L, batch(1, 6, bits(0, 5, 2), bits(1, 3, 4)));
        finds("2 a row without its bit");
    }

    @Test
    void findsANumberThatWasNeverLeased() {
        handOut(11, 0, 1);
        finds("2 handed out, but never leased");
    }

    @Test
    void findsANumberThatIsInNoBatch() {
        nextValue = 12;
        skipped.add(new Range(11, 11));
        handOut(11, 0, 1);
        finds("2 handed out, but in no batch");
    }

    @Test
    void findsANumberBeforeItsWindowIsOver() {
        call(Kind.ABANDON, 2, 0, 4, Result.OK);
        history.calls.removeIf(c -> c.kind() == Kind.ABANDON && c.key().value() == 2 && c.sentNanos() == 2 * SECOND);
        history.handOuts.removeIf(h -> h.generation() == 1);
        handOut(2, 1, 5);
        finds("3 handed out early");
    }

    @Test
    void findsWhatTheDatabaseSawTooEarly() {
        early.add("left the window early");
        finds("3 early by the database's clock");
    }

    @Test
    void findsAnAcknowledgedConfirmThatIsGone() {
        call(Kind.CONFIRM, 3, 0, 2, Result.OK);
        history.calls.removeIf(c -> c.kind() == Kind.ABANDON && c.key().value() == 3);
        finds("4 acknowledged and not there");
    }

    @Test
    void findsAnAcknowledgedConfirmOfAnotherGeneration() {
        rows.put(2L, new Row(2, 2, 2));
        finds("4 acknowledged and not there");
    }

    @Test
    void findsAnAcknowledgedAbandonThatIsGone() {
        call(Kind.ABANDON, 6, 0, 3, Result.OK);
        finds("4 acknowledged and not there");
    }

    @Test
    void findsAnAcknowledgedVoidThatIsGone() {
        rows.put(4L, new Row(4, 0, 0));
        finds("4 acknowledged and not there");
    }

    @Test
    void forgivesAcknowledgementsOfTheLostTimeOnly() {
        call(Kind.CONFIRM, 5, 0, 2, Result.OK);
        finds("4 acknowledged and not there");
        history.losses.add(new Lost(SECOND * 3 / 2, 3 * SECOND));
        assertThat(check()).noneMatch(v -> v.startsWith("4 acknowledged and not there"));
        history.losses.clear();
        history.losses.add(new Lost(3 * SECOND, 4 * SECOND));
        finds("4 acknowledged and not there");
    }

    @Test
    void forgivesAConfirmByTheHolderBeforeTheOneOfTheLostTime() {
        call(Kind.CONFIRM, 2, 0, 9, Result.OK);
        history.losses.add(new Lost(5 * SECOND, 8 * SECOND));
        assertThat(check()).noneMatch(v -> v.startsWith("1 an old holder confirmed"));
    }

    @Test
    void findsANumberOfTheLostTimeThatIsHandedOutAgain() {
        history.losses.add(new Lost(SECOND / 2, SECOND * 3 / 2));
        finds("1 handed out again after a loss");
    }

    private void finds(String rule) {
        assertThat(check()).as(rule).anyMatch(violation -> violation.startsWith(rule + ":"));
    }

    private List<String> check() {
        Sequence s = new Sequence("s", 1, nextValue, 2_000, 3_000, batches, returned, skipped, rows, events);
        return Checker.violations(history, new LedgerView(Map.of(1, s), early));
    }

    private void handOut(long value, int generation, int second) {
        history.handOuts.add(
                new HandOut(new Value(1, value), generation, 1, "a", second * SECOND, second * SECOND + SECOND / 10));
    }

    private void call(Kind kind, long value, int generation, int second, Result result) {
        history.calls.add(new Call(
                kind, new Value(1, value), generation, second * SECOND, second * SECOND + SECOND / 10, result));
    }

    private static Batch batch(long lo, long top, BitSet confirmed, BitSet abandoned) {
        return new Batch(1, lo, top, 3, confirmed, abandoned);
    }

    private static BitSet bits(int... set) {
        BitSet bits = new BitSet();
        for (int bit : set) {
            bits.set(bit);
        }
        return bits;
    }
}
