package dev.reissue.postgres;

import dev.reissue.ledger.SettleStore;
import io.vertx.core.Future;
import java.util.List;

/**
 * Settles numbers in PostgreSQL: one statement where every bit is free, one more for the numbers that have a row. Any thread; each
 * call is confined to the context that makes it.
 */
public final class PgSettleStore implements SettleStore {
    private final PgDatabase database;

    /** Creates a store on connections of its own. */
    public PgSettleStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<List<Answer>> settle(List<Item> items) {
        return new SettleRun(database, items).run();
    }
}
