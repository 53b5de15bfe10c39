package dev.reissue.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.audit.AuditStore.Gap;
import dev.reissue.audit.AuditStore.RangeFacts;
import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RangeClosureTest {
    private static final NumberFormat FORMAT = NumberFormat.parse("1{seq:6}");
    private static final SequenceDefinition SEQUENCE = new SequenceDefinition(
            7, "default", "pay", FORMAT, 5, 900_000, 100, 5000, 60_000, 120_000, true, 2, null, null, false, false, 1);

    private final List<String> asked = new ArrayList<>();
    private RangeFacts facts = new RangeFacts(Map.of(), 0, List.of());

    @Test
    void whatIsLeftAfterAllCountsIsUnaccounted() {
        facts = new RangeFacts(Map.of(Fate.CONFIRMED, 90L, Fate.VOID, 3L), 0, List.of());

        ClosureReport report = close("1000001", "1000100");

        assertThat(asked).containsExactly("7 1..100");
        assertThat(report.unaccounted()).isEqualTo(7);
        assertThat(report.closed()).isFalse();
    }

    @Test
    void aValueCountedTwiceShowsAsNegative() {
        facts = new RangeFacts(Map.of(Fate.CONFIRMED, 100L, Fate.RETURNED, 1L), 0, List.of());

        assertThat(close("1", "100").unaccounted()).isEqualTo(-1);
        assertThat(close("1", "100").closed()).isFalse();
    }

    @Test
    void theEndsDefaultToAllThatWasLeased() {
        close(null, null);

        assertThat(asked).containsExactly("high water", "7 5..41");
    }

    @Test
    void aRangeBeyondWhatWasLeasedIsEmptyWithoutAnEnd() {
        assertThat(close("50", null).toMap()).containsEntry("total", 0L).containsEntry("to", "49");
    }

    @Test
    void aTextThatIsANumberIsNeverTakenForAValue() {
        close("1000009", "1000010");

        assertThat(asked).containsExactly("7 9..10");
    }

    @Test
    void moreGapsThanAClosureShowsAreCutAndSaidToBe() {
        List<Gap> gaps = new ArrayList<>();
        for (int i = 0; i <= RangeClosure.MAX_GAPS; i++) {
            gaps.add(new Gap(2L * i, 2L * i, List.of(Fate.ALLOCATED)));
        }
        facts = new RangeFacts(Map.of(), 0, gaps);
        ClosureReport cut = close("1", "100");
        facts = new RangeFacts(Map.of(), 0, gaps.subList(0, RangeClosure.MAX_GAPS));
        ClosureReport whole = close("1", "100");

        assertThat(cut.gaps()).hasSize(RangeClosure.MAX_GAPS);
        assertThat(cut.truncated()).isTrue();
        assertThat(whole.gaps()).hasSize(RangeClosure.MAX_GAPS);
        assertThat(whole.truncated()).isFalse();
    }

    private ClosureReport close(@Nullable String from, @Nullable String to) {
        ClosureResult result =
                new RangeClosure(new Store()).close(SEQUENCE, from, to).result();
        assertThat(result).isInstanceOf(ClosureResult.Counted.class);
        return ((ClosureResult.Counted) result).report();
    }

    private final class Store implements AuditStore {
        @Override
        public Future<NumberFacts> number(int sequenceId, String period, long value, int events) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<Long> highWater(int sequenceId, String period) {
            asked.add("high water");
            return Future.succeededFuture(42L);
        }

        @Override
        public Future<RangeFacts> range(int sequenceId, String period, long from, long to, int gaps) {
            asked.add(sequenceId + " " + from + ".." + to);
            return Future.succeededFuture(facts);
        }
    }
}
