package dev.reissue.support;

import dev.reissue.ledger.CounterMark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The ledger in a real database. Blocking; a connection for each call. */
public final class PgProbe implements LedgerProbe {
    private final String database;

    /** Looks at a database of {@link TestPostgres}. */
    public PgProbe(String database) {
        this.database = database;
    }

    @Override
    public int sequence(long first, long last, int batchSize) {
        int id = (int)
                query("""
                insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window,
                  recycle, replay_cap, trace, forced)
                select 's' || (select count(*) from sequence), '{seq}', ?, ?, ?, '5 s', '60 s', '120 s', true, 2, false, false
                returning id
                """, r -> r.getLong(1), first, last, batchSize).get(0).longValue();
        update(
                "insert into sequence_counter (sequence_id, next_value, issue_floor) values (?, ?, ?)",
                id,
                first,
                first);
        return id;
    }

    @Override
    public void resize(int sequenceId, int batchSize) {
        update("update sequence set batch_size = ? where id = ?", batchSize, sequenceId);
    }

    @Override
    public void raiseFloor(int sequenceId, long nextValue) {
        update(
                "update sequence_counter set next_value = ?, issue_floor = ? where sequence_id = ?",
                nextValue,
                nextValue,
                sequenceId);
    }

    @Override
    public void regress(int sequenceId, CounterMark mark) {
        update(
                "update sequence_counter set revision = ?, next_value = ? where sequence_id = ?",
                mark.revision(),
                mark.nextValue(),
                sequenceId);
        update("delete from batch where sequence_id = ? and lo >= ?", sequenceId, mark.nextValue());
    }

    @Override
    public void beginRepair(int sequenceId, long knownNextValue) {
        update(
                "update sequence_counter set repair_from = next_value, next_value = greatest(next_value, ?),"
                        + " issue_floor = greatest(next_value, ?) where sequence_id = ?",
                knownNextValue,
                knownNextValue,
                sequenceId);
    }

    @Override
    public void confirm(long batchId, long value) {
        update("update batch set confirmed = set_bit(confirmed, (? - lo)::int, 1) where batch_id = ?", value, batchId);
    }

    @Override
    public CounterMark mark(int sequenceId) {
        return query(
                        "select revision, next_value from sequence_counter where sequence_id = ?",
                        r -> new CounterMark(r.getLong(1), r.getLong(2)),
                        sequenceId)
                .get(0);
    }

    @Override
    public List<BatchRow> batches(int sequenceId) {
        return query(
                """
                select batch_id, lo, hi, status, issued_to,
                  suspect or batch_id <= (
                    select suspect_to from sequence_counter c
                    where c.sequence_id = batch.sequence_id and c.period = batch.period),
                  extract(epoch from due_at - clock_timestamp()) * 1000
                from batch where sequence_id = ? order by lo, batch_id
                """,
                r -> new BatchRow(
                        r.getLong(1),
                        r.getLong(2),
                        r.getLong(3),
                        Status.ofCode(r.getInt(4)),
                        r.getLong(5),
                        r.getBoolean(6),
                        r.getLong(7)),
                sequenceId);
    }

    @Override
    public List<Range> returned(int sequenceId) {
        return query(
                "select lo, hi from returned_range where sequence_id = ? order by lo",
                r -> new Range(r.getLong(1), r.getLong(2)),
                sequenceId);
    }

    /** Runs a statement that changes rows, and returns how many. */
    public int update(String sql, Object... parameters) {
        try (Connection c = TestPostgres.connect(database);
                PreparedStatement s = prepare(c, sql, parameters)) {
            return s.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Reads rows. */
    public <T> List<T> query(String sql, RowReader<T> reader, Object... parameters) {
        try (Connection c = TestPostgres.connect(database);
                PreparedStatement s = prepare(c, sql, parameters);
                ResultSet r = s.executeQuery()) {
            List<T> rows = new ArrayList<>();
            while (r.next()) {
                rows.add(reader.read(r));
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static PreparedStatement prepare(Connection c, String sql, Object... parameters) throws SQLException {
        PreparedStatement s = c.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            s.setObject(i + 1, parameters[i]);
        }
        return s;
    }

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T> {
        /** Returns what the row holds. */
        T read(ResultSet row) throws SQLException;
    }
}
