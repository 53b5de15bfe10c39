package dev.reissue.postgres;

import dev.reissue.ledger.BatchStore;
import dev.reissue.support.BatchStoreContract;
import dev.reissue.support.Futures;
import dev.reissue.support.LedgerProbe;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;

class PgBatchStoreIT extends BatchStoreContract {
    private static final Vertx VERTX = Vertx.vertx();
    private static final String DATABASE = TestPostgres.freshDatabase();
    private static final PgDatabase POOL = new PgDatabase(VERTX, TestPostgres.uri(DATABASE), "lease", 4, 100, 5_000);

    @Override
    protected BatchStore store() {
        return new PgBatchStore(POOL);
    }

    @Override
    protected LedgerProbe ledger() {
        return new PgProbe(DATABASE);
    }

    @AfterAll
    static void close() {
        Futures.get(POOL.close());
        Futures.get(VERTX.close());
    }
}
