package dev.reissue.ledger;

import io.vertx.core.Future;
import java.util.UUID;

/** Port: remembers how far a witness has counted. Any thread. */
@FunctionalInterface
public interface WitnessStore {

    /**
     * Commits a beat of a witness, unless the beats that were acknowledged to it are not there any more: then nothing changes until it has
     * heard of that, however many answers are lost. A later beat that is there already stays.
     *
     * @param beat 1 or more, one more each time
     * @param acknowledged the beat that has to be there at least, 0 for none
     * @return the last beat that was there before, 0 for none; fails with a {@link StoreException}
     */
    Future<Long> beat(UUID witness, long beat, long acknowledged);
}
