package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.List;

/** Several places for marks at once: the highest of what they know, told to all of them. Any thread; as slow as the slowest. */
public final class CombinedMarks implements MarkStore {
    private final List<MarkStore> places;

    /** Combines places, each with a deadline of its own. */
    public CombinedMarks(List<MarkStore> places) {
        this.places = List.copyOf(places);
    }

    @Override
    public Future<CounterMark> highest(int sequenceId, String period) {
        // All are asked before the first answer is waited for.
        List<Future<CounterMark>> asked = places.stream()
                .map(place -> place.highest(sequenceId, period).otherwise(CounterMark.NONE))
                .toList();
        Future<CounterMark> highest = Future.succeededFuture(CounterMark.NONE);
        for (Future<CounterMark> each : asked) {
            highest = highest.compose(known -> each.map(known::max));
        }
        return highest;
    }

    @Override
    public Future<Void> raise(int sequenceId, String period, CounterMark mark) {
        List<Future<Void>> told = places.stream()
                .map(place -> place.raise(sequenceId, period, mark).otherwiseEmpty())
                .toList();
        Future<Void> all = Future.succeededFuture();
        for (Future<Void> each : told) {
            all = all.compose(done -> each);
        }
        return all;
    }
}
