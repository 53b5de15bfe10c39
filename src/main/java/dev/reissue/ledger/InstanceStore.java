package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.UUID;

/** Port: the leases of instances, counted on the database's clock. Any thread. */
public interface InstanceStore {

    /** Registers a fresh instance with a lease of {@code leaseMs} from now. */
    Future<Void> register(UUID instanceId, String host, long leaseMs);

    /**
     * Renews a lease that is not over.
     *
     * @return false where the lease was over or reaped: the instance has to go on under a new id
     */
    Future<Boolean> renew(UUID instanceId, long leaseMs);

    /** Ends the own lease at once; whatever it still holds OPEN is left to a reaper. */
    Future<Void> release(UUID instanceId);

    /**
     * Seals, with {@code issued_to = hi}, the open batches of up to {@code limit} instances whose lease is over, and marks these
     * instances. What was reaped before and committed more since is reaped again; a due date never moves.
     *
     * @return counters of this pass
     */
    Future<Reaped> reap(int limit);

    /** Counters of one reap. */
    record Reaped(int instances, int batches) {}
}
