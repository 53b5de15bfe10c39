package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore;
import dev.reissue.ledger.CounterMark;
import dev.reissue.support.BatchStoreContract;
import dev.reissue.support.Futures;
import dev.reissue.support.LedgerProbe;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class PgBatchStoreIT extends BatchStoreContract {
    private static final Vertx VERTX = Vertx.vertx();
    private static final String DATABASE = TestPostgres.freshDatabase();
    private static final PgDatabase POOL = PgDatabase.keyed(VERTX, TestPostgres.uri(DATABASE), "lease", 4, 100, 20_000);

    @Override
    protected BatchStore store() {
        return new PgBatchStore(POOL);
    }

    @Override
    protected LedgerProbe ledger() {
        return new PgProbe(DATABASE);
    }

    @Test
    void afterARegressionPooledNumbersRestAgainAndTheNextGenerationIsBurnt() {
        PgProbe ledger = new PgProbe(DATABASE);
        int s = ledger.sequence(100);
        ledger.update("""
                insert into issue_log (sequence_id, period, seq_no, batch_id, status, generation, version, replay_deadline, pushed)
                select ?, '', n, 1, case when n <= 4500 then 4 when n <= 4510 then 3 else 5 end, 1, 7,
                  clock_timestamp() + (case when n <= 4505 then -1 else 1 end) * interval '1 hour', true
                from generate_series(1, 4515) n
                """, s);

        Futures.get(store().raiseAbove(
                        new BatchStore.LeaseRequest(s, "", me, UUID.randomUUID(), 1), new CounterMark(10, 1)));

        String what = "select count(*) from issue_log where sequence_id = ? and ";
        assertThat(count(
                        ledger,
                        what + "status = 3 and generation = 2 and version = 8 and not pushed "
                                + "and replay_deadline between now() + interval '60 s' and now() + interval '121 s'",
                        s))
                .isEqualTo(4505);
        assertThat(count(ledger, what + "status = 3 and generation = 1 and version = 7", s))
                .isEqualTo(5);
        assertThat(count(ledger, what + "status = 5 and generation = 1 and version = 7", s))
                .isEqualTo(5);
        assertThat(count(
                        ledger,
                        "select count(*) from issue_event where sequence_id = ? and actor = 'regression-guard'",
                        s))
                .isEqualTo(4505);
    }

    @Test
    void whoKnowsNothingOfARegressionIsFencedBeforeItsRepairIsThrough() {
        PgProbe ledger = new PgProbe(DATABASE);
        int s = ledger.sequence(100);
        BatchRange first = lease(s).batches().get(0);
        Futures.get(store().seal(me, List.of(new BatchStore.Seal(first.batchId(), 60))));

        Futures.get(POOL.query(BatchSql.FENCE, Tuple.of(s, "", 701L)));

        assertThat(lease(s).batches()).extracting(BatchRange::lo).containsExactly(701L);
    }

    private BatchStore.LeaseAnswer lease(int sequence) {
        return Futures.get(store().lease(new BatchStore.LeaseRequest(sequence, "", me, UUID.randomUUID(), 1)));
    }

    private static long count(PgProbe ledger, String sql, int sequenceId) {
        return ledger.query(sql, r -> r.getLong(1), sequenceId).get(0);
    }

    @AfterAll
    static void close() {
        Futures.get(POOL.close());
        Futures.get(VERTX.close());
    }
}
