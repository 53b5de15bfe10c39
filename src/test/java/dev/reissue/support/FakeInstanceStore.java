package dev.reissue.support;

import dev.reissue.ledger.InstanceStore;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/** Instances in memory, on a test's clock. It can be away, or keep its answers to itself. */
public final class FakeInstanceStore implements InstanceStore {
    /** Every id that was ever registered, in order. */
    public final List<UUID> registered = new ArrayList<>();

    private final LongSupplier nanoClock;
    private final Map<UUID, Long> leaseUntilNanos = new HashMap<>();
    private boolean away;
    private boolean silent;

    /** Creates a store without instances. */
    public FakeInstanceStore(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** From now on, or no longer, calls fail and do nothing. */
    public void away(boolean value) {
        away = value;
    }

    /** From now on, or no longer, calls do what they should and never answer. */
    public void silent(boolean value) {
        silent = value;
    }

    /** Tells whether a lease is not over. */
    public boolean holds(UUID id) {
        Long until = leaseUntilNanos.get(id);
        return until != null && nanoClock.getAsLong() - until < 0;
    }

    /** Marks an instance as reaped. */
    public void reap(UUID id) {
        leaseUntilNanos.remove(id);
    }

    @Override
    public Future<Void> register(UUID instanceId, String host, long leaseMs) {
        if (away) {
            return unavailable();
        }
        registered.add(instanceId);
        leaseUntilNanos.put(instanceId, nanoClock.getAsLong() + leaseMs * 1_000_000);
        return this.<Object>answer("").mapEmpty();
    }

    @Override
    public Future<Boolean> renew(UUID instanceId, long leaseMs) {
        if (away) {
            return unavailable();
        }
        boolean held = holds(instanceId);
        if (held) {
            leaseUntilNanos.put(instanceId, nanoClock.getAsLong() + leaseMs * 1_000_000);
        }
        return answer(held);
    }

    @Override
    public Future<Void> release(UUID instanceId) {
        if (away) {
            return unavailable();
        }
        leaseUntilNanos.remove(instanceId);
        return this.<Object>answer("").mapEmpty();
    }

    @Override
    public Future<Reaped> reap(int limit) {
        return away ? unavailable() : answer(new Reaped(0, 0));
    }

    private <T> Future<T> answer(T value) {
        return silent ? Promise.<T>promise().future() : Future.succeededFuture(value);
    }

    private static <T> Future<T> unavailable() {
        return Future.failedFuture(new StoreException(StoreException.Kind.UNAVAILABLE, "away"));
    }
}
