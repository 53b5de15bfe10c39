package dev.reissue.issuance;

import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * The use case <em>next</em>: recycled numbers first, then fresh ones. Any thread; an answer that had to wait comes on the context
 * that asked.
 */
public interface Issuer {

    /** The most numbers that one request can have. */
    int MAX_COUNT = 1000;

    /**
     * Takes numbers from what is in stock, without I/O and without waiting.
     *
     * @param count 1 to {@link #MAX_COUNT}
     * @return null where the stock is not enough, and nothing was taken: {@link #next} waits for more
     * @throws IllegalArgumentException if the count is out of range
     */
    @Nullable
    NextResult tryNext(SequenceDefinition sequence, int count);

    /**
     * Takes numbers, and waits for a refill where the stock is not enough. Never fails; the time it waits is bounded.
     *
     * @param count 1 to {@link #MAX_COUNT}
     * @throws IllegalArgumentException if the count is out of range
     */
    Future<NextResult> next(SequenceDefinition sequence, int count);
}
