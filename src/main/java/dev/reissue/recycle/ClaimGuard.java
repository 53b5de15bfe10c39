package dev.reissue.recycle;

import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.RegressionGuard;
import dev.reissue.recycle.ClaimStore.Won;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Notices claims that were answered by a database that lost commits, by the counter's revision, which every claim raises. Such a claim may
 * give a number the very generation that somebody got in the lost time, so it is not used: its numbers time out. Confined to the run of
 * the {@link ClaimPass}, one at a time.
 */
public final class ClaimGuard {
    private final @Nullable RegressionGuard regressions;

    /** Sequences whose counters are below what is known and not repaired yet. */
    private final Map<Integer, CounterMark> unrepaired = new HashMap<>();

    private ClaimGuard(@Nullable RegressionGuard regressions) {
        this.regressions = regressions;
    }

    /** Returns a guard that compares with what {@code regressions} knows. */
    public static ClaimGuard of(RegressionGuard regressions) {
        return new ClaimGuard(regressions);
    }

    /** Returns a guard that notices nothing. */
    public static ClaimGuard blind() {
        return new ClaimGuard(null);
    }

    /** Returns how far the counters are known to be, to be asked before a claim is sent. Fails while a repair does. */
    Future<Map<Integer, CounterMark>> known(UUID me, Collection<Integer> sequences) {
        RegressionGuard guard = regressions;
        if (guard == null) {
            return Future.succeededFuture(Map.of());
        }
        Map<Integer, CounterMark> marks = new HashMap<>();
        Future<Void> all = Future.succeededFuture();
        for (int sequence : sequences) {
            all = all.compose(v -> repair(guard, me, sequence))
                    .compose(v -> guard.known(sequence, ""))
                    .map(mark -> {
                        marks.put(sequence, mark);
                        return null;
                    });
        }
        return all.map(marks);
    }

    /** Returns those of the numbers that may be used. */
    List<Won> usable(List<Won> won, Map<Integer, CounterMark> known) {
        RegressionGuard guard = regressions;
        if (guard == null) {
            return won;
        }
        Set<Integer> regressed = new HashSet<>();
        Set<Integer> seen = new HashSet<>();
        List<Won> usable = new ArrayList<>(won.size());
        for (Won w : won) {
            int sequence = w.row().sequenceId();
            if (seen.add(sequence)) {
                CounterMark mark = known.getOrDefault(sequence, CounterMark.NONE);
                if (RegressionGuard.regressed(mark, w.mark())) {
                    regressed.add(sequence);
                    unrepaired.put(sequence, mark);
                } else {
                    guard.seen(sequence, "", w.mark());
                }
            }
            if (!regressed.contains(sequence)) {
                usable.add(w);
            }
        }
        return usable;
    }

    /** Repairs what was found regressed, by the next run at the latest. */
    Future<Void> repairAll(UUID me) {
        RegressionGuard guard = regressions;
        Future<Void> all = Future.succeededFuture();
        if (guard != null) {
            for (int sequence : List.copyOf(unrepaired.keySet())) {
                all = all.compose(v -> repair(guard, me, sequence));
            }
        }
        return all;
    }

    private Future<Void> repair(RegressionGuard guard, UUID me, int sequence) {
        CounterMark mark = unrepaired.get(sequence);
        if (mark == null) {
            return Future.succeededFuture();
        }
        return guard.repair(sequence, "", me, mark, Integer.toString(sequence))
                .onSuccess(raised -> unrepaired.remove(sequence))
                .mapEmpty();
    }
}
