package dev.reissue.recycle;

import org.jspecify.annotations.Nullable;

/**
 * A row of the issue log as the pool names it. Whoever pops it still has to win the row at exactly this version. Immutable, any
 * thread.
 *
 * @param id the row
 * @param version the row's version when it became replayable
 */
public record PoolEntry(long id, long version) {

    /** Reads the text form; returns null where it is not {@code id:version}, but something that others left in the pool. */
    public static @Nullable PoolEntry parse(String text) {
        int colon = text.indexOf(':');
        if (colon <= 0) {
            return null;
        }
        try {
            return new PoolEntry(
                    Long.parseLong(text, 0, colon, 10), Long.parseLong(text, colon + 1, text.length(), 10));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Returns the text form, {@code id:version}. */
    public String text() {
        return id + ":" + version;
    }
}
