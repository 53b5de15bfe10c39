package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Port: the pool of replayable numbers, one list a sequence. A hint: it may hold duplicates, entries that are long out of date, or
 * nothing at all; the claim decides. Any thread; every call has a short deadline of its own.
 *
 * <p>A future fails with a {@link dev.reissue.ledger.StoreException}: {@code REFUSED} where the server answered with an error about
 * this very call, {@code UNAVAILABLE} and {@code UNKNOWN} where the pool as a whole is out of reach.
 */
public interface NumberPool {

    /** Adds entries at the end. */
    Future<Void> append(int sequenceId, List<PoolEntry> entries);

    /** Puts entries back at the front, in their order. */
    Future<Void> prepend(int sequenceId, List<PoolEntry> entries);

    /** Takes up to {@code max} entries from the front. */
    Future<List<PoolEntry>> pop(int sequenceId, int max);

    /** Returns how many entries each of the sequences has. */
    Future<Map<Integer, Long>> depths(Collection<Integer> sequenceIds);

    /**
     * Tells which of the entries wait in the pool. An entry that is there all the time is always found; of a list longer than an
     * implementation cares to read, entries are taken for present.
     */
    Future<Set<PoolEntry>> waiting(int sequenceId, Set<PoolEntry> entries);
}
