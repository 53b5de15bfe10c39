package dev.reissue.recycle;

import java.util.Map;

/** What one pass did. */
public interface PassReport {

    /** Returns the counters by their stable names, for metrics and the log. */
    Map<String, Integer> counters();

    /** Tells whether the pass ended at its bound and more of the same is likely to be due. */
    boolean more();
}
