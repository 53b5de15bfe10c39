package dev.reissue.events;

import dev.reissue.events.EventStream.Entry;
import java.util.List;

/**
 * How many entries to read at once, so that large ones do not fill the memory: half as many after a page that was too heavy, twice as many
 * after a full one that was light. The stream itself can only be asked for a number of entries, so a first heavy page is borne. One thread.
 */
final class PageBudget {
    /** Characters of a page that are borne; the entries may be read again before these are done with. */
    static final long HEAVY = 4L << 20;

    private final int most;
    private int now;

    PageBudget(int most) {
        this.most = most;
        this.now = most;
    }

    int now() {
        return now;
    }

    /** Learns from a page. */
    void read(List<Entry> page) {
        long weight = page.stream()
                .flatMap(entry -> entry.fields().stream())
                .mapToLong(String::length)
                .sum();
        if (weight > HEAVY) {
            now = Math.max(1, page.size() / 2);
        } else if (page.size() >= now && weight <= HEAVY / 4) {
            now = Math.min(most, 2 * now);
        }
    }
}
