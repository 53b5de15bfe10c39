package dev.reissue.bench;

import dev.reissue.ledger.Ask;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgSettleStore;
import dev.reissue.support.Futures;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What settling a number costs: wall time, and processor time of the one PostgreSQL backend that does it, in microseconds a number.
 * A program, not a test; Linux only (it reads {@code /proc}). Run it with {@code mvn test-compile exec:java
 * -Dexec.mainClass=dev.reissue.bench.SettleBench -Dexec.classpathScope=test -Dexec.args=}.
 */
public final class SettleBench {
    private static final int BATCH_SIZE = 1_000;
    private static final int OPEN_BATCHES = 4;
    private static final int NUMBERS = 400_000;
    private static final double NANOS_PER_TICK = 1e9 / 100;

    private SettleBench() {}

    /** Prints one line a mix and flush size. */
    public static void main(String[] args) throws Exception {
        Vertx vertx = Vertx.vertx();
        for (double abandoned : new double[] {0, 0.003, 0.06}) {
            for (int flush : new int[] {20, 200, 2_000}) {
                run(vertx, flush, abandoned);
            }
        }
        Futures.get(vertx.close());
        System.exit(0);
    }

    private static void run(Vertx vertx, int flush, double abandoned) throws SQLException, IOException {
        String name = TestPostgres.freshDatabase();
        PgDatabase database = PgDatabase.keyed(vertx, TestPostgres.uri(name), "settle", 1, 10, 30_000);
        PgSettleStore store = new PgSettleStore(database);
        int numbers = flush < 200 ? NUMBERS / 10 : NUMBERS;
        try (Connection c = TestPostgres.connect(name);
                Statement s = c.createStatement()) {
            prepare(s, numbers + 20 * flush + OPEN_BATCHES * BATCH_SIZE);
            List<List<Item>> flushes = flushes(numbers + 20 * flush, flush, abandoned);
            int warm = 20;
            for (int i = 0; i < warm; i++) {
                Futures.get(store.settle(flushes.get(i)));
            }
            long pid = pid(s);
            long ticks = ticks(pid);
            long start = System.nanoTime();
            int settled = 0;
            for (int i = warm; i < flushes.size(); i++) {
                settled += Futures.get(store.settle(flushes.get(i))).size();
            }
            double wall = System.nanoTime() - start;
            double cpu = (ticks(pid) - ticks) * NANOS_PER_TICK;
            System.out.printf(
                    "%5d items a flush, %4.1f %% abandoned: %6.2f us wall, %6.2f us PostgreSQL CPU a number, %8.1f us CPU a flush%n",
                    flush,
                    abandoned * 100,
                    wall / settled / 1e3,
                    cpu / settled / 1e3,
                    cpu / (flushes.size() - warm) / 1e3);
        }
        Futures.get(database.close());
    }

    private static void prepare(Statement s, int numbers) throws SQLException {
        s.execute("""
                insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window, recycle,
                  replay_cap, trace, forced)
                values ('bench', '{seq}', 0, 999999999, 1000, '5 s', '60 s', '120 s', true, 2, false, false)""");
        s.execute("""
                insert into batch (sequence_id, period, lo, hi, owner, lease_id, confirmed, abandoned)
                select 1, '', n * 1000, n * 1000 + 999, gen_random_uuid(), gen_random_uuid(), bits, bits
                from generate_series(0, %d) n, (select repeat('0', 1000)::bit varying as bits) z
                order by n""".formatted(numbers / BATCH_SIZE));
        s.execute("analyze");
    }

    /** As {@link #OPEN_BATCHES} event loops would hand them out: value by value, batch beside batch. */
    private static List<List<Item>> flushes(int numbers, int flush, double abandoned) {
        List<List<Item>> flushes = new ArrayList<>();
        List<Item> items = new ArrayList<>();
        int every = abandoned == 0 ? Integer.MAX_VALUE : (int) Math.round(1 / abandoned);
        for (int i = 0; i < numbers; i++) {
            int group = i / (OPEN_BATCHES * BATCH_SIZE);
            long batch = (long) group * OPEN_BATCHES + i % OPEN_BATCHES;
            long value = batch * BATCH_SIZE + i / OPEN_BATCHES % BATCH_SIZE;
            Ask ask = i % every == every - 1 ? Ask.abandon(1, value) : Ask.confirm(1, value);
            items.add(ask.ticket(batch + 1, 0).item());
            if (items.size() == flush) {
                flushes.add(items);
                items = new ArrayList<>();
            }
        }
        return flushes;
    }

    private static long pid(Statement s) throws SQLException {
        try (ResultSet r = s.executeQuery("select pid from pg_stat_activity where application_name = 'reissue-settle'"
                + " and datname = current_database()")) {
            r.next();
            return r.getLong(1);
        }
    }

    /** Returns the processor time of a process, user and system, in ticks of 10 ms. */
    private static long ticks(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
