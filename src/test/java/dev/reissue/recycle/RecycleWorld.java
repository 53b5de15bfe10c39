package dev.reissue.recycle;

import dev.reissue.ledger.NumberState;
import dev.reissue.postgres.PgClaimStore;
import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgPushStore;
import dev.reissue.postgres.PgReleaseStore;
import dev.reissue.postgres.PgScanStore;
import dev.reissue.postgres.PgSequenceNames;
import dev.reissue.redis.RedisClient;
import dev.reissue.redis.RedisNumberPool;
import dev.reissue.support.Await;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything that recycling needs, on a real PostgreSQL and a real Redis, with a look behind the curtain. Windows are over when a test
 * says so: deadlines are shifted, nobody waits for them. One thread.
 */
final class RecycleWorld implements AutoCloseable {
    static final long HAND_OUT_MAX_NANOS = 2_000_000_000L;

    final Vertx vertx = Vertx.vertx();
    final String databaseName = TestPostgres.freshDatabase();
    final PgDatabase database = new PgDatabase(vertx, TestPostgres.uri(databaseName), "recycle", 8, 200, 10_000);
    final PgScanStore scans = new PgScanStore(database);
    final PgReleaseStore releases = new PgReleaseStore(database);
    final PgPushStore pushes = new PgPushStore(database);
    final PgClaimStore claims = new PgClaimStore(database);
    final Redis redis;
    final RedisClient client;
    final NumberPool pool;
    final Connection sql;
    final AtomicLong nanos = new AtomicLong(1_000_000_000_000L);
    final List<RecycleAlerts.Alert> alerts = new CopyOnWriteArrayList<>();
    final RecycleAlerts alerting = new RecycleAlerts(RecycleMeter.NOOP, new PgSequenceNames(database), alerts::add);
    private final int redisDatabase;
    private int names;

    RecycleWorld(int redisDatabase) {
        this.redisDatabase = redisDatabase;
        this.redis = Redis.createClient(
                vertx,
                new RedisOptions()
                        .setConnectionString(TestRedis.uri(redisDatabase))
                        .setMaxWaitingHandlers(256));
        this.client = new RedisClient(
                vertx,
                new RedisClient.Settings(TestRedis.uri(redisDatabase), 5_000, 1, 5_000, false),
                System::nanoTime);
        this.pool = new RedisNumberPool(client, "test:", 100_000);
        try {
            this.sql = TestPostgres.connect(databaseName);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates a sequence with t = 60 s and W = 120 s and returns its id. */
    int sequence() {
        names++;
        return (int) one(
                "insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window,"
                        + " recycle, replay_cap, trace, forced) values (?, 'N-{seq:6}', 0, 999999, 1000, '5 s', '60 s', '120 s', true, 2, false,"
                        + " false) returning id",
                "s" + names);
    }

    /** Adds a sealed batch lo..hi, all of it handed out, due at once, and returns its id. */
    long sealed(int sequence, long lo, long hi) {
        return sealed(sequence, lo, hi, hi);
    }

    long sealed(int sequence, long lo, long hi, long issuedTo) {
        return one(
                "insert into batch (sequence_id, period, lo, hi, owner, lease_id, issued_to, sealed_at, due_at, confirmed, abandoned,"
                        + " status) values (?, '', ?, ?, gen_random_uuid(), gen_random_uuid(), ?, now() - interval '61 s', now() - interval '1 s',"
                        + " \"bit\"(0, ?)::bit varying, \"bit\"(0, ?)::bit varying, 2) returning batch_id",
                sequence,
                lo,
                hi,
                issuedTo,
                (int) (hi - lo + 1),
                (int) (hi - lo + 1));
    }

    void confirmBit(long batch, long value) {
        run("update batch set confirmed = set_bit(confirmed, (? - lo)::int, 1) where batch_id = ?", value, batch);
    }

    /** Abandons a number as a caller would: bit and row in one transaction. */
    void abandon(int sequence, long batch, long value) {
        run(
                "with u as (update batch set abandoned = set_bit(abandoned, (? - lo)::int, 1) where batch_id = ?)"
                        + " insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, abandon_reason, issued_time,"
                        + " abandoned_time, replay_deadline) values (?, '', ?, ?, 3, true, 'rollback', now(), clock_timestamp(),"
                        + " clock_timestamp() + interval '120 s')",
                value,
                batch,
                sequence,
                value,
                batch);
    }

    /** Lets the time pass for every deadline of a sequence. */
    void pass(int sequence, int seconds) {
        String by = " - interval '" + seconds + " s'";
        run(
                "update issue_log set replay_deadline = replay_deadline" + by + ", due_at = due_at" + by
                        + ", next_push_at = next_push_at" + by + ", next_probe_at = next_probe_at" + by
                        + ", issued_time = issued_time" + by
                        + " where sequence_id = ?",
                sequence);
        run(
                "update batch set due_at = due_at" + by + ", opened_at = opened_at" + by + " where sequence_id = ?",
                sequence);
    }

    /** An exception row. */
    record LogView(
            long id,
            NumberState state,
            int generation,
            int holderGeneration,
            boolean explicit,
            int replayTimes,
            int pushAttempts,
            boolean pushed,
            int probeAttempts,
            long version,
            @Nullable UUID owner) {}

    @Nullable
    LogView row(int sequence, long value) {
        try (PreparedStatement s =
                sql.prepareStatement("select * from issue_log where sequence_id = ? and seq_no = ?")) {
            s.setInt(1, sequence);
            s.setLong(2, value);
            ResultSet r = s.executeQuery();
            if (!r.next()) {
                return null;
            }
            return new LogView(
                    r.getLong("id"),
                    NumberState.ofCode(r.getInt("status")),
                    r.getInt("generation"),
                    r.getInt("holder_generation"),
                    r.getBoolean("explicit"),
                    r.getInt("replay_times"),
                    r.getInt("push_attempts"),
                    r.getBoolean("pushed"),
                    r.getInt("probe_attempts"),
                    r.getLong("version"),
                    r.getObject("owner", UUID.class));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    LogView known(int sequence, long value) {
        LogView row = row(sequence, value);
        if (row == null) {
            throw new AssertionError("no row for " + value);
        }
        return row;
    }

    /** Waits for an alert about a number of a sequence: a pass does not wait until it is out. */
    RecycleAlerts.Subject alerted(RecycleAlerts.Kind kind, int sequence) {
        List<RecycleAlerts.Subject> found = new ArrayList<>();
        Await.until("an alert " + kind, Duration.ofSeconds(10), () -> {
            for (RecycleAlerts.Alert alert : alerts) {
                RecycleAlerts.Subject subject = alert.subject();
                if (alert.kind() == kind && subject != null && subject.row().sequenceId() == sequence) {
                    found.add(subject);
                }
            }
            return !found.isEmpty();
        });
        return found.get(0);
    }

    /** The story of a number: {@code from>to:generation:reason}. */
    List<String> story(int sequence, long value) {
        return texts(
                "select coalesce(from_status::text, '-') || '>' || to_status || ':' || generation || ':' || coalesce(reason, '')"
                        + " from issue_event where sequence_id = ? and seq_no = ? order by id",
                sequence,
                value);
    }

    List<String> texts(String statement, Object... parameters) {
        List<String> texts = new ArrayList<>();
        try (PreparedStatement s = sql.prepareStatement(statement)) {
            bind(s, parameters);
            ResultSet r = s.executeQuery();
            while (r.next()) {
                texts.add(r.getString(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return texts;
    }

    long one(String statement, Object... parameters) {
        try (PreparedStatement s = sql.prepareStatement(statement)) {
            bind(s, parameters);
            ResultSet r = s.executeQuery();
            r.next();
            return r.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    int run(String statement, Object... parameters) {
        try (PreparedStatement s = sql.prepareStatement(statement)) {
            bind(s, parameters);
            return s.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void bind(PreparedStatement s, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            s.setObject(i + 1, parameters[i]);
        }
    }

    List<String> poolOf(int sequence) {
        Response r = await(redis.send(
                Request.cmd(Command.LRANGE).arg("test:pool:" + sequence).arg(0).arg(-1)));
        List<String> list = new ArrayList<>();
        for (Response e : r) {
            list.add(e.toString());
        }
        return list;
    }

    void flush() {
        await(redis.send(Request.cmd(Command.FLUSHDB)));
    }

    Supplier<ScanScope> only(int... sequences) {
        List<Integer> ids = new ArrayList<>();
        for (int s : sequences) {
            ids.add(s);
        }
        return () -> new ScanScope(ids);
    }

    static Paging paging(int rows) {
        return new Paging(new PageSize(rows), 20);
    }

    ExpirePass expire(int sequence) {
        return new ExpirePass(scans, only(sequence), paging(500));
    }

    ReleasePass release(int sequence) {
        return release(sequence, pool);
    }

    ReleasePass release(int sequence, NumberPool pool) {
        return new ReleasePass(releases, pool, pushes, PushSchedule.DEFAULT, only(sequence), paging(500), alerting);
    }

    RepushPass repush(int sequence) {
        return repush(sequence, pool);
    }

    RepushPass repush(int sequence, NumberPool pool) {
        return new RepushPass(pushes, pool, PushSchedule.DEFAULT, only(sequence), paging(500), alerting);
    }

    ClosePass close(int sequence) {
        return new ClosePass(scans, only(sequence), paging(500));
    }

    /** A process that issues: its own identity, stock and claims. */
    Holder holder() {
        return new Holder(this, claims, pool);
    }

    Holder holder(ClaimStore store, NumberPool pool) {
        return new Holder(this, store, pool);
    }

    /** The issuing side of recycling, as one process has it. */
    static final class Holder {
        volatile UUID id = UUID.randomUUID();
        volatile boolean valid = true;
        final ClaimStock stock;
        final PoolDepths told;
        final ClaimPass pass;

        Holder(RecycleWorld world, ClaimStore store, NumberPool pool) {
            this.stock = new ClaimStock(() -> id, HAND_OUT_MAX_NANOS, world.nanos::get);
            this.told = new PoolDepths(world.nanos::get);
            this.pass = new ClaimPass(
                    stock,
                    store,
                    ClaimGuard.blind(),
                    pool,
                    world.pushes,
                    told,
                    () -> id,
                    () -> valid,
                    ClaimSettings.DEFAULT,
                    world.nanos::get,
                    RecycleMeter.NOOP);
        }

        /** Lets the sequence look as if nobody had asked for a long time. */
        void nobodyAsks(int sequence) {
            stock.shelf(sequence).asked.reset();
            stock.shelf(sequence).lastAskedNanos -= 1_000_000_000_000L;
        }

        /** Asks once, so that the sequence counts as being issued, and lets the pass look at the pool. */
        ClaimReport refill(RecycleWorld world, int sequence) {
            stock.shelf(sequence).asked.increment();
            world.nanos.addAndGet(600_000_000L);
            return await(pass.run());
        }
    }

    @Override
    public void close() {
        flush();
        await(database.close());
        redis.close();
        await(client.close());
        await(vertx.close());
        try {
            sql.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    int redisDatabase() {
        return redisDatabase;
    }
}
