package dev.reissue.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.FakeMarkStore;
import dev.reissue.support.MarkStoreContract;
import io.vertx.core.Future;
import java.util.List;
import org.junit.jupiter.api.Test;

class CombinedMarksTest extends MarkStoreContract {
    private final FakeMarkStore one = new FakeMarkStore();
    private final FakeMarkStore other = new FakeMarkStore();

    @Override
    protected MarkStore store() {
        return new CombinedMarks(List.of(one, other));
    }

    @Test
    void oneOfThePlacesIsEnough() {
        other.raise(1, "", new CounterMark(7, 70));
        assertThat(store().highest(1, "").result()).isEqualTo(new CounterMark(7, 70));
        store().raise(1, "", new CounterMark(8, 80));
        assertThat(one.highest(1, "").result()).isEqualTo(new CounterMark(8, 80));
        assertThat(other.highest(1, "").result()).isEqualTo(new CounterMark(8, 80));
    }

    @Test
    void aPlaceThatFailsKnowsNothingAndKeepsNobodyFromKnowing() {
        MarkStore broken = new MarkStore() {
            @Override
            public Future<CounterMark> highest(int sequenceId, String period) {
                return Future.failedFuture("broken");
            }

            @Override
            public Future<Void> raise(int sequenceId, String period, CounterMark mark) {
                return Future.failedFuture("broken");
            }
        };
        MarkStore both = new CombinedMarks(List.of(broken, other));
        assertThat(both.raise(1, "", new CounterMark(7, 70)).succeeded()).isTrue();
        assertThat(both.highest(1, "").result()).isEqualTo(new CounterMark(7, 70));
    }
}
