package dev.reissue.recycle;

import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A pool that is out of reach, or refuses, as long as it is told to. */
class FaultyPool implements NumberPool {
    private final NumberPool real;
    volatile StoreException.@Nullable Kind fault;

    FaultyPool(NumberPool real) {
        this.real = real;
    }

    @Override
    public Future<Void> append(int sequenceId, List<PoolEntry> entries) {
        return call(() -> real.append(sequenceId, entries));
    }

    @Override
    public Future<Void> prepend(int sequenceId, List<PoolEntry> entries) {
        return call(() -> real.prepend(sequenceId, entries));
    }

    @Override
    public Future<List<PoolEntry>> pop(int sequenceId, int max) {
        return call(() -> real.pop(sequenceId, max));
    }

    @Override
    public Future<Map<Integer, Long>> depths(Collection<Integer> sequenceIds) {
        return call(() -> real.depths(sequenceIds));
    }

    @Override
    public Future<Set<PoolEntry>> waiting(int sequenceId, Set<PoolEntry> entries) {
        return call(() -> real.waiting(sequenceId, entries));
    }

    private <T> Future<T> call(Supplier<Future<T>> call) {
        StoreException.Kind kind = fault;
        return kind == null
                ? call.get()
                : Future.failedFuture(new StoreException(kind, "as told", new IOException("as told")));
    }
}
