package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A store of numbers of generation 0 in memory, for tests of what stands in front of a store. One thread. */
public final class InMemorySettleStore implements SettleStore {
    private final Map<Long, BatchRange> batches = new HashMap<>();
    private final TreeMap<Long, BatchRange> byValue = new TreeMap<>();
    private final Map<Long, Long> issuedTo = new HashMap<>();
    private final Map<Long, NumberState> settled = new HashMap<>();
    private long nextValue = 1;

    /** Makes an OPEN batch. */
    public BatchRange openBatch(int size) {
        BatchRange batch = new BatchRange(batches.size() + 1, nextValue, nextValue + size - 1);
        nextValue += size + 10;
        batches.put(batch.batchId(), batch);
        byValue.put(batch.lo(), batch);
        return batch;
    }

    /** Seals a batch. */
    public void seal(BatchRange batch, long last) {
        issuedTo.put(batch.batchId(), last);
    }

    @Override
    public Future<List<Answer>> settle(List<Item> items) {
        List<Answer> answers = new ArrayList<>();
        for (Item item : items) {
            answers.add(settle(item));
        }
        return Future.succeededFuture(answers);
    }

    private Answer settle(Item item) {
        BatchRange batch = item.batchId() == NO_BATCH ? byValue(item.value()) : batches.get(item.batchId());
        if (batch == null
                || item.value() < batch.lo()
                || item.value() > issuedTo.getOrDefault(batch.batchId(), batch.hi())) {
            return new Answer(SettleOutcome.NEVER_ISSUED, null, 0);
        }
        NumberState state = settled.getOrDefault(item.value(), NumberState.ALLOCATED);
        boolean proven = item.generation() == 0 || item.ownedAndHandedOut() || issuedTo.containsKey(batch.batchId());
        if (state == NumberState.ALLOCATED && !proven) {
            return new Answer(SettleOutcome.TICKET_REQUIRED, null, 0);
        }
        SettleOutcome outcome = outcome(item, state);
        return new Answer(outcome, settled.getOrDefault(item.value(), state), 0);
    }

    private @Nullable BatchRange byValue(long value) {
        Map.Entry<Long, BatchRange> below = byValue.floorEntry(value);
        return below == null ? null : below.getValue();
    }

    private SettleOutcome outcome(Item item, NumberState state) {
        return switch (item.kind()) {
            case CONFIRM ->
                switch (state) {
                    case ALLOCATED -> to(item, NumberState.CONFIRMED, SettleOutcome.CONFIRMED);
                    case CONFIRMED -> SettleOutcome.CONFIRMED;
                    case VOID -> SettleOutcome.VOID;
                    default -> SettleOutcome.ALREADY_ABANDONED;
                };
            case ABANDON ->
                switch (state) {
                    case ALLOCATED -> to(item, NumberState.ABANDONED, SettleOutcome.ABANDONED);
                    case CONFIRMED -> SettleOutcome.ALREADY_CONFIRMED;
                    case VOID -> SettleOutcome.VOID;
                    default -> SettleOutcome.ALREADY_ABANDONED;
                };
            case VOID ->
                state == NumberState.CONFIRMED && !item.operator()
                        ? SettleOutcome.ALREADY_CONFIRMED
                        : to(item, NumberState.VOID, SettleOutcome.VOIDED);
        };
    }

    private SettleOutcome to(Item item, NumberState state, SettleOutcome outcome) {
        settled.put(item.value(), state);
        return outcome;
    }
}
