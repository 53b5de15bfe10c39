package dev.reissue.recycle;

import dev.reissue.sequence.NumberFormat;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Set;

/** Port: what people call sequences. Any thread. */
@FunctionalInterface
public interface SequenceNames {

    /**
     * What a sequence is called, none of which ever changes.
     *
     * @param tenant whom it belongs to
     * @param name its name
     * @param format how its numbers look
     */
    record Named(String tenant, String name, NumberFormat format) {}

    /** Returns the names of these sequences by their ids; one that does not exist has none. */
    Future<Map<Integer, Named>> named(Set<Integer> sequenceIds);
}
