package dev.reissue.recycle;

import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What callers were told, checked as it happens: no two holders of one (number, generation), no second confirmed generation, nothing
 * early, nothing handed out that was confirmed or void. A call whose answer was lost is unknown and proves nothing. One thread.
 */
final class StormHistory {
    static final long TIMEOUT_NANOS = 20_000_000_000L;
    static final long WINDOW_NANOS = 30_000_000_000L;

    final List<Held> all = new ArrayList<>();
    private final Map<Long, Held> last = new HashMap<>();
    private final Map<String, Held> byGeneration = new HashMap<>();
    private final Map<Long, Held> confirmed = new HashMap<>();
    private final Map<Long, Held> voided = new HashMap<>();

    /** A number in the hands of a caller. */
    static final class Held {
        final long value;
        final long batchId;
        final int generation;
        final long takenNanos;
        long firstAbandonNanos = Long.MAX_VALUE;
        boolean abandoned;

        Held(long value, long batchId, int generation, long takenNanos) {
            this.value = value;
            this.batchId = batchId;
            this.generation = generation;
            this.takenNanos = takenNanos;
        }

        @Override
        public String toString() {
            return value + " generation " + generation + " of batch " + batchId;
        }
    }

    void handedOut(Held h, long nowNanos) {
        require(byGeneration.put(h.value + "/" + h.generation, h) == null, "handed out twice: " + h);
        require(!confirmed.containsKey(h.value), "handed out after it was confirmed: " + h);
        require(!voided.containsKey(h.value), "handed out after it was void: " + h);
        Held before = last.put(h.value, h);
        if (before != null) {
            long earliest = Math.min(before.firstAbandonNanos, before.takenNanos + TIMEOUT_NANOS) + WINDOW_NANOS;
            require(nowNanos >= earliest, "handed out " + (earliest - nowNanos) / 1_000_000 + " ms early: " + h);
            require(h.generation > before.generation, "generation went back: " + h);
        }
        all.add(h);
    }

    /** A call is about to be sent. */
    void sends(Held h, SettleKind kind, long nowNanos) {
        if (kind != SettleKind.CONFIRM) {
            h.firstAbandonNanos = Math.min(h.firstAbandonNanos, nowNanos);
        }
    }

    void answered(Held h, SettleKind kind, SettleOutcome outcome) {
        if (kind == SettleKind.CONFIRM && outcome == SettleOutcome.CONFIRMED) {
            Held before = confirmed.putIfAbsent(h.value, h);
            require(before == null || before == h, "two generations confirmed: " + before + " and " + h);
            require(!h.abandoned, "confirmed after its own abandon: " + h);
        } else if (kind == SettleKind.ABANDON && outcome.accepted(kind)) {
            require(confirmed.get(h.value) != h, "abandoned after its own confirm: " + h);
            h.abandoned = true;
        } else if (kind == SettleKind.VOID && outcome == SettleOutcome.VOIDED) {
            require(confirmed.get(h.value) != h, "void after its own confirm: " + h);
            voided.put(h.value, h);
            h.abandoned = true;
        }
    }

    Map<Long, Held> confirmed() {
        return confirmed;
    }

    Map<Long, Held> voided() {
        return voided;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
