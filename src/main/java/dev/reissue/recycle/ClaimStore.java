package dev.reissue.recycle;

import dev.reissue.ledger.CounterMark;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Port: wins replayable numbers for an instance. Each call is one committed statement. A future that fails has an <em>unknown</em>
 * outcome unless the failure says otherwise; see {@link #returnLost}. Any thread.
 */
public interface ClaimStore {

    /**
     * A number that the caller holds now.
     *
     * @param row the row after the claim; its version names this very claim
     * @param openMaxMs how long it may stay in stock, by the sequence's settings
     * @param windowMs the sequence's safety window
     * @param mark the counter of its sequence right after the claim, which raised its revision; {@link CounterMark#NONE} for a renewal
     */
    record Won(LogRow row, long openMaxMs, long windowMs, CounterMark mark) {}

    /**
     * Wins the entries that are still replayable in exactly their version.
     *
     * @param claimId an id made by the caller, fresh for each call, by which an unknown outcome is settled
     * @param known how far counters are known to be, by sequence; nothing is won of a sequence whose counter is below that
     */
    Future<List<Won>> claim(UUID owner, UUID claimId, List<PoolEntry> entries, Map<Integer, CounterMark> known);

    /** Claims numbers again that {@code owner} holds in exactly these versions and showed nobody. */
    Future<List<Won>> renew(UUID owner, UUID claimId, List<PoolEntry> held);

    /**
     * Gives back numbers that {@code owner} holds in exactly these versions and showed nobody. Repeating it is harmless.
     *
     * @return the rows that this call made replayable
     */
    Future<List<LogRow>> giveBack(UUID owner, List<PoolEntry> held, long firstLookMs);

    /**
     * Gives back whatever was committed under a claim id whose answer was lost. To be called only after the caller has declared the
     * id lost for good. Repeating it is harmless.
     */
    Future<List<LogRow>> returnLost(UUID owner, UUID claimId, long firstLookMs);
}
