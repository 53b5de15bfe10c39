package dev.reissue.api;

import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settled numbers in memory: first in wins; each outcome can also be set by a test. One event loop at a time. */
final class MemorySettle implements SettleStore {
    private final Map<Long, Answer> answers = new HashMap<>();
    volatile StoreException.@Nullable Kind fault;
    volatile int settled;
    volatile @Nullable Item last;

    /** Sets what a number answers from now on. */
    synchronized void answer(long value, SettleOutcome outcome, @Nullable NumberState state, int generation) {
        answers.put(value, new Answer(outcome, state, generation));
    }

    @Override
    public synchronized Future<List<Answer>> settle(List<Item> items) {
        StoreException.Kind kind = fault;
        if (kind != null) {
            return Future.failedFuture(new StoreException(kind, "secret detail", new IllegalStateException("secret")));
        }
        List<Answer> result = new ArrayList<>();
        for (Item item : items) {
            last = item;
            settled++;
            Answer set = answers.get(item.value());
            result.add(set != null ? set : accept(item));
        }
        return Future.succeededFuture(result);
    }

    private static Answer accept(Item item) {
        return switch (item.kind()) {
            case CONFIRM -> new Answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0);
            case ABANDON -> new Answer(SettleOutcome.ABANDONED, NumberState.ABANDONED, 0);
            case VOID -> new Answer(SettleOutcome.VOIDED, NumberState.VOID, 0);
        };
    }
}
