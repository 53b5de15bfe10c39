package dev.reissue.recycle;

import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts replayable rows into the pool, one call a sequence, and notes in the database what did not get in. Never fails: the
 * database knows that the numbers are replayable, the re-push finds what is missing. Any thread.
 */
final class PoolPush {
    private static final Logger LOG = LoggerFactory.getLogger(PoolPush.class);

    private final NumberPool pool;
    private final PushStore store;
    private final PushSchedule schedule;

    PoolPush(NumberPool pool, PushStore store, PushSchedule schedule) {
        this.pool = pool;
        this.store = store;
        this.schedule = schedule;
    }

    /** Tells how the pushes went: entries accepted, refused, and not delivered because the pool is out of reach. */
    record Pushed(int accepted, int refused, int undelivered) {
        static final Pushed NONE = new Pushed(0, 0, 0);

        Pushed plus(Pushed o) {
            return new Pushed(accepted + o.accepted, refused + o.refused, undelivered + o.undelivered);
        }
    }

    Future<Pushed> push(List<LogRow> rows) {
        Map<Integer, List<PoolEntry>> bySequence = new LinkedHashMap<>();
        for (LogRow row : rows) {
            bySequence
                    .computeIfAbsent(row.sequenceId(), id -> new ArrayList<>())
                    .add(row.entry());
        }
        Future<Pushed> all = Future.succeededFuture(Pushed.NONE);
        for (Map.Entry<Integer, List<PoolEntry>> e : bySequence.entrySet()) {
            all = all.compose(
                    sum -> settled(e.getKey(), e.getValue(), pool.append(e.getKey(), e.getValue()), schedule.delayMs(0))
                            .map(sum::plus));
        }
        return all;
    }

    /** Follows one call to the pool and notes its failure. */
    Future<Pushed> settled(int sequenceId, List<PoolEntry> entries, Future<Void> call, long delayMs) {
        return call.map(done -> new Pushed(entries.size(), 0, 0)).recover(e -> {
            boolean refused = e instanceof StoreException s && s.kind() == StoreException.Kind.REFUSED;
            LOG.atWarn()
                    .addKeyValue("sequenceId", sequenceId)
                    .addKeyValue("entries", entries.size())
                    .addKeyValue("refused", refused)
                    .log("Replayable numbers wait in the database: {}", e.getMessage());
            return store.notPushed(entries, refused, delayMs)
                    .otherwise(0)
                    .map(n -> refused ? new Pushed(0, entries.size(), 0) : new Pushed(0, 0, entries.size()));
        });
    }
}
