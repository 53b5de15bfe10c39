package dev.reissue.recycle;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** Port: batches that need nobody's attention any more. Any thread. */
public interface CloseStore {

    /**
     * What one page found.
     *
     * @param seen sealed batches looked at
     * @param closed those that are settled and closed now
     * @param last where the next page starts, null at the end
     */
    record Closed(int seen, int closed, @Nullable String last) {}

    /**
     * Closes, among the next {@code batches} sealed ones, those of which every issued number is confirmed or abandoned.
     *
     * @param after where the last page ended, null to start at the beginning
     */
    Future<Closed> close(ScanScope scope, @Nullable String after, int batches);
}
