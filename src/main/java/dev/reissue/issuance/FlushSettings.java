package dev.reissue.issuance;

/**
 * Bounds and times of a {@link GroupCommit}.
 *
 * @param flushMs the shortest time between the starts of two flushes that are in flight together and not full, 0 for none
 * @param flushItems a flush is full with so many items; a call is never split, so it may hold one call more
 * @param flushesInFlight flushes sent and not answered at the same time, at the most
 * @param queueItems items that may wait for a flush
 * @param deadlineMs how long a call may take, the wait included
 */
public record FlushSettings(int flushMs, int flushItems, int flushesInFlight, int queueItems, long deadlineMs) {
    /** So many callers or fewer are not worth waiting for more. */
    static final int FEW_ITEMS = 4;

    /** Checks the bounds. */
    public FlushSettings {
        if (flushMs < 0 || flushItems < 1 || flushesInFlight < 1 || queueItems < flushItems || deadlineMs < 1) {
            throw new IllegalArgumentException("bad bounds of a group commit: flushMs " + flushMs + ", flushItems "
                    + flushItems + ", flushesInFlight " + flushesInFlight + ", queueItems " + queueItems
                    + ", deadlineMs " + deadlineMs);
        }
    }
}
