package dev.reissue.postgres;

import dev.reissue.issuance.CallKey;
import dev.reissue.issuance.KeyedAnswerStore;
import dev.reissue.issuance.KeyedNumberStore;
import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.StoreException;
import dev.reissue.recycle.KeySweepStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Idempotency keys in PostgreSQL. Any thread. */
public final class PgKeyStore implements KeyedNumberStore, KeyedAnswerStore, KeySweepStore {
    private static final Found FREE = new Found.Free();
    private static final Found OVER = new Found.Over();
    private static final int RUN = 4;
    /** The order of PostgreSQL, by which all instances insert. */
    private static final Comparator<UUID> AS_POSTGRES = (a, b) -> {
        int high = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
        return high != 0 ? high : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
    };

    private final PgDatabase database;
    private final long retentionMs;
    private final long runMs;

    /**
     * Creates the store.
     *
     * @param retentionMs how long a used key is known
     * @param runMs how long a call may run before a repeat of it may take its key over
     */
    public PgKeyStore(PgDatabase database, long retentionMs, long runMs) {
        this.database = database;
        this.retentionMs = retentionMs;
        this.runMs = runMs;
    }

    @Override
    public Future<List<Found>> find(List<CallKey> keys) {
        if (keys.stream().anyMatch(key -> key.notAfterMs() != CallKey.NO_END)) {
            return findAll(keys);
        }
        return database.query(KeySql.ANY_USED, Tuple.tuple().addArrayOfUUID(ids(keys, Function.identity())))
                .compose(rows -> PgRows.only(rows).getBoolean("used")
                        ? findAll(keys)
                        : Future.succeededFuture(Collections.nCopies(keys.size(), FREE)));
    }

    private Future<List<Found>> findAll(List<CallKey> keys) {
        Tuple parameters = Tuple.tuple()
                .addArrayOfInteger(places(keys.size()))
                .addArrayOfUUID(ids(keys, Function.identity()))
                .addArrayOfLong(column(keys, CallKey::notAfterMs, Long[]::new));
        return database.query(KeySql.FIND, parameters).map(rows -> {
            List<Found> found = new ArrayList<>(Collections.nCopies(keys.size(), FREE));
            for (Row row : rows) {
                found.set(row.getInteger("place"), row.getBoolean("used") ? used(row) : OVER);
            }
            return found;
        });
    }

    private static Found used(Row row) {
        List<Run> runs = new ArrayList<>(1);
        runs.add(new Run(
                row.getLong("batch_id"),
                row.getLong("first"),
                row.getInteger("numbers"),
                row.getInteger("generation")));
        Long[] more = row.getArrayOfLongs("more");
        for (int i = 0; more != null && i < more.length; i += RUN) {
            runs.add(new Run(more[i], more[i + 1], more[i + 2].intValue(), more[i + 3].intValue()));
        }
        Long gone = row.getLong("gone");
        return new Found.Used(
                row.getLong("request"),
                runs,
                gone == null
                        ? null
                        : new Gone(
                                gone,
                                NumberState.ofCode(row.getShort("gone_status")),
                                row.getInteger("gone_generation")));
    }

    @Override
    public Future<List<Boolean>> record(List<Entry> entries) {
        List<Entry> sorted = new ArrayList<>(entries);
        sorted.sort(Comparator.comparing(entry -> entry.key().id(), AS_POSTGRES));
        Tuple parameters = Tuple.tuple()
                .addArrayOfUUID(ids(sorted, Entry::key))
                .addArrayOfLong(column(sorted, e -> e.key().request(), Long[]::new))
                .addArrayOfInteger(column(sorted, Entry::sequenceId, Integer[]::new))
                .addArrayOfLong(column(sorted, e -> e.runs().get(0).batchId(), Long[]::new))
                .addArrayOfLong(column(sorted, e -> e.runs().get(0).first(), Long[]::new))
                .addArrayOfInteger(column(sorted, e -> e.runs().get(0).count(), Integer[]::new))
                .addArrayOfInteger(column(sorted, e -> e.runs().get(0).generation(), Integer[]::new))
                .addArrayOfString(column(sorted, e -> more(e.runs()), String[]::new))
                .addLong(retentionMs);
        return database.query(KeySql.RECORD_NEW, parameters)
                .map(done -> Collections.nCopies(entries.size(), true))
                .recover(e -> PgFault.isDuplicate(e)
                        ? database.query(KeySql.RECORD, parameters).compose(done -> kept(entries))
                        : Future.failedFuture(e));
    }

    /** Tells which entries are kept, where some may not be; an entry that an earlier try has committed is. */
    private Future<List<Boolean>> kept(List<Entry> entries) {
        Tuple parameters = Tuple.tuple()
                .addArrayOfUUID(ids(entries, Entry::key))
                .addArrayOfLong(column(entries, e -> e.key().request(), Long[]::new))
                .addArrayOfLong(column(entries, e -> e.runs().get(0).batchId(), Long[]::new))
                .addArrayOfLong(column(entries, e -> e.runs().get(0).first(), Long[]::new))
                .addArrayOfInteger(column(entries, e -> e.runs().get(0).generation(), Integer[]::new));
        return database.query(KeySql.KEPT, parameters)
                .map(rows -> {
                    Set<UUID> kept = new HashSet<>();
                    rows.forEach(row -> kept.add(row.getUUID("key_id")));
                    return entries.stream()
                            .map(entry -> kept.contains(entry.key().id()))
                            .toList();
                })
                // The entries themselves are committed, whatever became of the question.
                .recover(e -> Future.failedFuture(
                        new StoreException(StoreException.Kind.UNKNOWN, "kept keys could not be looked up", e)));
    }

    /** Returns the runs behind the first one as the text of an array, null where there is none. */
    private static @Nullable String more(List<Run> runs) {
        if (runs.size() == 1) {
            return null;
        }
        StringJoiner text = new StringJoiner(",", "{", "}");
        for (Run run : runs.subList(1, runs.size())) {
            text.add(run.batchId() + "," + run.first() + "," + run.count() + "," + run.generation());
        }
        return text.toString();
    }

    @Override
    public Future<List<Turn>> begin(List<Attempt> attempts) {
        Tuple parameters = Tuple.tuple()
                .addArrayOfInteger(places(attempts.size()))
                .addArrayOfUUID(ids(attempts, Attempt::key))
                .addArrayOfLong(column(attempts, a -> a.key().request(), Long[]::new))
                .addArrayOfUUID(column(attempts, Attempt::attempt, UUID[]::new))
                .addArrayOfLong(column(attempts, a -> a.key().notAfterMs(), Long[]::new))
                .addLong(runMs)
                .addLong(retentionMs);
        return database.query(KeySql.BEGIN, parameters).map(rows -> {
            Turn[] turns = new Turn[attempts.size()];
            for (Row row : rows) {
                int place = row.getInteger("place");
                turns[place] = turn(row, attempts.get(place));
            }
            return List.of(turns);
        });
    }

    private static Turn turn(Row row, Attempt attempt) {
        if (row.getBoolean("taken")) {
            return new Turn.Run();
        }
        if (row.getBoolean("over")) {
            return new Turn.Over();
        }
        Long request = row.getLong("request");
        if (request != null && request != attempt.key().request()) {
            return new Turn.Other();
        }
        Short status = row.getShort("status");
        return request == null || status == null
                ? new Turn.Busy()
                : new Turn.Answered(new Stored(request, status, row.getString("body")));
    }

    @Override
    public Future<List<Boolean>> end(List<Ending> endings) {
        Tuple parameters = Tuple.tuple()
                .addArrayOfInteger(places(endings.size()))
                .addArrayOfUUID(ids(endings, e -> e.attempt().key()))
                .addArrayOfUUID(column(endings, e -> e.attempt().attempt(), UUID[]::new))
                .addArrayOfShort(column(
                        endings,
                        e -> e.answer() == null ? null : (short) e.answer().status(),
                        Short[]::new))
                .addArrayOfString(column(
                        endings, e -> e.answer() == null ? null : e.answer().body(), String[]::new));
        return database.query(KeySql.END, parameters).map(rows -> {
            List<Boolean> ended = new ArrayList<>(Collections.nCopies(endings.size(), false));
            for (Row row : rows) {
                ended.set(row.getInteger("place"), true);
            }
            return ended;
        });
    }

    @Override
    public Future<Integer> sweep(int rows) {
        return database.query(KeySql.SWEEP_NEXT, Tuple.of(rows))
                .compose(numbers -> database.query(KeySql.SWEEP_CALL, Tuple.of(rows))
                        .map(calls -> PgRows.only(numbers).getInteger("keys")
                                + PgRows.only(calls).getInteger("keys")));
    }

    /** Returns the time on the database's clock, in milliseconds since 1970. */
    public Future<Long> nowMs() {
        return database.query(KeySql.NOW, Tuple.tuple())
                .map(rows -> PgRows.only(rows).getLong("now_ms"));
    }

    private static Integer[] places(int size) {
        return IntStream.range(0, size).boxed().toArray(Integer[]::new);
    }

    private static <T> UUID[] ids(List<T> items, Function<? super T, CallKey> key) {
        return column(items, item -> key.apply(item).id(), UUID[]::new);
    }

    private static <T, C> C[] column(
            List<T> items, Function<? super T, ? extends @Nullable C> field, IntFunction<C[]> array) {
        C[] column = array.apply(items.size());
        Arrays.setAll(column, i -> field.apply(items.get(i)));
        return column;
    }
}
