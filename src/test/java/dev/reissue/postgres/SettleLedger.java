package dev.reissue.postgres;

import dev.reissue.ledger.Ask;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.support.Futures;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A ledger of its own on a real PostgreSQL, with a store to settle in it and a back door to prepare and to look. */
final class SettleLedger implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final PgDatabase database;
    private final Connection back;
    private final String name;
    private long nextValue = 1_000;

    final PgSettleStore store;

    static SettleLedger open(int connections) {
        try {
            return new SettleLedger(connections);
        } catch (SQLException e) {
            throw new IllegalStateException("no ledger", e);
        }
    }

    private SettleLedger(int connections) throws SQLException {
        this.name = TestPostgres.freshDatabase();
        this.back = TestPostgres.connect(name);
        this.database = PgDatabase.keyed(vertx, TestPostgres.uri(name), "settle", connections, 10_000, 30_000);
        this.store = new PgSettleStore(database);
    }

    int sequence(String sequenceName) throws SQLException {
        return (int) number("""
                insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window, recycle,
                  replay_cap, trace, forced)
                values (?, '{seq}', 1, 999999999, 1000, '5 s', '60 s', '120 s', true, 2, false, false) returning id""", sequenceName);
    }

    BatchRange openBatch(int sequence, int size) throws SQLException {
        BatchRange batch = openBatch(sequence, nextValue, nextValue + size - 1);
        nextValue += size + 10;
        return batch;
    }

    BatchRange openBatch(int sequence, long lo, long hi) throws SQLException {
        return new BatchRange(number("""
                insert into batch (sequence_id, period, lo, hi, owner, lease_id, confirmed, abandoned)
                select ?::int4, '', lo, hi, gen_random_uuid(), gen_random_uuid(), bits, bits
                from (select ?::int8 as lo, ?::int8 as hi) r,
                  lateral (select repeat('0', (hi - lo + 1)::int4)::bit varying as bits) z
                returning batch_id""", sequence, lo, hi), lo, hi);
    }

    BatchRange sealedBatch(int sequence, int size) throws SQLException {
        BatchRange batch = openBatch(sequence, size);
        seal(batch, batch.hi());
        return batch;
    }

    void seal(BatchRange batch, long issuedTo) throws SQLException {
        change("""
                update batch set status = 2, issued_to = ?, sealed_at = clock_timestamp(), due_at = clock_timestamp()
                where batch_id = ?""", issuedTo, batch.batchId());
    }

    /** Times a number of generation 0 out, as the expiry does. */
    void timeOut(BatchRange batch, long value) throws SQLException {
        change(
                "update batch set abandoned = set_bit(abandoned, ?::int4, 1) where batch_id = ?",
                value - batch.lo(),
                batch.batchId());
        change("""
                insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, abandon_reason, abandoned_time,
                  replay_deadline)
                select sequence_id, period, ?, batch_id, 3, false, 'timeout', clock_timestamp(), clock_timestamp() + interval '2 min'
                from batch where batch_id = ?""", value, batch.batchId());
    }

    /** Lets the row of a number be claimed for the next holder, as the recycling does. */
    void reissue(long value) throws SQLException {
        change("""
                update issue_log set status = 5, generation = generation + 1, replay_times = replay_times + 1, version = version + 2,
                  owner = gen_random_uuid(), claim_id = gen_random_uuid(), due_at = clock_timestamp() + interval '1 min',
                  replay_deadline = null
                where seq_no = ? and status in (3, 4)""", value);
    }

    /** Puts the row of a number into a state. */
    void setState(long value, int status) throws SQLException {
        change("update issue_log set status = ?::int2, version = version + 1 where seq_no = ?", status, value);
    }

    /** Returns columns of a number's row joined by {@code |}, null where it has none. */
    @Nullable
    String row(long value, String columns) throws SQLException {
        return text("select concat_ws('|', " + columns + ") from issue_log where seq_no = ?", value);
    }

    /** Returns a number's history, oldest first: {@code from>to/generation/reason}. */
    @Nullable
    String history(long value) throws SQLException {
        return text("""
                select string_agg(coalesce(from_status::text, '') || '>' || to_status || '/' || generation
                  || coalesce('/' || reason, ''), ' ' order by id)
                from issue_event where seq_no = ?""", value);
    }

    /** Returns a number's two bits: {@code c}, {@code a}, {@code -}. */
    @Nullable
    String bit(BatchRange batch, long value) throws SQLException {
        return text("""
                select case when get_bit(confirmed, at) = 1 then 'c' else '' end
                  || case when get_bit(abandoned, at) = 1 then 'a' else '' end
                from batch, (select ?::int4 as at) x where batch_id = ?""", value - batch.lo(), batch.batchId());
    }

    List<Answer> settle(Ask... asks) {
        return Futures.get(store.settle(Arrays.stream(asks).map(Ask::item).toList()));
    }

    Answer settleOne(Ask ask) {
        return settle(ask).get(0);
    }

    void change(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement s = prepare(back, sql, parameters)) {
            s.execute();
        }
    }

    long number(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement s = prepare(back, sql, parameters);
                ResultSet r = s.executeQuery()) {
            r.next();
            return r.getLong(1);
        }
    }

    List<Long> numbers(String sql, Object... parameters) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Connection c = connect();
                PreparedStatement s = prepare(c, sql, parameters);
                ResultSet r = s.executeQuery()) {
            while (r.next()) {
                numbers.add(r.getLong(1));
            }
        }
        return numbers;
    }

    /** Opens another back door. */
    Connection connect() throws SQLException {
        return TestPostgres.connect(name);
    }

    /** Returns how many sessions of the store wait for a lock. */
    long blocked() throws SQLException {
        return number("""
                select count(*) from pg_stat_activity
                where datname = current_database() and application_name = 'reissue-settle' and wait_event_type = 'Lock'""");
    }

    @Nullable
    String text(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement s = prepare(back, sql, parameters);
                ResultSet r = s.executeQuery()) {
            return r.next() ? r.getString(1) : null;
        }
    }

    private static PreparedStatement prepare(Connection c, String sql, Object... parameters) throws SQLException {
        PreparedStatement s = c.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            s.setObject(i + 1, parameters[i]);
        }
        return s;
    }

    @Override
    public void close() throws SQLException {
        back.close();
        Futures.get(database.close());
        Futures.get(vertx.close());
    }
}
