package dev.reissue.bench;

import dev.reissue.postgres.PgClaimStore;
import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgPushStore;
import dev.reissue.postgres.PgReleaseStore;
import dev.reissue.recycle.ClaimGuard;
import dev.reissue.recycle.ClaimPass;
import dev.reissue.recycle.ClaimSettings;
import dev.reissue.recycle.ClaimStock;
import dev.reissue.recycle.PageSize;
import dev.reissue.recycle.Paging;
import dev.reissue.recycle.PoolDepths;
import dev.reissue.recycle.PoolEntry;
import dev.reissue.recycle.PushSchedule;
import dev.reissue.recycle.RecycleAlerts;
import dev.reissue.recycle.RecycleMeter;
import dev.reissue.recycle.ReleasePass;
import dev.reissue.recycle.ScanScope;
import dev.reissue.redis.RedisClient;
import dev.reissue.redis.RedisNumberPool;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * How many numbers a second go the whole way from abandoned to reissued: released, pushed, popped, claimed, taken. With pages of 200,
 * 500 and 1,000 rows, beside the way that takes the same steps number by number, with one plain UPDATE by primary key each and no history.
 *
 * <p>Run {@code mvn -q test-compile exec:java -Dexec.classpathScope=test -Dexec.mainClass=dev.reissue.bench.RecycleBench}; the number of
 * rows is an argument. Real PostgreSQL (without fsync, which favours the baseline) and Redis, started for the run.
 */
public final class RecycleBench {
    private static final int SEQUENCE = 1;

    private final Vertx vertx = Vertx.vertx();
    private final String name = TestPostgres.freshDatabase();
    private final PgDatabase database = new PgDatabase(vertx, TestPostgres.uri(name), "bench", 4, 100, 30_000);
    private final RedisClient redis = new RedisClient(
            vertx, new RedisClient.Settings(TestRedis.uri(0), 5_000, 100, 10_000, false), System::nanoTime);
    private final RedisNumberPool pool = new RedisNumberPool(redis, "bench:", 1_000_000);
    private final PgReleaseStore releases = new PgReleaseStore(database);
    private final PgPushStore pushes = new PgPushStore(database);

    private RecycleBench() {}

    /** Runs the benchmark and prints a table. */
    public static void main(String[] args) throws Exception {
        int numbers = args.length > 0 ? Integer.parseInt(args[0]) : 200_000;
        RecycleBench bench = new RecycleBench();
        bench.prepare();
        bench.paged(20_000, 500);
        System.out.printf("%-22s %10s %12s%n", "way", "numbers", "numbers/s");
        double single = bench.rowByRow(Math.max(1_000, numbers / 40));
        System.out.printf("%-22s %10d %,12.0f%n", "row by row", numbers / 40, single);
        for (int page : new int[] {200, 500, 1000}) {
            double rate = bench.paged(numbers, page);
            System.out.printf("%-22s %10d %,12.0f   %.1f x%n", "pages of " + page, numbers, rate, rate / single);
        }
        bench.close();
        System.exit(0);
    }

    private void prepare() throws SQLException {
        try (Connection c = TestPostgres.connect(name)) {
            c.createStatement()
                    .execute(
                            "insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window,"
                                    + " recycle, replay_cap, trace, forced) values ('bench', '{seq}', 0, 999999999, 1000, '5 s', '60 s', '120 s', true,"
                                    + " 2, false, false)");
        }
    }

    /** Fills the log with abandoned numbers whose window is over, and nothing else. */
    private void abandoned(int numbers) throws SQLException {
        try (Connection c = TestPostgres.connect(name)) {
            c.createStatement().execute("truncate issue_log, issue_event, batch");
            c.createStatement()
                    .execute(
                            "insert into batch (sequence_id, period, lo, hi, owner, lease_id, issued_to, sealed_at, due_at, confirmed,"
                                    + " abandoned, status) select 1, '', n * 1000, n * 1000 + 999, gen_random_uuid(), gen_random_uuid(), n * 1000 + 999,"
                                    + " now(), now(), \"bit\"(0, 1000)::bit varying, ~(\"bit\"(0, 1000))::bit varying, 3 from generate_series(0, "
                                    + numbers / 1000 + ") n");
            c.createStatement()
                    .execute(
                            "insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, issued_time, abandoned_time,"
                                    + " replay_deadline) select 1, '', n, (select min(batch_id) from batch) + n / 1000, 3, true, now(), now(),"
                                    + " now() - interval '1 s' from generate_series(0, " + (numbers - 1) + ") n");
            c.createStatement().execute("vacuum analyze issue_log");
            c.createStatement().execute("checkpoint");
        }
    }

    /** Releases and claims at the same time, as the scan and the issuing side do. */
    private double paged(int numbers, int page) throws Exception {
        abandoned(numbers);
        UUID me = UUID.randomUUID();
        ClaimStock stock = new ClaimStock(() -> me, TimeUnit.SECONDS.toNanos(60), System::nanoTime);
        ClaimPass claim = new ClaimPass(
                stock,
                new PgClaimStore(database),
                ClaimGuard.blind(),
                pool,
                pushes,
                new PoolDepths(System::nanoTime),
                () -> me,
                () -> true,
                new ClaimSettings(page, page, 1, 60_000, 60_000, PushSchedule.DEFAULT),
                System::nanoTime,
                RecycleMeter.NOOP);
        ReleasePass release = new ReleasePass(
                releases,
                pool,
                pushes,
                PushSchedule.DEFAULT,
                () -> ScanScope.ALL,
                new Paging(new PageSize(page), 20),
                new RecycleAlerts(RecycleMeter.NOOP, ids -> Future.succeededFuture(Map.of()), alert -> {}));
        long start = System.nanoTime();
        Future<Integer> released = releaseAll(release, 0);
        int taken = 0;
        while (taken < numbers) {
            stock.poll(SEQUENCE);
            await(claim.run());
            while (stock.poll(SEQUENCE) != null) {
                taken++;
            }
            if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(5)) {
                throw new IllegalStateException(taken + " of " + numbers + " numbers after five minutes");
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        await(released);
        return numbers / seconds;
    }

    private Future<Integer> releaseAll(ReleasePass pass, int before) {
        return pass.run()
                .compose(r ->
                        r.released() == 0 ? Future.succeededFuture(before) : releaseAll(pass, before + r.released()));
    }

    private double rowByRow(int numbers) throws Exception {
        abandoned(numbers);
        List<Long> ids = new ArrayList<>();
        for (Row row : await(database.query("select id from issue_log order by id", Tuple.tuple()))) {
            ids.add(row.getLong("id"));
        }
        UUID me = UUID.randomUUID();
        long start = System.nanoTime();
        for (long id : ids) {
            RowSet<Row> released = await(database.query(
                    "update issue_log set status = 4, version = version + 1, next_push_at = clock_timestamp() + interval '30 s'"
                            + " where id = $1::int8 and status::int4 = 3 and replay_deadline <= now() returning version",
                    Tuple.of(id)));
            await(pool.append(
                    SEQUENCE,
                    List.of(new PoolEntry(id, released.iterator().next().getLong(0)))));
            PoolEntry entry = await(pool.pop(SEQUENCE, 1)).get(0);
            RowSet<Row> won = await(database.query(
                    "update issue_log set status = 5, generation = generation + 1, version = version + 1, owner = $3::uuid, due_at ="
                            + " clock_timestamp() + interval '65 s' where id = $1::int8 and version = $2::int8 and status::int4 = 4 returning"
                            + " seq_no",
                    Tuple.of(entry.id(), entry.version(), me)));
            if (won.size() != 1) {
                throw new IllegalStateException("no claim of " + entry);
            }
        }
        return numbers / ((System.nanoTime() - start) / 1e9);
    }

    private void close() {
        await(database.close());
        await(redis.close());
        await(vertx.close());
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
