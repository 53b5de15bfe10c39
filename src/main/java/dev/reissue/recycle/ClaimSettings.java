package dev.reissue.recycle;

/**
 * How claims are made. Immutable.
 *
 * @param claimMax numbers of a sequence that are claimed at once
 * @param idleHold numbers that are held for a sequence of which few are asked for
 * @param lookEveryMs how often the pool is asked how much it has
 * @param issuedForMs how long, beyond the safety window, a sequence counts as being issued after it was asked for
 * @param forgetLostMs how long a lost claim is looked for: well over the time after which the server ends a statement
 * @param schedule when the pool is searched for what was given back
 */
public record ClaimSettings(
        int claimMax, int idleHold, long lookEveryMs, long issuedForMs, long forgetLostMs, PushSchedule schedule) {
    /** 500 at once, 8 held, a look every half a second, a minute beyond the window, a minute for lost claims. */
    public static final ClaimSettings DEFAULT = new ClaimSettings(500, 8, 500, 60_000, 60_000, PushSchedule.DEFAULT);

    /** Checks the figures. */
    public ClaimSettings {
        if (claimMax < 1 || claimMax > 1000 || idleHold < 0 || idleHold > claimMax) {
            throw new IllegalArgumentException(
                    "no way to claim: " + claimMax + " at once, " + idleHold + " held for idle sequences");
        }
    }
}
