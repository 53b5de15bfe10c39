package dev.reissue.api;

import dev.reissue.recycle.NumberPool;
import dev.reissue.recycle.PoolEntry;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A pool that has nothing. */
final class NoPool implements NumberPool {
    @Override
    public Future<Void> append(int sequenceId, List<PoolEntry> entries) {
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> prepend(int sequenceId, List<PoolEntry> entries) {
        return Future.succeededFuture();
    }

    @Override
    public Future<List<PoolEntry>> pop(int sequenceId, int max) {
        return Future.succeededFuture(List.of());
    }

    @Override
    public Future<Map<Integer, Long>> depths(Collection<Integer> sequenceIds) {
        return Future.succeededFuture(Map.of());
    }

    @Override
    public Future<Set<PoolEntry>> waiting(int sequenceId, Set<PoolEntry> entries) {
        return Future.succeededFuture(Set.of());
    }
}
