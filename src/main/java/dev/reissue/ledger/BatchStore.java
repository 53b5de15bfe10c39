package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Port: leases batches and seals them. Every method is one committed statement. A future that fails has an <em>unknown</em>
 * outcome unless the failure says otherwise; see {@link #returnLost}. Any thread.
 */
public interface BatchStore {

    /**
     * Asks for batches of a sequence: returned ranges first (lowest value first, none below the counter's floor), then fresh
     * ones from the counter. The batch size is the sequence row's at that moment.
     *
     * @param sequenceId the sequence
     * @param period the period, empty for a sequence that does not restart
     * @param owner the instance that will hand the numbers out
     * @param leaseId an id made by the caller, fresh for each call, by which an unknown outcome is settled
     * @param batches how many batches are wanted, 1 or more; fewer come where the sequence ends
     * @param known how far the counter is known to be: one below that has lost commits, and nothing is leased from it
     */
    record LeaseRequest(int sequenceId, String period, UUID owner, UUID leaseId, int batches, CounterMark known) {
        /** A request of somebody who knows nothing of the counter. */
        public LeaseRequest(int sequenceId, String period, UUID owner, UUID leaseId, int batches) {
            this(sequenceId, period, owner, leaseId, batches, CounterMark.NONE);
        }
    }

    /**
     * What was leased.
     *
     * @param batches in the order in which they are to be handed out; empty: the sequence is exhausted
     * @param mark the counter after this lease
     * @param repairing whether somebody began to repair the counter and has not ended yet; then nothing was leased
     */
    record LeaseAnswer(List<BatchRange> batches, CounterMark mark, boolean repairing) {}

    /**
     * The end of a batch.
     *
     * @param batchId the batch
     * @param issuedTo the last value handed out, or {@code lo - 1} where none was
     */
    record Seal(long batchId, long issuedTo) {}

    /** Leases batches. The revision rises by one, unless the counter is below what is known or under repair: then nothing changes. */
    Future<LeaseAnswer> lease(LeaseRequest request);

    /**
     * Seals batches that {@code owner} still holds OPEN and returns what was not handed out; a value that has a bit or a row is
     * never returned, its batch keeps all of its values. Repeating it is harmless.
     *
     * @return the ids of the batches that this call sealed; another one was sealed before, by an earlier try or by a reaper
     */
    Future<Set<Long>> seal(UUID owner, List<Seal> seals);

    /**
     * Returns whole whatever was committed under a lease id whose answer was lost. To be called only after the caller has
     * declared the id lost for good. Repeating it is harmless.
     *
     * @return how many batches were returned
     */
    Future<Integer> returnLost(UUID owner, UUID leaseId);

    /**
     * Answers a regression: raises the counter above {@code known}, turns the numbers between the counter and the known value,
     * the returned ranges and the batches leased under {@code leaseId} into sealed, suspect batches, and makes all batches that there
     * are suspect, whose numbers are retired instead of issued again. Two statements, the first of which tells everybody: from then on
     * nobody leases or claims of the counter, and whoever leases next may end what was begun. Repeating it is harmless.
     *
     * @return the counter afterwards
     */
    Future<CounterMark> raiseAbove(LeaseRequest regressed, CounterMark known);

    /**
     * Begins such a repair for all counters that there are, each above what is known of it; whoever leases next of one ends its repair.
     * One statement; repeating it is harmless.
     */
    Future<Void> fenceAll(Map<CounterMark.Counter, CounterMark> known);
}
