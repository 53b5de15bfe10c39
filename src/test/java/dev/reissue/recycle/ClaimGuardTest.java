package dev.reissue.recycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.LedgerMeter;
import dev.reissue.ledger.MarkStore;
import dev.reissue.ledger.ProcessMarks;
import dev.reissue.ledger.RegressionGuard;
import dev.reissue.recycle.ClaimStore.Won;
import dev.reissue.support.FakeBatchStore;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClaimGuardTest {
    private final SlowMarks shared = new SlowMarks();
    private final ClaimGuard guard =
            ClaimGuard.of(new RegressionGuard(new FakeBatchStore(), new ProcessMarks(), shared, LedgerMeter.NOOP));

    @Test
    void everySequenceIsAskedAboutBeforeAnAnswerIsWaitedFor() {
        Future<Map<Integer, CounterMark>> known = guard.known(List.of(1, 2, 3));
        assertThat(shared.asked).hasSize(3);
        assertThat(known.isComplete()).isFalse();
        for (int i = 0; i < shared.asked.size(); i++) {
            shared.asked.get(i).complete(new CounterMark(10 + i, 100));
        }
        assertThat(known.result()).hasSize(3).containsValue(new CounterMark(12, 100));
    }

    @Test
    void whatAClaimSawIsKnownBeforeTheNextOneThoughTheSharedMarksForgot() {
        guard.seen(List.of(won(1, new CounterMark(7, 70)), won(1, new CounterMark(7, 70))));
        Future<Map<Integer, CounterMark>> known = guard.known(List.of(1));
        shared.asked.forEach(answer -> answer.complete(CounterMark.NONE));
        assertThat(known.result()).isEqualTo(Map.of(1, new CounterMark(7, 70)));
        assertThat(shared.raised).contains(new CounterMark(7, 70));
    }

    @Test
    void aBlindGuardKnowsNothing() {
        assertThat(ClaimGuard.blind().known(List.of(1)).result()).isEmpty();
    }

    private static Won won(int sequence, CounterMark mark) {
        return new Won(new LogRow(1, 1, sequence, 5, 1, 1), 5_000, 120_000, mark);
    }

    /** Answers when the test says so. */
    private static final class SlowMarks implements MarkStore {
        private final List<Promise<CounterMark>> asked = new ArrayList<>();
        private final List<CounterMark> raised = new ArrayList<>();

        @Override
        public Future<CounterMark> highest(int sequenceId, String period) {
            Promise<CounterMark> answer = Promise.promise();
            asked.add(answer);
            return answer.future();
        }

        @Override
        public Future<Void> raise(int sequenceId, String period, CounterMark mark) {
            raised.add(mark);
            return Future.succeededFuture();
        }
    }
}
