package dev.reissue.recycle;

import java.util.List;

/**
 * When the pool is searched for an entry that nobody claimed: so long after each push. One failure more than there are delays makes a
 * dead letter. Immutable.
 *
 * @param delaysMs the delay after the first push, the second one, and so on
 */
public record PushSchedule(List<Long> delaysMs) {
    /** 30 seconds, 2 minutes, 5 minutes. */
    public static final PushSchedule DEFAULT = new PushSchedule(List.of(30_000L, 120_000L, 300_000L));

    /** Checks the delays. */
    public PushSchedule {
        if (delaysMs.isEmpty() || delaysMs.stream().anyMatch(d -> d <= 0)) {
            throw new IllegalArgumentException("the delays between pushes must be positive but are " + delaysMs);
        }
        delaysMs = List.copyOf(delaysMs);
    }

    /** Returns the delay before the next look, after so many failures. */
    public long delayMs(int failures) {
        return delaysMs.get(Math.min(failures, delaysMs.size() - 1));
    }

    /** Returns the delay for an entry that was found in its place. */
    public long restMs() {
        return delaysMs.get(delaysMs.size() - 1);
    }

    /** Tells whether so many failures are one too many. */
    public boolean exhausted(int failures) {
        return failures > delaysMs.size();
    }
}
