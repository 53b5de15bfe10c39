package dev.reissue.recycle;

import io.vertx.core.Future;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: the dead letters. Any thread. */
public interface DeadLetterStore {

    /**
     * Which dead letters are meant; null stands for any.
     *
     * @param tenant the tenant
     * @param sequence the sequence's name
     * @param reason why they died
     * @param ids these only
     */
    record Filter(
            @Nullable String tenant,
            @Nullable String sequence,
            @Nullable DeadReason reason,
            @Nullable List<Long> ids) {
        /** Every dead letter. */
        public static final Filter ALL = new Filter(null, null, null, null);
    }

    /**
     * A dead letter.
     *
     * @param row the number
     * @param tenant the sequence's tenant
     * @param sequence the sequence's name
     * @param format the sequence's format
     * @param holderGeneration the generation of the last caller who really got the number
     * @param pushFailures entries that the pool refused or lost
     * @param probeTries how often the business system was asked
     * @param reason why it died
     * @param since when
     */
    record Letter(
            LogRow row,
            String tenant,
            String sequence,
            String format,
            int holderGeneration,
            int pushFailures,
            int probeTries,
            DeadReason reason,
            OffsetDateTime since) {}

    /** What one page of redrives did: how many, and where the next page starts; 0 at the end. */
    record Page(int redriven, long last) {}

    /** Returns up to {@code limit} dead letters with an id above {@code afterId}, by id. */
    Future<List<Letter>> list(Filter filter, long afterId, int limit);

    /** Brings up to {@code limit} dead letters with an id above {@code afterId} back on their way. */
    Future<Page> redrive(Filter filter, long afterId, int limit, String actor);
}
