package dev.reissue.recycle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;

/**
 * Claims whose answer did not come and will not be used if it still does. What was committed under them is looked for until long after the
 * server must have ended the statement; what is overlooked even so times out. One thread at a time.
 */
final class LostClaims {
    private static final int MAX = 256;

    private final long lookEveryNanos;
    private final long forgetAfterNanos;
    private final Deque<Lost> claims = new ArrayDeque<>();

    LostClaims(long lookEveryNanos, long forgetAfterNanos) {
        this.lookEveryNanos = lookEveryNanos;
        this.forgetAfterNanos = forgetAfterNanos;
    }

    /** A claim declared lost. */
    record Lost(UUID owner, UUID claimId, long sentNanos, long nextLookNanos) {}

    void add(UUID owner, UUID claimId, long sentNanos) {
        if (claims.size() == MAX) {
            claims.removeFirst();
        }
        claims.addLast(new Lost(owner, claimId, sentNanos, sentNanos));
    }

    /** Takes out those that are due for a look; {@link #looked} puts them back. */
    List<Lost> due(long nowNanos) {
        List<Lost> due = new ArrayList<>();
        claims.removeIf(lost -> nowNanos - lost.nextLookNanos >= 0 && due.add(lost));
        return due;
    }

    /** Notes a look; forgets the claim if the look was {@code known} to work and late enough to be the last one. */
    void looked(Lost lost, boolean known, long nowNanos) {
        if (!known || nowNanos - lost.sentNanos < forgetAfterNanos) {
            claims.addLast(new Lost(lost.owner, lost.claimId, lost.sentNanos, nowNanos + lookEveryNanos));
        }
    }

    int size() {
        return claims.size();
    }
}
