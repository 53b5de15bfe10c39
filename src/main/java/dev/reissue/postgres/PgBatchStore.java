package dev.reissue.postgres;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore;
import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.CounterMark.Counter;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Leases, seals and returns batches, each call one statement, a repair two. Any thread. */
public final class PgBatchStore implements BatchStore {
    /** Values in one suspect batch: two masks of 12.5 KB. */
    private static final long SUSPECT_VALUES_MAX = 100_000;

    /** Suspect batches made at once: 25.6 million values, far more than a standby lags behind. */
    private static final int SUSPECT_BATCHES_MAX = 256;

    private final PgDatabase database;

    /** Creates a store on a pool that nothing slow shares. */
    public PgBatchStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<LeaseAnswer> lease(LeaseRequest request) {
        Tuple parameters = Tuple.tuple()
                .addInteger(request.sequenceId())
                .addString(request.period())
                .addUUID(request.owner())
                .addUUID(request.leaseId())
                .addInteger(request.batches())
                .addLong(request.known().revision())
                .addLong(request.known().nextValue());
        return database.query(BatchSql.LEASE, parameters).map(rows -> {
            List<BatchRange> batches = new ArrayList<>(rows.size());
            for (Row row : rows) {
                if (row.getLong(0) != null) {
                    batches.add(new BatchRange(row.getLong(0), row.getLong(1), row.getLong(2)));
                }
            }
            CounterMark mark = mark(request, rows, 3);
            return new LeaseAnswer(batches, mark, rows.iterator().next().getBoolean(5));
        });
    }

    @Override
    public Future<Set<Long>> seal(UUID owner, List<Seal> seals) {
        Long[] batchIds = seals.stream().map(Seal::batchId).toArray(Long[]::new);
        Long[] issuedTo = seals.stream().map(Seal::issuedTo).toArray(Long[]::new);
        return database.query(BatchSql.SEAL, Tuple.of(owner, batchIds, issuedTo))
                .map(rows -> {
                    Set<Long> sealed = new HashSet<>();
                    rows.forEach(row -> sealed.add(row.getLong(0)));
                    return sealed;
                });
    }

    @Override
    public Future<Integer> returnLost(UUID owner, UUID leaseId) {
        return database.query(BatchSql.RETURN_LOST, Tuple.of(owner, leaseId)).map(RowSet::size);
    }

    @Override
    public Future<CounterMark> raiseAbove(LeaseRequest regressed, CounterMark known) {
        Tuple parameters = Tuple.tuple()
                .addInteger(regressed.sequenceId())
                .addString(regressed.period())
                .addUUID(regressed.owner())
                .addUUID(regressed.leaseId())
                .addLong(known.revision())
                .addLong(known.nextValue())
                .addLong(SUSPECT_VALUES_MAX)
                .addInteger(SUSPECT_BATCHES_MAX);
        return database.query(BatchSql.FENCE, Tuple.of(regressed.sequenceId(), regressed.period(), known.nextValue()))
                .compose(fenced -> database.query(BatchSql.RAISE_ABOVE, parameters))
                .map(rows -> mark(regressed, rows, 0));
    }

    @Override
    public Future<Void> fenceAll(Map<Counter, CounterMark> known) {
        List<Map.Entry<Counter, CounterMark>> marks = List.copyOf(known.entrySet());
        Tuple parameters = Tuple.tuple()
                .addArrayOfInteger(
                        marks.stream().map(m -> m.getKey().sequenceId()).toArray(Integer[]::new))
                .addArrayOfString(marks.stream().map(m -> m.getKey().period()).toArray(String[]::new))
                .addArrayOfLong(
                        marks.stream().map(m -> m.getValue().nextValue()).toArray(Long[]::new));
        return database.query(BatchSql.FENCE_ALL, parameters).mapEmpty();
    }

    private static CounterMark mark(LeaseRequest request, RowSet<Row> rows, int column) {
        if (rows.size() == 0) {
            throw new StoreException(
                    StoreException.Kind.REFUSED,
                    "sequence " + request.sequenceId() + " has no counter for the period '" + request.period() + "'");
        }
        Row row = rows.iterator().next();
        return new CounterMark(row.getLong(column), row.getLong(column + 1));
    }
}
