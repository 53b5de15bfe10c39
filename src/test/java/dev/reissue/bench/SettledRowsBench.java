package dev.reissue.bench;

import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgPushStore;
import dev.reissue.postgres.PgReleaseStore;
import dev.reissue.postgres.PgScanStore;
import dev.reissue.recycle.ScanScope;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What a page of each scan costs beside settled rows: with none of them, and with 5 million (or as many as the argument says), of which
 * nine tenths are retired and the rest confirmed. The same rows are due each time.
 *
 * <p>Run {@code mvn -q test-compile exec:java -Dexec.classpathScope=test -Dexec.mainClass=dev.reissue.bench.SettledRowsBench}. Real
 * PostgreSQL, started for the run; takes minutes and some GB of disk.
 */
public final class SettledRowsBench {
    private static final int PAGE = 500;
    private static final int ROUNDS = 25;

    private final Vertx vertx = Vertx.vertx();
    private final String name = TestPostgres.freshDatabase();
    private final PgDatabase database = new PgDatabase(vertx, TestPostgres.uri(name), "bench", 1, 100, 60_000);
    private final PgReleaseStore releases = new PgReleaseStore(database);
    private final PgPushStore pushes = new PgPushStore(database);
    private final PgScanStore scans = new PgScanStore(database);
    private final String[] names = {"expire reissued", "release", "re-push", "watch"};
    private int filled;

    private SettledRowsBench() {}

    /** Runs the benchmark and prints a table. */
    public static void main(String[] args) throws Exception {
        int settled = args.length > 0 ? Integer.parseInt(args[0]) : 5_000_000;
        SettledRowsBench bench = new SettledRowsBench();
        bench.sql(
                "insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window, recycle,"
                        + " replay_cap, trace, forced) values ('bench', '{seq}', 0, 999999999, 1000, '5 s', '60 s', '120 s', true, 2, false, false)");
        double[] without = bench.measure();
        long start = System.nanoTime();
        bench.fill(settled);
        System.out.printf("%,d settled rows in %.0f s%n", settled, (System.nanoTime() - start) / 1e9);
        double[] with = bench.measure();
        System.out.printf("%-18s %16s %16s %8s%n", "page of " + PAGE, "none, ms", "settled, ms", "ratio");
        for (int i = 0; i < with.length; i++) {
            System.out.printf(
                    Locale.ROOT,
                    "%-18s %16.2f %16.2f %8.2f%n",
                    bench.names[i],
                    without[i],
                    with[i],
                    with[i] / without[i]);
        }
        await(bench.database.close());
        await(bench.vertx.close());
        System.exit(0);
    }

    private void fill(int settled) throws SQLException {
        sql(
                "insert into issue_log (sequence_id, period, seq_no, batch_id, status, generation, abandoned_time, explicit) select 1, '',"
                        + " 100000000 + n, n / 1000, case when n % 10 = 0 then 2 else 6 end, 1, now(), true from generate_series(1, "
                        + settled
                        + ") n");
        sql("vacuum analyze issue_log");
        sql("checkpoint");
    }

    /** Returns the median time of a page of each scan, in milliseconds. */
    private double[] measure() throws SQLException {
        double[][] times = new double[names.length][ROUNDS];
        for (int round = -3; round < ROUNDS; round++) {
            due(5, "due_at");
            double expire = time(() -> scans.expireReissued(ScanScope.ALL, PAGE));
            due(3, "replay_deadline");
            double release = time(() -> releases.release(ScanScope.ALL, PAGE, 30_000));
            due(4, "next_push_at");
            double push = time(() -> pushes.unclaimed(ScanScope.ALL, PAGE));
            double watch = time(() -> scans.look(1_000_000));
            if (round >= 0) {
                times[0][round] = expire;
                times[1][round] = release;
                times[2][round] = push;
                times[3][round] = watch;
            }
        }
        return Arrays.stream(times)
                .mapToDouble(t -> Arrays.stream(t).sorted().toArray()[ROUNDS / 2])
                .toArray();
    }

    /** Leaves a page of rows in a state whose time has come, and no others that are not settled. */
    private void due(int status, String deadline) throws SQLException {
        sql("delete from issue_log where status in (3, 4, 5)");
        filled += PAGE;
        sql("insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, generation, " + deadline
                + ") select 1, ''," + " " + filled + " + n, 1, " + status
                + ", true, 1, now() - interval '1 s' from generate_series(1, " + PAGE + ") n");
    }

    private static double time(Supplier<Future<?>> page) {
        long start = System.nanoTime();
        await(page.get());
        return (System.nanoTime() - start) / 1e6;
    }

    private void sql(String statement) throws SQLException {
        try (Connection c = TestPostgres.connect(name);
                Statement s = c.createStatement()) {
            s.execute(statement);
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
