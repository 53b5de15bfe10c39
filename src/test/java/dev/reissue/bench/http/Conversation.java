package dev.reissue.bench.http;

import org.jspecify.annotations.Nullable;

/** What one connection says, round after round. One event loop. */
interface Conversation {
    /** Returns the first request of a round. */
    byte[] begin();

    /**
     * Returns the next request of this round, null where the round is over.
     *
     * @param response the answer to the last request, which had status 200
     */
    byte @Nullable [] proceed(Response response);
}
