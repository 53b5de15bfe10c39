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
    void aRepairTouchesNoNumberAndMakesAllBatchesThereAreSuspect() {
        PgProbe ledger = new PgProbe(DATABASE);
        int s = ledger.sequence(100);
        long batch = lease(s).batches().get(0).batchId();
        ledger.update("""
                insert into issue_log (sequence_id, period, seq_no, batch_id, status, generation, version, replay_deadline, pushed)
                select ?, '', n, ?, 3 + n % 3, 1, 7, clock_timestamp(), true
                from generate_series(1, 99) n
                """, s, batch);

        Futures.get(store().raiseAbove(
                        new BatchStore.LeaseRequest(s, "", me, UUID.randomUUID(), 1), new CounterMark(10, 1)));

        assertThat(count(ledger, "select count(*) from issue_log where sequence_id = ? and version = 7", s))
                .isEqualTo(99);
        assertThat(count(ledger, "select suspect_to from sequence_counter where sequence_id = ?", s))
                .isGreaterThanOrEqualTo(batch);
        BatchRange next = lease(s).batches().get(0);
        assertThat(next.lo()).isEqualTo(101);
        assertThat(ledger.batches(s)).extracting(LedgerProbe.BatchRow::suspect).containsExactly(true, false);
    }

    @Test
    void aRepairBeginsWithAFenceThatHoldsForWhoKnowsNothing() {
        PgProbe ledger = new PgProbe(DATABASE);
        int s = ledger.sequence(100);
        BatchRange first = lease(s).batches().get(0);
        Futures.get(store().seal(me, List.of(new BatchStore.Seal(first.batchId(), 60))));

        Futures.get(POOL.query(BatchSql.FENCE, Tuple.of(s, "", 701L)));

        assertThat(lease(s).repairing()).isTrue();
        assertThat(lease(s).batches()).isEmpty();
        assertThat(ledger.mark(s).nextValue()).isEqualTo(701);
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
