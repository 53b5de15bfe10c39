package dev.reissue.postgres;

import dev.reissue.ledger.BatchMask;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleStore.Item;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The parameters and the answer of {@link SettleSql#MERGE}, or of {@link SettleSql#CONFIRM} where nothing but bits of confirms is to be
 * turned on, for some items of a call. Confined to one thread.
 */
final class MergeInput {
    private final List<Item> items;
    private final long[] batchIds;
    private final Map<Long, Batch> batches = new HashMap<>();
    private final List<Integer> exceptions = new ArrayList<>();
    private @Nullable Batch latest;

    /**
     * Starts with no item.
     *
     * @param batchIds the batch of each item
     */
    MergeInput(List<Item> items, long[] batchIds) {
        this.items = items;
        this.batchIds = batchIds;
    }

    /** The items of one batch, of one sequence, each value once. */
    private static final class Batch {
        final Item any;
        final List<Integer> places = new ArrayList<>();
        long base;
        long last;

        Batch(Item any) {
            this.any = any;
            this.base = any.value();
            this.last = any.value();
        }

        boolean takes(Item item) {
            return item.sequenceId() == any.sequenceId()
                    && item.period().equals(any.period())
                    && Math.max(last, item.value()) - Math.min(base, item.value()) < BatchMask.MAX_WIDTH;
        }
    }

    /** Adds an item. What does not fit to the other items of its batch is left out: it is not turned on, and tried again. */
    void add(int place) {
        Item item = items.get(place);
        Batch batch = batch(batchIds[place], item);
        if (batch.takes(item)) {
            batch.base = Math.min(batch.base, item.value());
            batch.last = Math.max(batch.last, item.value());
            batch.places.add(place);
            if (item.kind() != SettleKind.CONFIRM || (item.trace() && item.bizKey() != null)) {
                exceptions.add(place);
            }
        }
    }

    private Batch batch(long id, Item item) {
        Batch batch = latest;
        if (batch == null || batchIds[batch.places.get(0)] != id) {
            batch = batches.computeIfAbsent(id, k -> new Batch(item));
            latest = batch;
        }
        return batch;
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    /** Returns the state that an item wants its number in, as stored. */
    static short wanted(Item item) {
        return (short) (switch (item.kind()) {
                    case CONFIRM -> NumberState.CONFIRMED;
                    case ABANDON -> NumberState.ABANDONED;
                    case VOID -> NumberState.VOID;
                })
                .code();
    }

    /** Tells whether {@link SettleSql#CONFIRM_ONE} can do it: confirms alone, in one batch, each with the proof that it was handed out. */
    boolean isOneBatch() {
        return batches.size() == 1
                && exceptions.isEmpty()
                && existing(batches.keySet().iterator().next()).places.stream()
                        .noneMatch(place -> Wanted.SEALED_ONLY.has(items.get(place)));
    }

    /** Returns the parameters of {@link SettleSql#CONFIRM_ONE}. */
    Tuple oneBatch() {
        long id = batches.keySet().iterator().next();
        Batch batch = existing(id);
        return Tuple.tuple()
                .addLong(id)
                .addInteger(batch.any.sequenceId())
                .addString(batch.any.period())
                .addLong(batch.base)
                .addInteger((int) (batch.last - batch.base + 1))
                .addString(mask(batch, Wanted.CONFIRM));
    }

    /** Calls back for every item that was added, each of whose bits the statement turned on. */
    void forEach(IntConsumer turnedOn) {
        batches.values().forEach(batch -> batch.places.forEach(turnedOn::accept));
    }

    /** Returns the statement that {@link #parameters} are for. */
    String statement() {
        return exceptions.isEmpty() ? SettleSql.CONFIRM : SettleSql.MERGE;
    }

    Tuple parameters() {
        int n = batches.size();
        Long[] ids = batches.keySet().toArray(Long[]::new);
        Integer[] sequences = new Integer[n];
        String[] periods = new String[n];
        Long[] bases = new Long[n];
        @Nullable String[] confirm = new String[n];
        @Nullable String[] abandon = new String[n];
        @Nullable String[] sealedOnly = new String[n];
        for (int i = 0; i < n; i++) {
            Batch batch = existing(ids[i]);
            sequences[i] = batch.any.sequenceId();
            periods[i] = batch.any.period();
            bases[i] = batch.base;
            confirm[i] = mask(batch, Wanted.CONFIRM);
            abandon[i] = exceptions.isEmpty() ? null : mask(batch, Wanted.ABANDON);
            sealedOnly[i] = mask(batch, Wanted.SEALED_ONLY);
        }
        Tuple parameters = Tuple.tuple();
        parameters.addValue(ids).addValue(sequences).addValue(periods).addValue(bases);
        parameters.addValue(confirm);
        return exceptions.isEmpty()
                ? parameters.addValue(sealedOnly)
                : addExceptions(parameters.addValue(abandon).addValue(sealedOnly));
    }

    private Tuple addExceptions(Tuple parameters) {
        int n = exceptions.size();
        Long[] ids = new Long[n];
        Long[] values = new Long[n];
        Short[] states = new Short[n];
        @Nullable String[] bizKeys = new String[n];
        @Nullable String[] reasons = new String[n];
        String[] actors = new String[n];
        @Nullable String[] traces = new String[n];
        for (int i = 0; i < n; i++) {
            Item item = items.get(exceptions.get(i));
            ids[i] = batchIds[exceptions.get(i)];
            values[i] = item.value();
            states[i] = wanted(item);
            bizKeys[i] = item.trace() ? item.bizKey() : null;
            reasons[i] = item.reason();
            actors[i] = item.actor();
            traces[i] = item.traceId();
        }
        parameters.addValue(ids).addValue(values).addValue(states);
        return parameters.addValue(bizKeys).addValue(reasons).addValue(actors).addValue(traces);
    }

    /** What a mask says about an item. */
    private enum Wanted {
        CONFIRM,
        ABANDON,
        SEALED_ONLY;

        boolean has(Item item) {
            return switch (this) {
                case CONFIRM -> item.kind() == SettleKind.CONFIRM;
                case ABANDON -> item.kind() != SettleKind.CONFIRM;
                case SEALED_ONLY -> item.generation() < 0 && !item.ownedAndHandedOut();
            };
        }
    }

    private @Nullable String mask(Batch batch, Wanted wanted) {
        BatchMask mask = null;
        for (int place : batch.places) {
            Item item = items.get(place);
            if (wanted.has(item)) {
                if (mask == null) {
                    mask = new BatchMask(batch.base, batch.last);
                }
                mask.set(item.value());
            }
        }
        return mask == null ? null : mask.toHex();
    }

    /** Calls back for each item whose bit the statement turned on. */
    void forEachTurnedOn(Iterable<Row> refusals, IntConsumer turnedOn) {
        Map<Long, Row> refused = new HashMap<>();
        for (Row row : refusals) {
            refused.put(row.getLong("batch_id"), row);
        }
        batches.forEach((id, batch) -> {
            Row row = refused.get(id);
            for (int place : batch.places) {
                if (row == null || isOn(row, items.get(place))) {
                    turnedOn.accept(place);
                }
            }
        });
    }

    private static boolean isOn(Row row, Item item) {
        Long first = row.getLong("first");
        String bits = row.getString(item.kind() == SettleKind.CONFIRM ? "confirmed" : "abandoned");
        return first != null && bits != null && BatchMask.isOn(bits, first, item.value());
    }

    private Batch existing(long id) {
        Batch batch = batches.get(id);
        if (batch == null) {
            throw new IllegalStateException("no batch " + id);
        }
        return batch;
    }
}
