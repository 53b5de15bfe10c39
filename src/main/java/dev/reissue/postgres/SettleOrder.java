package dev.reissue.postgres;

import dev.reissue.ledger.SettleStore.Item;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The order in which the items of one call are settled: in a level every number stands once, in the next one what was asked for the
 * same number after that. Immutable.
 *
 * <p>Who asks for exactly what another one of the same call asked before, with the same proof, is answered with that one's
 * outcome: as if it came right behind. So the number of levels is bounded by how many different tickets of a number there are, not
 * by how often a caller repeats an item.
 */
final class SettleOrder {
    private final int[] leaders;
    private final List<List<Integer>> levels = new ArrayList<>();

    private SettleOrder(int items) {
        this.leaders = new int[items];
    }

    /** A number of a call. */
    private record ValueKey(int sequenceId, String period, long value) {}

    static SettleOrder of(List<Item> items) {
        SettleOrder order = new SettleOrder(items.size());
        Map<ValueKey, List<Integer>> onNumber = new HashMap<>(2 * items.size());
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            List<Integer> before = onNumber.computeIfAbsent(
                    new ValueKey(item.sequenceId(), item.period(), item.value()), n -> new ArrayList<>(1));
            order.leaders[i] = leader(items, before, i);
            if (order.leaders[i] == i) {
                order.addTo(before.size(), i);
                before.add(i);
            }
        }
        return order;
    }

    private static int leader(List<Item> items, List<Integer> before, int place) {
        for (int earlier : before) {
            if (same(items.get(earlier), items.get(place))) {
                return earlier;
            }
        }
        return place;
    }

    /** Reason, business key and actor do not count: those of the first stay. */
    private static boolean same(Item a, Item b) {
        return a.kind() == b.kind()
                && a.batchId() == b.batchId()
                && a.generation() == b.generation()
                && a.ownedAndHandedOut() == b.ownedAndHandedOut()
                && a.operator() == b.operator();
    }

    private void addTo(int level, int place) {
        if (level == levels.size()) {
            levels.add(new ArrayList<>());
        }
        levels.get(level).add(place);
    }

    /** Returns the items of a level, none behind the last one. */
    List<Integer> level(int level) {
        return level < levels.size() ? levels.get(level) : List.of();
    }

    /** Returns the item whose outcome an item shares, itself in most cases. */
    int leader(int place) {
        return leaders[place];
    }
}
