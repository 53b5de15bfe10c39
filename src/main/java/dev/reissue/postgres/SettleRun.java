package dev.reissue.postgres;

import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of {@link PgSettleStore#settle}: the way of its items through the statements of {@link SettleSql}. Confined to one context.
 *
 * <p>A pass is: find the batch of items that were named by number alone, merge the bits of generation 0, change the rows of what is
 * left. Items on the same number go through passes of their own, one after the other, so that each one learns the truth. An item
 * whose facts changed between two statements of a pass goes through another one.
 */
final class SettleRun {
    private static final Logger LOG = LoggerFactory.getLogger(SettleRun.class);

    /** How often an item may meet facts that changed under it. */
    private static final int MAX_TRIES = 5;

    private static final Answer NEVER_ISSUED = new Answer(SettleOutcome.NEVER_ISSUED, null, 0);

    private final PgDatabase database;
    private final List<Item> items;
    private final SettleOrder order;
    private final @Nullable Answer[] answers;
    private final long[] batchIds;
    private final byte[] tries;
    private final boolean[] searched;
    private boolean sent;

    SettleRun(PgDatabase database, List<Item> items) {
        this.database = database;
        this.items = items;
        this.order = SettleOrder.of(items);
        this.answers = new Answer[items.size()];
        this.batchIds = items.stream().mapToLong(Item::batchId).toArray();
        this.tries = new byte[items.size()];
        this.searched = new boolean[items.size()];
    }

    Future<List<Answer>> run() {
        return level(0).map(done -> answers()).recover(e -> Future.failedFuture(known(e)));
    }

    private Future<Void> level(int level) {
        List<Integer> places = order.level(level);
        return places.isEmpty() ? Future.succeededFuture() : pass(places).compose(done -> level(level + 1));
    }

    private Future<Void> pass(List<Integer> places) {
        for (int place : places) {
            if (++tries[place] > MAX_TRIES) {
                return Future.failedFuture(new StoreException(
                        StoreException.Kind.UNKNOWN,
                        "value " + items.get(place).value() + " changes too fast to be settled",
                        new IllegalStateException("no stable facts in " + MAX_TRIES + " tries")));
            }
        }
        return find(places, place -> batchIds[place] == SettleStore.NO_BATCH, false)
                .compose(done -> merge(open(places)))
                .compose(done -> change(open(places)))
                .compose(lost -> find(lost, place -> true, true))
                .compose(done -> {
                    List<Integer> again = open(places);
                    return again.isEmpty() ? Future.succeededFuture() : pass(again);
                });
    }

    private List<Integer> open(List<Integer> places) {
        List<Integer> open = new ArrayList<>();
        for (int place : places) {
            if (answers[place] == null) {
                open.add(place);
            }
        }
        return open;
    }

    /** Finds the batches of values; what is in none, or in one that is not suspect where that is asked, was never issued. */
    private Future<Void> find(List<Integer> places, IntPredicate choice, boolean suspectOnly) {
        List<Integer> wanted = places.stream().filter(choice::test).toList();
        if (wanted.isEmpty()) {
            return Future.succeededFuture();
        }
        Tuple parameters = Tuple.of(
                wanted.toArray(Integer[]::new),
                wanted.stream().map(place -> items.get(place).sequenceId()).toArray(Integer[]::new),
                wanted.stream().map(place -> items.get(place).period()).toArray(String[]::new),
                wanted.stream().map(place -> items.get(place).value()).toArray(Long[]::new));
        return database.query(SettleSql.FIND, parameters).map(rows -> {
            wanted.forEach(place -> answers[place] = NEVER_ISSUED);
            for (Row row : rows) {
                if (!suspectOnly || row.getBoolean("suspect")) {
                    int place = row.getInteger("place");
                    batchIds[place] = row.getLong("batch_id");
                    searched[place] = true;
                    answers[place] = null;
                }
            }
            return null;
        });
    }

    private Future<Void> merge(List<Integer> places) {
        MergeInput input = new MergeInput(items, batchIds);
        for (int place : places) {
            if (items.get(place).generation() <= 0) {
                input.add(place);
            }
        }
        if (input.isEmpty()) {
            return Future.succeededFuture();
        }
        return input.isOneBatch() ? confirm(input) : merge(input);
    }

    /** Confirms what is in one batch; where not all of it is free, the longer way tells what is. */
    private Future<Void> confirm(MergeInput input) {
        return changing(SettleSql.CONFIRM_ONE, input.oneBatch()).compose(rows -> {
            if (rows.rowCount() == 0) {
                return merge(input);
            }
            input.forEach(place -> answers[place] = done(items.get(place)));
            return Future.succeededFuture();
        });
    }

    private Future<Void> merge(MergeInput input) {
        return changing(input.statement(), input.parameters()).map(rows -> {
            input.forEachTurnedOn(rows, place -> answers[place] = done(items.get(place)));
            return null;
        });
    }

    private static Answer done(Item item) {
        return switch (item.kind()) {
            case CONFIRM -> new Answer(SettleOutcome.CONFIRMED, NumberState.CONFIRMED, 0);
            case ABANDON -> new Answer(SettleOutcome.ABANDONED, NumberState.ABANDONED, 0);
            case VOID -> new Answer(SettleOutcome.VOIDED, NumberState.VOID, 0);
        };
    }

    /** Changes rows; returns the items whose batch does not have them. */
    private Future<List<Integer>> change(List<Integer> places) {
        if (places.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return changing(SettleSql.CHANGE, changeParameters(places)).map(rows -> {
            List<Integer> lost = new ArrayList<>();
            for (Row row : rows) {
                int place = row.getInteger("place");
                Item item = items.get(place);
                SettleFacts facts = SettleFacts.of(row);
                if (facts.broken()) {
                    LOG.atError()
                            .addKeyValue("sequenceId", item.sequenceId())
                            .addKeyValue("batch", batchIds[place])
                            .addKeyValue("value", item.value())
                            .log("a number is abandoned and has no row");
                }
                if (facts.batchLost(item) && !searched[place]) {
                    lost.add(place);
                } else {
                    answers[place] = facts.answer(item);
                }
            }
            return lost;
        });
    }

    private Tuple changeParameters(List<Integer> places) {
        int n = places.size();
        Long[] batches = new Long[n];
        Integer[] sequences = new Integer[n];
        String[] periods = new String[n];
        Long[] values = new Long[n];
        Short[] wanted = new Short[n];
        Integer[] tickets = new Integer[n];
        Boolean[] vouched = new Boolean[n];
        Boolean[] operators = new Boolean[n];
        @Nullable String[] bizKeys = new String[n];
        @Nullable String[] reasons = new String[n];
        String[] actors = new String[n];
        @Nullable String[] traces = new String[n];
        for (int i = 0; i < n; i++) {
            Item item = items.get(places.get(i));
            batches[i] = batchIds[places.get(i)];
            sequences[i] = item.sequenceId();
            periods[i] = item.period();
            values[i] = item.value();
            wanted[i] = MergeInput.wanted(item);
            tickets[i] = item.generation();
            vouched[i] = item.ownedAndHandedOut();
            operators[i] = item.operator();
            bizKeys[i] = item.trace() ? item.bizKey() : null;
            reasons[i] = item.reason();
            actors[i] = item.actor();
            traces[i] = item.traceId();
        }
        Tuple parameters = Tuple.tuple();
        parameters
                .addValue(places.toArray(Integer[]::new))
                .addValue(batches)
                .addValue(sequences)
                .addValue(periods);
        parameters
                .addValue(values)
                .addValue(wanted)
                .addValue(tickets)
                .addValue(vouched)
                .addValue(operators);
        return parameters.addValue(bizKeys).addValue(reasons).addValue(actors).addValue(traces);
    }

    private Future<RowSet<Row>> changing(String sql, Tuple parameters) {
        return database.query(sql, parameters).onSuccess(rows -> sent = true);
    }

    /** Returns a fault for the call as a whole: "nothing has changed" is not true any more after a first statement. */
    private Throwable known(Throwable e) {
        return sent && e instanceof StoreException store && store.kind() != StoreException.Kind.UNKNOWN
                ? new StoreException(StoreException.Kind.UNKNOWN, "settled in part: " + store.getMessage(), store)
                : e;
    }

    private List<Answer> answers() {
        Answer[] all = new Answer[answers.length];
        for (int i = 0; i < all.length; i++) {
            Answer answer = answers[order.leader(i)];
            if (answer == null) {
                throw new IllegalStateException(
                        "no answer for value " + items.get(i).value());
            }
            all[i] = order.leader(i) == i ? answer : repeated(answer);
        }
        return Arrays.asList(all);
    }

    /** Returns what a caller learns who asked for the same right behind the one who got {@code first}. */
    private static Answer repeated(Answer first) {
        return first.outcome() == SettleOutcome.ABANDONED
                ? new Answer(SettleOutcome.ALREADY_ABANDONED, first.state(), first.generation())
                : first;
    }
}
