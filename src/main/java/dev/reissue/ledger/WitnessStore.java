package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.UUID;

/** Port: remembers how far a witness has counted. Any thread. */
@FunctionalInterface
public interface WitnessStore {

    /**
     * Commits a beat of a witness; a later one that is there already stays.
     *
     * @param beat 1 or more, one more each time
     * @return the last beat that was there before, 0 for none; fails with a {@link StoreException}
     */
    Future<Long> beat(UUID witness, long beat);
}
