package dev.reissue.support;

import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.MarkStore;
import io.vertx.core.Future;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Marks in memory. Any thread. */
public final class FakeMarkStore implements MarkStore {
    private final ConcurrentMap<String, CounterMark> marks = new ConcurrentHashMap<>();

    @Override
    public Future<CounterMark> highest(int sequenceId, String period) {
        return Future.succeededFuture(marks.getOrDefault(sequenceId + ":" + period, CounterMark.NONE));
    }

    @Override
    public Future<Void> raise(int sequenceId, String period, CounterMark mark) {
        marks.merge(sequenceId + ":" + period, mark, CounterMark::max);
        return Future.succeededFuture();
    }
}
