package dev.reissue.recycle;

import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** Claims whose next calls fail as told. One thread. */
class FaultyClaims implements ClaimStore {
    enum Fault {
        /** Committed, but the answer is lost. */
        COMMITTED,
        /** Never reached the server. */
        NOT_COMMITTED,
        /** Still under way: commits when {@link #arrive} is called. */
        LATE,
        /** Refused by the server. */
        REFUSED
    }

    private final ClaimStore real;
    private final Deque<Supplier<Future<?>>> underWay = new ArrayDeque<>();
    final Deque<Fault> faults = new ArrayDeque<>();

    FaultyClaims(ClaimStore real) {
        this.real = real;
    }

    /** Lets a late statement reach the server. */
    void arrive() {
        RecycleWorld.await(underWay.remove().get());
    }

    /** Lets all late statements reach the server. */
    void arriveAll() {
        while (!underWay.isEmpty()) {
            arrive();
        }
    }

    @Override
    public Future<List<Won>> claim(UUID owner, UUID claimId, List<PoolEntry> entries, Map<Integer, CounterMark> known) {
        return call(() -> real.claim(owner, claimId, entries, known));
    }

    @Override
    public Future<List<Won>> renew(UUID owner, UUID claimId, List<PoolEntry> held) {
        return call(() -> real.renew(owner, claimId, held));
    }

    @Override
    public Future<List<LogRow>> giveBack(UUID owner, List<PoolEntry> held, long firstLookMs) {
        return call(() -> real.giveBack(owner, held, firstLookMs));
    }

    @Override
    public Future<List<LogRow>> returnLost(UUID owner, UUID claimId, long firstLookMs) {
        return real.returnLost(owner, claimId, firstLookMs);
    }

    private <T> Future<T> call(Supplier<Future<T>> statement) {
        Fault fault = faults.poll();
        if (fault == null) {
            return statement.get();
        }
        return switch (fault) {
            case COMMITTED -> statement.get().compose(done -> lost(StoreException.Kind.UNKNOWN));
            case NOT_COMMITTED -> lost(StoreException.Kind.UNKNOWN);
            case LATE -> {
                underWay.add(statement::get);
                yield lost(StoreException.Kind.UNKNOWN);
            }
            case REFUSED -> lost(StoreException.Kind.REFUSED);
        };
    }

    private static <T> Future<T> lost(StoreException.Kind kind) {
        return Future.failedFuture(new StoreException(kind, "as told", new IOException("as told")));
    }
}
