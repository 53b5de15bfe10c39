package dev.reissue.sequence;

import io.vertx.core.Future;
import java.util.List;

/** Port: how far sequences are used up. Any thread. */
@FunctionalInterface
public interface UsageStore {

    /** Returns the sequences that are used up the most, the fullest first. */
    Future<List<Usage>> mostUsed(int limit);

    /**
     * How far a sequence is used up.
     *
     * @param tenant who owns it
     * @param name its name
     * @param ratio 0 for untouched, 1 where the last value is leased
     */
    record Usage(String tenant, String name, double ratio) {}
}
