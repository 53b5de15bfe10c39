package dev.reissue.segment;

import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a piece of work on one thread at a time without a lock: who signals while nobody works does the work; who signals
 * meanwhile leaves, and the worker goes round again. Any thread signals. What one round writes the next one sees, whichever thread
 * runs it, as each passes the counter on by an atomic update.
 */
final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private final AtomicInteger signals = new AtomicInteger();
    private final Runnable round;

    /**
     * Creates a lane.
     *
     * @param round one bounded piece of work that takes up everything signalled before it began; may signal itself
     */
    Lane(Runnable round) {
        this.round = round;
    }

    /** Asks for a round that begins after this call. */
    void signal() {
        if (signals.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        while (seen != 0) {
            runRound();
            seen = signals.addAndGet(-seen);
        }
    }

    private void runRound() {
        try {
            round.run();
        } catch (RuntimeException | Error e) {
            // A lane that dies here would never serve again; the next signal or tick tries anew.
            LOG.atError().setCause(e).log("a round of maintenance failed");
        }
    }
}
