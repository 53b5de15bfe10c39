package dev.reissue.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.MarkStore;
import org.junit.jupiter.api.Test;

/** What every {@link MarkStore} has to do. */
public abstract class MarkStoreContract {

    /** Creates the contract. */
    protected MarkStoreContract() {}

    /** Returns an empty store. */
    protected abstract MarkStore store();

    @Test
    void knowsNothingAtFirst() {
        assertThat(Futures.get(store().highest(1, ""))).isEqualTo(CounterMark.NONE);
    }

    @Test
    void keepsTheHighestOfEachPart() {
        MarkStore store = store();
        Futures.get(store.raise(1, "", new CounterMark(9, 1_000)));
        Futures.get(store.raise(1, "", new CounterMark(10, 999)));
        Futures.get(store.raise(1, "", new CounterMark(2, 2)));

        assertThat(Futures.get(store.highest(1, ""))).isEqualTo(new CounterMark(10, 1_000));
    }

    @Test
    void tellsNeighboursApartAtTheHighestValues() {
        MarkStore store = store();
        Futures.get(store.raise(1, "", new CounterMark(9_007_199_254_740_993L, 1_000_000_000_000_000_001L)));
        Futures.get(store.raise(1, "", new CounterMark(9_007_199_254_740_992L, 1_000_000_000_000_000_000L)));

        assertThat(Futures.get(store.highest(1, "")))
                .isEqualTo(new CounterMark(9_007_199_254_740_993L, 1_000_000_000_000_000_001L));
    }

    @Test
    void keepsSequencesAndPeriodsApart() {
        MarkStore store = store();
        Futures.get(store.raise(1, "2026", new CounterMark(1, 10)));
        Futures.get(store.raise(12, "", new CounterMark(2, 20)));

        assertThat(Futures.get(store.highest(1, ""))).isEqualTo(CounterMark.NONE);
        assertThat(Futures.get(store.highest(1, "2026"))).isEqualTo(new CounterMark(1, 10));
        assertThat(Futures.get(store.highest(12, ""))).isEqualTo(new CounterMark(2, 20));
    }
}
