package dev.reissue.recycle;

import java.util.Map;

/**
 * What one run of the {@link ClaimPass} did. Immutable.
 *
 * @param claimed numbers won
 * @param lostRace entries that were out of date
 * @param renewed numbers claimed again
 * @param givenBack numbers that are replayable again
 * @param dropped numbers that nobody holds any more and that time out
 * @param more whether the pool may have more than was taken
 */
public record ClaimReport(int claimed, int lostRace, int renewed, int givenBack, int dropped, boolean more)
        implements PassReport {
    static final ClaimReport NONE = new ClaimReport(0, 0, 0, 0, 0, false);

    @Override
    public Map<String, Integer> counters() {
        return Map.of(
                "claimed", claimed,
                "lost-race", lostRace,
                "renewed", renewed,
                "given-back", givenBack,
                "dropped", dropped);
    }

    ClaimReport plus(ClaimReport o) {
        return new ClaimReport(
                claimed + o.claimed,
                lostRace + o.lostRace,
                renewed + o.renewed,
                givenBack + o.givenBack,
                dropped + o.dropped,
                more || o.more);
    }
}
