package dev.reissue.recycle;

import dev.reissue.recycle.DeadLetterStore.Filter;
import dev.reissue.recycle.DeadLetterStore.Letter;
import io.vertx.core.Future;
import java.util.List;

/**
 * The use case of operators: look at dead letters and bring them back on their way. What the business system was asked about in vain is
 * asked again; what the pool lost is pushed again by the next pass. Any thread.
 */
public final class DeadLetters {
    /** Dead letters shown at once at the most. */
    public static final int LIST_MAX = 1000;

    private static final int PAGE = 500;
    private static final int PAGES = 200;

    private final DeadLetterStore store;

    /** Creates the use case. */
    public DeadLetters(DeadLetterStore store) {
        this.store = store;
    }

    /**
     * What a redrive did.
     *
     * @param redriven numbers that are on their way again
     * @param more whether it ended at its bound, so that it should be called again
     */
    public record Redriven(int redriven, boolean more) {}

    /**
     * Returns dead letters by id.
     *
     * @param afterId where to go on, 0 to start
     * @param limit 1 to {@link #LIST_MAX}
     */
    public Future<List<Letter>> list(Filter filter, long afterId, int limit) {
        if (limit < 1 || limit > LIST_MAX) {
            throw new IllegalArgumentException("limit must be 1 to " + LIST_MAX + " but is " + limit);
        }
        return store.list(filter, afterId, limit);
    }

    /** Brings one dead letter back; tells whether there was one. */
    public Future<Boolean> redrive(long id, String actor) {
        return store.redrive(new Filter(null, null, null, List.of(id)), 0, 1, actor)
                .map(page -> page.redriven() == 1);
    }

    /** Brings back all dead letters that the filter lets through, in pages. */
    public Future<Redriven> redriveAll(Filter filter, String actor) {
        return page(filter, 0, actor, 0, PAGES);
    }

    private Future<Redriven> page(Filter filter, long afterId, String actor, int before, int pagesLeft) {
        return store.redrive(filter, afterId, PAGE, actor).compose(page -> {
            int sum = before + page.redriven();
            if (page.last() == 0 || pagesLeft == 1) {
                return Future.succeededFuture(new Redriven(sum, page.last() != 0));
            }
            return page(filter, page.last(), actor, sum, pagesLeft - 1);
        });
    }
}
