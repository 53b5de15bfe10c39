package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore.LeaseRequest;
import dev.reissue.ledger.BatchStore.Seal;
import dev.reissue.ledger.InstanceStore.Reaped;
import dev.reissue.support.Futures;
import dev.reissue.support.LedgerProbe.BatchRow;
import dev.reissue.support.LedgerProbe.Range;
import dev.reissue.support.LedgerProbe.Status;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.Timestamp;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PgInstanceStoreIT {
    private static final Vertx VERTX = Vertx.vertx();
    private static final String DATABASE = TestPostgres.freshDatabase();
    private static final PgDatabase POOL = PgDatabase.keyed(VERTX, TestPostgres.uri(DATABASE), "lease", 4, 100, 20_000);
    private static final Reaped NOTHING = new Reaped(0, 0);

    private final PgInstanceStore instances = new PgInstanceStore(POOL);
    private final PgBatchStore batches = new PgBatchStore(POOL);
    private final PgProbe ledger = new PgProbe(DATABASE);
    private final int sequenceId = ledger.sequence(10);
    private final UUID me = UUID.randomUUID();

    @BeforeEach
    void register() {
        ledger.update("delete from batch");
        ledger.update("delete from instance");
        get(instances.register(me, "pod-0", 60_000));
    }

    @Test
    void aLeaseThatIsNotOverIsRenewedAndNotReaped() {
        lease(me);

        assertThat(get(instances.renew(me, 60_000))).isTrue();
        assertThat(get(instances.reap(10))).isEqualTo(NOTHING);
    }

    @Test
    void whenALeaseIsOverItsBatchesAreSealedWholeByAnyOther() {
        lease(me);
        lease(me);
        expire(me);

        assertThat(get(instances.reap(10))).isEqualTo(new Reaped(1, 2));

        assertThat(ledger.batches(sequenceId))
                .extracting(BatchRow::issuedTo, BatchRow::status)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(10L, Status.SEALED),
                        org.assertj.core.groups.Tuple.tuple(20L, Status.SEALED));
        assertThat(ledger.batches(sequenceId).get(0).dueInMs()).isBetween(30_000L, 60_000L);
        assertThat(ledger.returned(sequenceId)).isEmpty();
        assertThat(get(instances.reap(10))).isEqualTo(NOTHING);
    }

    @Test
    void aLeaseThatWasOverIsNeverRenewedReapedOrNot() {
        expire(me);
        assertThat(get(instances.renew(me, 60_000))).isFalse();
        get(instances.reap(10));
        assertThat(get(instances.renew(me, 60_000))).isFalse();
        assertThat(get(instances.renew(UUID.randomUUID(), 60_000))).isFalse();
    }

    @Test
    void aZombieSealsNothing() {
        BatchRange batch = lease(me);
        expire(me);
        get(instances.reap(10));

        assertThat(get(batches.seal(me, List.of(new Seal(batch.batchId(), 4))))).isEmpty();

        assertThat(ledger.batches(sequenceId).get(0).issuedTo()).isEqualTo(10);
        assertThat(ledger.returned(sequenceId)).isEmpty();
    }

    @Test
    void whatCommitsAfterTheReapIsReapedAgainAndNoDueDateMoves() {
        lease(me);
        expire(me);
        get(instances.reap(10));
        Timestamp due =
                ledger.query("select due_at from batch", r -> r.getTimestamp(1)).get(0);
        lease(me);

        assertThat(get(instances.reap(10))).isEqualTo(new Reaped(1, 1));

        assertThat(ledger.query("select due_at from batch order by lo", r -> r.getTimestamp(1)))
                .first()
                .isEqualTo(due);
        assertThat(ledger.batches(sequenceId)).extracting(BatchRow::status).containsOnly(Status.SEALED);
    }

    @Test
    void aPodOfTheSameNameDoesNotOwnTheLeasesOfItsPredecessor() {
        BatchRange batch = lease(me);
        UUID successor = UUID.randomUUID();
        get(instances.register(successor, "pod-0", 60_000));

        assertThat(get(batches.seal(successor, List.of(new Seal(batch.batchId(), 4)))))
                .isEmpty();
        assertThat(ledger.batches(sequenceId).get(0).status()).isEqualTo(Status.OPEN);
        expire(me);
        assertThat(get(instances.reap(10))).isEqualTo(new Reaped(1, 1));
        assertThat(get(instances.renew(successor, 60_000))).isTrue();
    }

    @Test
    void aReleasedLeaseIsReapedAtOnce() {
        lease(me);
        get(instances.release(me));

        assertThat(get(instances.renew(me, 60_000))).isFalse();
        assertThat(get(instances.reap(10))).isEqualTo(new Reaped(1, 1));
    }

    @Test
    void batchesWhoseOwnerHasNoRowAreReapedAndThatOwnerNeverRenews() {
        UUID lost = UUID.randomUUID();
        lease(lost);

        assertThat(get(instances.reap(10))).isEqualTo(new Reaped(1, 1));
        assertThat(get(instances.renew(lost, 60_000))).isFalse();
    }

    @Test
    void aPassTakesNoMoreInstancesThanItMay() {
        for (int i = 0; i < 5; i++) {
            UUID id = UUID.randomUUID();
            get(instances.register(id, "pod", 60_000));
            lease(id);
            expire(id);
        }

        assertThat(get(instances.reap(3))).isEqualTo(new Reaped(3, 3));
        assertThat(get(instances.reap(3))).isEqualTo(new Reaped(2, 2));
    }

    @Test
    void anInstanceThatAnotherReaperOrARenewalHoldsIsSkipped() throws Exception {
        lease(me);
        expire(me);
        try (Connection other = TestPostgres.connect(DATABASE)) {
            other.setAutoCommit(false);
            other.createStatement().execute("select * from instance for update");

            assertThat(get(instances.reap(10))).isEqualTo(NOTHING);
            other.rollback();
        }
        assertThat(get(instances.reap(10))).isEqualTo(new Reaped(1, 1));
    }

    @Test
    void whatIsReturnedIsLeasedAgainByAnotherInstanceOnly() {
        BatchRange batch = lease(me);
        get(batches.seal(me, List.of(new Seal(batch.batchId(), 4))));
        UUID other = UUID.randomUUID();
        get(instances.register(other, "pod-1", 60_000));

        BatchRange next = lease(other);
        assertThat(new Range(next.lo(), next.hi())).isEqualTo(new Range(5, 10));
        assertThat(get(batches.seal(me, List.of(new Seal(next.batchId(), 6))))).isEmpty();
    }

    private BatchRange lease(UUID owner) {
        return get(batches.lease(new LeaseRequest(sequenceId, "", owner, UUID.randomUUID(), 1)))
                .batches()
                .get(0);
    }

    private void expire(UUID id) {
        ledger.update(
                "update instance set lease_until = clock_timestamp() - interval '1 ms' where instance_id = ?", id);
    }

    private static <T> T get(Future<T> future) {
        return Futures.get(future);
    }

    @AfterAll
    static void close() {
        Futures.get(POOL.close());
        Futures.get(VERTX.close());
    }
}
