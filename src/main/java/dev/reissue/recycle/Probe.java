package dev.reissue.recycle;

import io.vertx.core.Future;
import java.util.List;
import java.util.Set;

/** Port: asks the business system which of its numbers are used. Any thread. */
@FunctionalInterface
public interface Probe {

    /**
     * What the business system said. A number that is in neither set, or in both, is unknown.
     *
     * @param used numbers that reached a committed record
     * @param unused numbers that did not, and never will
     */
    record Answer(Set<String> used, Set<String> unused) {}

    /**
     * Asks about numbers of a sequence. Fails where there is no answer, not in time, or not one that makes sense; the numbers are
     * unknown then, never unused.
     */
    Future<Answer> ask(String url, String sequence, List<String> numbers);
}
