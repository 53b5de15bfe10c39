package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore.LeaseRequest;
import dev.reissue.ledger.BatchStore.Seal;
import dev.reissue.ledger.CounterMark;
import dev.reissue.support.Futures;
import dev.reissue.support.LedgerProbe.BatchRow;
import dev.reissue.support.LedgerProbe.Range;
import dev.reissue.support.LedgerProbe.Status;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ConcurrentLeasesIT {
    private static final int INSTANCES = 8;
    private static final int ROUNDS = 1_500;

    private static final Vertx VERTX = Vertx.vertx();
    private static final String DATABASE = TestPostgres.freshDatabase();
    private static final PgDatabase POOL =
            PgDatabase.keyed(VERTX, TestPostgres.uri(DATABASE), "lease", INSTANCES, 100, 20_000);

    private final PgBatchStore store = new PgBatchStore(POOL);
    private final PgProbe ledger = new PgProbe(DATABASE);

    @Test
    void leasesSealsAndReturnsOfManyConnectionsNeverOverlapAndLoseNothing() {
        int a = ledger.sequence(10);
        int b = ledger.sequence(7);
        Map<Integer, Long> revisions = new ConcurrentHashMap<>();
        AtomicInteger left = new AtomicInteger(ROUNDS);
        List<Future<Void>> instances = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            Worker worker = new Worker(UUID.randomUUID(), new Random(i), new int[] {a, b}, revisions, left);
            instances.add(worker.run());
        }
        Futures.get(Future.all(instances), 180);

        for (int s : List.of(a, b)) {
            assertEveryValueIsInOnePlace(s);
        }
    }

    /** Batches, returned ranges and what is above the counter: no value in two of them, none in none. */
    private void assertEveryValueIsInOnePlace(int sequenceId) {
        CounterMark mark = ledger.mark(sequenceId);
        List<Range> all = new ArrayList<>(ledger.returned(sequenceId));
        for (BatchRow batch : ledger.batches(sequenceId)) {
            assertThat(batch.status()).isEqualTo(Status.SEALED);
            all.add(new Range(batch.lo(), batch.issuedTo()));
        }
        all.sort(Comparator.comparingLong(Range::lo));
        long next = 1;
        for (Range range : all) {
            assertThat(range.lo())
                    .as("sequence %d: first value of %s", sequenceId, range)
                    .isEqualTo(next);
            next = range.hi() + 1;
        }
        assertThat(next).isEqualTo(mark.nextValue());
    }

    /** An instance that leases, hands out part of each batch and seals, with two statements of its own under way at times. */
    private final class Worker {
        private final UUID id;
        private final Random random;
        private final int[] sequences;
        private final Map<Integer, Long> revisions;
        private final AtomicInteger left;

        Worker(UUID id, Random random, int[] sequences, Map<Integer, Long> revisions, AtomicInteger left) {
            this.id = id;
            this.random = random;
            this.sequences = sequences;
            this.revisions = revisions;
            this.left = left;
        }

        Future<Void> run() {
            if (left.getAndDecrement() <= 0) {
                return Future.succeededFuture();
            }
            return Future.all(lease(sequences[0]), lease(sequences[1]))
                    .compose(both -> {
                        List<Seal> seals = new ArrayList<>();
                        both.<List<BatchRange>>list()
                                .forEach(batches -> batches.forEach(batch -> seals.add(use(batch))));
                        return store.seal(id, seals)
                                .onSuccess(ids -> assertThat(ids).hasSize(seals.size()));
                    })
                    .compose(ids -> run());
        }

        private Future<List<BatchRange>> lease(int sequenceId) {
            long before = revisions.getOrDefault(sequenceId, 0L);
            LeaseRequest request = new LeaseRequest(sequenceId, "", id, UUID.randomUUID(), 1 + random.nextInt(4));
            return store.lease(request).map(answer -> {
                assertThat(answer.mark().revision()).isGreaterThan(before);
                revisions.merge(sequenceId, answer.mark().revision(), Long::max);
                return answer.batches();
            });
        }

        /** Hands out all, some or none of a batch. */
        private Seal use(BatchRange batch) {
            return new Seal(batch.batchId(), batch.lo() - 1 + random.nextInt((int) batch.size() + 1));
        }
    }

    @AfterAll
    static void close() {
        Futures.get(POOL.close());
        Futures.get(VERTX.close());
    }
}
