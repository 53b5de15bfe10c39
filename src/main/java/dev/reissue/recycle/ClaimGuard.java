package dev.reissue.recycle;

import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.RegressionGuard;
import dev.reissue.recycle.ClaimStore.Won;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows how far counters have been, so that no number is claimed from a database that lost commits: such a claim may give a number the very
 * generation that somebody got in the lost time. It only compares; the sequence's next lease repairs. Any thread.
 */
public final class ClaimGuard {
    private final @Nullable RegressionGuard regressions;

    private ClaimGuard(@Nullable RegressionGuard regressions) {
        this.regressions = regressions;
    }

    /** Returns a guard that compares with what {@code regressions} knows. */
    public static ClaimGuard of(RegressionGuard regressions) {
        return new ClaimGuard(regressions);
    }

    /** Returns a guard that knows nothing. */
    public static ClaimGuard blind() {
        return new ClaimGuard(null);
    }

    /** Returns how far the counters are known to be, to be asked before a claim is sent. Never fails. */
    Future<Map<Integer, CounterMark>> known(Collection<Integer> sequences) {
        RegressionGuard guard = regressions;
        if (guard == null) {
            return Future.succeededFuture(Map.of());
        }
        // All are asked before the first answer is waited for.
        Map<Integer, Future<CounterMark>> asked = new HashMap<>();
        sequences.forEach(sequence -> asked.put(sequence, guard.known(sequence, "")));
        return Future.all(List.copyOf(asked.values())).map(done -> {
            Map<Integer, CounterMark> marks = new HashMap<>();
            asked.forEach((sequence, mark) -> marks.put(sequence, mark.result()));
            return marks;
        });
    }

    /** Remembers how far counters are after a claim. */
    void seen(List<Won> won) {
        RegressionGuard guard = regressions;
        if (guard == null) {
            return;
        }
        Map<Integer, CounterMark> marks = new HashMap<>();
        won.forEach(w -> marks.put(w.row().sequenceId(), w.mark()));
        marks.forEach((sequence, mark) -> guard.seen(sequence, "", mark));
    }
}
