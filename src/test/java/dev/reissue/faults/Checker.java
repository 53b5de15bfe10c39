package dev.reissue.faults;

import dev.reissue.faults.History.Call;
import dev.reissue.faults.History.HandOut;
import dev.reissue.faults.History.Kind;
import dev.reissue.faults.History.Lost;
import dev.reissue.faults.History.Value;
import dev.reissue.faults.LedgerView.Batch;
import dev.reissue.faults.LedgerView.Event;
import dev.reissue.faults.LedgerView.Range;
import dev.reissue.faults.LedgerView.Row;
import dev.reissue.faults.LedgerView.Sequence;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Proves from what the callers were told and from the ledger at rest that each number was confirmed once, none is lost, none came back
 * early and nothing that was acknowledged is gone. Calls with an unknown outcome prove nothing either way. One thread.
 *
 * <p>Where the database was put back to a copy, acknowledgements of the lost time need not be there, and a number of which a lost
 * acknowledgement said that it is used up may be acknowledged once more; but no number that was handed out in the lost time is ever handed
 * out again.
 */
final class Checker {
    private static final int SHOWN_MAX = 50;

    private final History history;
    private final LedgerView ledger;
    private final Map<Value, List<HandOut>> handOuts = new TreeMap<>();
    private final Map<Value, List<Call>> calls = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private int found;

    private Checker(History history, LedgerView ledger) {
        this.history = history;
        this.ledger = ledger;
    }

    /** Returns a sentence for each violation, empty where everything holds. */
    static List<String> violations(History history, LedgerView ledger) {
        Checker checker = new Checker(history, ledger);
        checker.check();
        if (checker.found > SHOWN_MAX) {
            checker.violations.add("and " + (checker.found - SHOWN_MAX) + " more");
        }
        return checker.violations;
    }

    private void check() {
        history.handOuts.forEach(
                h -> handOuts.computeIfAbsent(h.key(), k -> new ArrayList<>()).add(h));
        history.calls.forEach(
                c -> calls.computeIfAbsent(c.key(), k -> new ArrayList<>()).add(c));
        ledger.sequences().forEach((id, sequence) -> accounts(sequence));
        ledger.early().forEach(early -> violation("3 early by the database's clock", early));
        handOuts.values().forEach(this::once);
        handOuts.values().forEach(this::notEarly);
        handOuts.values().forEach(this::notAgainAfterLoss);
        handOuts.forEach(this::inTheLedger);
        calls.forEach(this::oneConfirmed);
        calls.forEach(this::usedUp);
        calls.values().forEach(this::ofOneMind);
        calls.forEach(this::durable);
        ledger.sequences().forEach(this::oneConfirmedByTheLedger);
    }

    /** Guarantee 1: no two holders of one generation. */
    private void once(List<HandOut> all) {
        Map<Integer, HandOut> seen = new HashMap<>();
        for (HandOut h : all) {
            HandOut before = seen.put(h.generation(), h);
            if (before != null) {
                violation("1 two holders", before + " and " + h);
            }
        }
    }

    /** Guarantee 1: at most one generation is ever confirmed, and no confirm reaches past a later holder. */
    private void oneConfirmed(Value key, List<Call> all) {
        Set<Integer> generations = new HashSet<>();
        for (Call c : all) {
            if (!c.acknowledged(Kind.CONFIRM)) {
                continue;
            }
            if (lost(c)) {
                continue;
            }
            generations.add(c.generation());
            for (HandOut h : handOuts.getOrDefault(key, List.of())) {
                // What was handed out in a lost time is unknown to the ledger that came back: its caller can confirm
                // nothing, and
                // the holder before it may still.
                if (h.generation() > c.generation()
                        && h.receivedNanos() - c.sentNanos() < 0
                        && !history.maybeLost(h.sentNanos(), h.receivedNanos())) {
                    violation("1 an old holder confirmed", c + " after " + h);
                }
            }
        }
        if (generations.size() > 1) {
            violation("1 two generations confirmed", key + ": " + generations);
        }
    }

    private void oneConfirmedByTheLedger(int id, Sequence sequence) {
        sequence.events().forEach((value, events) -> {
            Set<Integer> generations = new HashSet<>();
            for (Event e : events) {
                if (e.to() == LedgerView.CONFIRMED) {
                    generations.add(e.generation());
                }
            }
            Batch batch = sequence.batchOf(value);
            if (batch != null && batch.confirmed().get((int) (value - batch.lo()))) {
                generations.add(0);
            }
            if (generations.size() > 1) {
                violation("1 two generations confirmed in the ledger", new Value(id, value) + ": " + generations);
            }
        });
    }

    /** Guarantee 1: what was acknowledged as confirmed or void is not handed out any more. */
    private void usedUp(Value key, List<Call> all) {
        for (Call c : all) {
            if ((c.acknowledged(Kind.CONFIRM) || c.acknowledged(Kind.VOID)) && !lost(c)) {
                for (HandOut h : handOuts.getOrDefault(key, List.of())) {
                    if (h.sentNanos() - c.endNanos() > 0) {
                        violation("1 handed out although used up", h + " after " + c);
                    }
                }
            }
        }
    }

    /** Guarantee 1: of one generation either the confirm or the abandon is acknowledged. */
    private void ofOneMind(List<Call> all) {
        Map<Integer, Call> confirmed = new HashMap<>();
        all.stream()
                .filter(c -> c.acknowledged(Kind.CONFIRM) && !lost(c))
                .forEach(c -> confirmed.put(c.generation(), c));
        for (Call c : all) {
            Call other = confirmed.get(c.generation());
            if (other != null && !c.acknowledged(Kind.CONFIRM) && c.result() == History.Result.OK && !lost(c)) {
                violation("1 confirmed and given up", c + " and " + other);
            }
        }
    }

    /** Guarantee 2: every value below the counter is in one place, and bits and rows agree. */
    private void accounts(Sequence s) {
        Map<String, Long> counts = new TreeMap<>();
        int values = (int) (s.nextValue() - s.first());
        byte[] places = new byte[values];
        for (Range r : s.returned()) {
            place(s, places, r.lo(), r.hi(), counts, "returned");
        }
        for (Range r : s.skipped()) {
            place(s, places, r.lo(), r.hi(), counts, "skipped");
        }
        for (Batch b : s.batches().values()) {
            if (b.status() == 1) {
                violation("2 not at rest", s.name() + ": batch " + b.lo() + ".." + b.top() + " is open");
            }
            place(s, places, b.lo(), b.top(), counts, "in batches");
            for (long v = b.lo(); v <= b.top(); v++) {
                fate(s, b, v, counts);
            }
        }
        for (int i = 0; i < values; i++) {
            if (places[i] != 1) {
                violation("2 in " + places[i] + " places", s.name() + ": " + (s.first() + i));
            }
        }
        s.rows().keySet().forEach(v -> {
            if (s.batchOf(v) == null) {
                violation("2 a row without a batch", s.name() + ": " + v);
            }
        });
        long sum = counts.entrySet().stream()
                .filter(e -> !e.getKey().equals("in batches"))
                .mapToLong(Map.Entry::getValue)
                .sum();
        if (sum != values) {
            violation("2 the account is not even", s.name() + ": " + values + " leased, but " + counts);
        }
    }

    private void place(Sequence s, byte[] places, long lo, long hi, Map<String, Long> counts, String name) {
        counts.merge(name, hi - lo + 1, Long::sum);
        for (long v = lo; v <= hi; v++) {
            int i = (int) (v - s.first());
            if (i < 0 || i >= places.length) {
                violation("2 beyond the counter", s.name() + ": " + v + " of " + name);
            } else {
                places[i]++;
            }
        }
    }

    private void fate(Sequence s, Batch b, long value, Map<String, Long> counts) {
        int bit = (int) (value - b.lo());
        boolean confirmed = b.confirmed().get(bit);
        boolean abandoned = b.abandoned().get(bit);
        Row row = s.rows().get(value);
        if (confirmed && abandoned) {
            violation("2 confirmed and abandoned", s.name() + ": " + value);
        }
        if (abandoned && row == null) {
            violation("2 an abandoned bit without a row", s.name() + ": " + value);
        }
        if (row != null && !abandoned && row.status() != LedgerView.CONFIRMED && row.status() != LedgerView.VOID) {
            violation("2 a row without its bit", s.name() + ": " + value + " " + row);
        }
        boolean settled = confirmed || abandoned;
        if (!settled || (row != null && row.status() == 1)) {
            violation("2 not at rest", s.name() + ": " + value + " is allocated");
        }
        counts.merge(row != null ? "status " + row.status() : confirmed ? "confirmed" : "allocated", 1L, Long::sum);
    }

    /** Guarantee 3, by the callers' clock: between two holders lie the end of the first one's time and the window. */
    private void notEarly(List<HandOut> all) {
        List<HandOut> order = new ArrayList<>(all);
        order.sort(Comparator.comparingInt(HandOut::generation));
        for (int i = 1; i < order.size(); i++) {
            HandOut before = order.get(i - 1);
            HandOut next = order.get(i);
            Sequence s = sequence(before.key());
            if (s == null) {
                continue;
            }
            long end = before.sentNanos() + TimeUnit.MILLISECONDS.toNanos(s.confirmTimeoutMs());
            for (Call c : calls.getOrDefault(before.key(), List.of())) {
                if (c.kind() != Kind.CONFIRM && c.generation() == before.generation() && c.sentNanos() - end < 0) {
                    end = c.sentNanos();
                }
            }
            long earliest = end + TimeUnit.MILLISECONDS.toNanos(s.safetyWindowMs());
            if (next.receivedNanos() - earliest < 0) {
                violation(
                        "3 handed out early",
                        next + ", " + TimeUnit.NANOSECONDS.toMillis(earliest - next.receivedNanos()) + " ms after "
                                + before);
            }
            if (next.receivedNanos() - before.sentNanos() < 0) {
                violation("3 generations out of order", before + " and " + next);
            }
        }
    }

    /** What was handed out in a time that the database has forgotten stays out of circulation. */
    private void notAgainAfterLoss(List<HandOut> all) {
        for (Lost lost : history.losses) {
            for (HandOut h : all) {
                if (!lost.touches(h.receivedNanos(), h.receivedNanos())) {
                    continue;
                }
                for (HandOut later : all) {
                    if (!later.equals(h) && later.sentNanos() - lost.backNanos() > 0) {
                        violation("1 handed out again after a loss", h + " and " + later);
                    }
                }
            }
        }
    }

    /** Guarantee 2: a number that a caller has is not one that counts as never handed out. */
    private void inTheLedger(Value key, List<HandOut> all) {
        Sequence s = sequence(key);
        if (s == null || key.value() >= s.nextValue()) {
            violation("2 handed out, but never leased", all.get(0).toString());
            return;
        }
        if (s.batchOf(key.value()) == null
                && !all.stream().allMatch(h -> history.maybeLost(h.sentNanos(), h.receivedNanos()))) {
            violation("2 handed out, but in no batch", all.get(0).toString());
        }
        if (s.returned().stream().anyMatch(r -> r.lo() <= key.value() && key.value() <= r.hi())) {
            violation("2 handed out, but returned", all.get(0).toString());
        }
    }

    /** Guarantee 4: what was acknowledged is there. */
    private void durable(Value key, List<Call> all) {
        Sequence s = sequence(key);
        if (s == null) {
            violation("4 the sequence is gone", key.toString());
            return;
        }
        Batch batch = s.batchOf(key.value());
        Row row = s.rows().get(key.value());
        for (Call c : all) {
            if (c.result() != History.Result.OK || lost(c)) {
                continue;
            }
            boolean there = switch (c.kind()) {
                case CONFIRM -> confirmed(key, batch, row, c.generation());
                case ABANDON -> givenUp(s, key, batch, row, c.generation());
                case VOID -> row != null && row.status() == LedgerView.VOID;
            };
            if (!there) {
                violation("4 acknowledged and not there", c + ", but " + row);
            }
        }
    }

    private static boolean confirmed(Value key, @Nullable Batch batch, @Nullable Row row, int generation) {
        if (row == null) {
            return generation == 0 && batch != null && batch.confirmed().get((int) (key.value() - batch.lo()));
        }
        return row.status() == LedgerView.CONFIRMED && row.holderGeneration() == generation;
    }

    /** Given up by this generation: it is not confirmed by it, and there was such a step, by its holder or by a timeout before. */
    private static boolean givenUp(Sequence s, Value key, @Nullable Batch batch, @Nullable Row row, int generation) {
        if (row == null || batch == null || !batch.abandoned().get((int) (key.value() - batch.lo()))) {
            return false;
        }
        boolean confirmedByIt = row.status() == LedgerView.CONFIRMED && row.holderGeneration() == generation;
        return !confirmedByIt
                && s.events().getOrDefault(key.value(), List.of()).stream()
                        .anyMatch(e -> e.generation() == generation
                                && (e.to() == LedgerView.ABANDONED || e.to() == LedgerView.VOID));
    }

    private boolean lost(Call c) {
        return history.maybeLost(c.sentNanos(), c.endNanos());
    }

    private @Nullable Sequence sequence(Value key) {
        return ledger.sequences().get(key.sequence());
    }

    private void violation(String rule, String what) {
        if (++found <= SHOWN_MAX) {
            violations.add(rule + ": " + what);
        }
    }
}
