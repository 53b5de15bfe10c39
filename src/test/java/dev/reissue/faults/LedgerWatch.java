package dev.reissue.faults;

import dev.reissue.faults.LedgerView.Batch;
import dev.reissue.faults.LedgerView.Event;
import dev.reissue.faults.LedgerView.Range;
import dev.reissue.faults.LedgerView.Row;
import dev.reissue.faults.LedgerView.Sequence;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Watches the ledger from inside the database, and reads it as plain data. Blocking; the caller's connection. */
final class LedgerWatch {
    /**
     * Notes every step that comes before its time or goes where none may, by the database's clock at the moment of the step. A deadline
     * is compared with the clock after the statement looked at it, so no tolerance is needed.
     */
    private static final String TRIGGERS = """
            create table if not exists fault_early (at timestamptz not null default clock_timestamp(), what text not null);
            create or replace function fault_watch() returns trigger language plpgsql as $$
            declare
              what text;
              window_is interval;
            begin
              if old.status = 3 and new.status in (4, 6) and clock_timestamp() < old.replay_deadline then
                what := 'left the window early';
              elsif new.status = 5 and old.status not in (4, 5) then
                what := 'claimed from another state';
              elsif new.status = 5 and old.status = 4 and new.generation <> old.generation + 1 then
                what := 'claimed without a generation of its own';
              elsif old.status = 5 and new.status = 3 and not new.explicit and clock_timestamp() < old.due_at then
                what := 'timed out early';
              elsif old.status in (2, 6) and new.status not in (old.status, 7) or old.status = 7 and new.status <> 7 then
                what := 'came back from the dead';
              elsif new.version < old.version or new.generation < old.generation then
                what := 'went back';
              elsif new.status = 3 and old.status <> 3 then
                select safety_window into window_is from sequence where id = new.sequence_id;
                if old.status <> 8 and new.replay_deadline < now() + window_is then
                  what := 'rests too short';
                end if;
              end if;
              if what is not null then
                insert into fault_early (what) values (what || ': ' || old::text || ' -> ' || new::text);
              end if;
              return null;
            end $$;
            create or replace function fault_watch_new() returns trigger language plpgsql as $$
            declare
              due timestamptz;
            begin
              if new.status = 3 and not new.explicit then
                select due_at into due from batch where batch_id = new.batch_id;
                if due is null or clock_timestamp() < due then
                  insert into fault_early (what) values ('expired early: ' || new::text);
                end if;
              elsif new.status not in (2, 3, 7) then
                insert into fault_early (what) values ('began in an impossible state: ' || new::text);
              end if;
              return null;
            end $$;
            drop trigger if exists fault_watch on issue_log;
            create trigger fault_watch after update on issue_log for each row execute function fault_watch();
            drop trigger if exists fault_watch_new on issue_log;
            create trigger fault_watch_new after insert on issue_log for each row execute function fault_watch_new();
            """;

    private LedgerWatch() {}

    static void install(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(TRIGGERS);
        }
    }

    /** Returns how many numbers are still on their way to rest. */
    static long moving(Connection c) throws SQLException {
        return number(
                c,
                "select (select count(*) from batch where status = 2)"
                        + " + (select count(*) from issue_log where status in (1, 3, 5))");
    }

    static long open(Connection c) throws SQLException {
        return number(c, "select count(*) from batch where status = 1");
    }

    static long number(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            r.next();
            return r.getLong(1);
        }
    }

    /** Reads the whole ledger. */
    static LedgerView read(Connection c) throws SQLException {
        Map<Integer, Sequence> sequences = new HashMap<>();
        List<String> early = new ArrayList<>();
        try (Statement s = c.createStatement()) {
            ResultSet r = s.executeQuery("""
                    select s.id, s.name, s.first, k.next_value, (extract(epoch from s.confirm_timeout) * 1000)::int8,
                      (extract(epoch from s.safety_window) * 1000)::int8
                    from sequence s join sequence_counter k on k.sequence_id = s.id
                    """);
            while (r.next()) {
                sequences.put(
                        r.getInt(1),
                        new Sequence(
                                r.getString(2),
                                r.getLong(3),
                                r.getLong(4),
                                r.getLong(5),
                                r.getLong(6),
                                new TreeMap<>(),
                                new ArrayList<>(),
                                new ArrayList<>(),
                                new HashMap<>(),
                                new HashMap<>()));
            }
            batches(s, sequences);
            ranges(s, "returned_range", sequences);
            ranges(s, "skipped_range", sequences);
            rows(s, sequences);
            ResultSet e = s.executeQuery("select at || ' ' || what from fault_early order by at limit 1000");
            while (e.next()) {
                early.add(e.getString(1));
            }
        }
        return new LedgerView(sequences, early);
    }

    private static void batches(Statement s, Map<Integer, Sequence> sequences) throws SQLException {
        ResultSet r =
                s.executeQuery("select sequence_id, batch_id, lo, coalesce(issued_to, hi), status, confirmed::text,"
                        + " abandoned::text from batch order by lo");
        while (r.next()) {
            Batch batch = new Batch(
                    r.getLong(2), r.getLong(3), r.getLong(4), r.getInt(5), bits(r.getString(6)), bits(r.getString(7)));
            NavigableMap<Long, Batch> batches = sequence(sequences, r.getInt(1)).batches();
            if (batches.put(batch.lo(), batch) != null) {
                throw new AssertionError("two batches begin at " + batch.lo());
            }
        }
    }

    private static void ranges(Statement s, String table, Map<Integer, Sequence> sequences) throws SQLException {
        ResultSet r = s.executeQuery("select sequence_id, lo, hi from " + table);
        while (r.next()) {
            Sequence sequence = sequence(sequences, r.getInt(1));
            (table.startsWith("returned") ? sequence.returned() : sequence.skipped())
                    .add(new Range(r.getLong(2), r.getLong(3)));
        }
    }

    private static void rows(Statement s, Map<Integer, Sequence> sequences) throws SQLException {
        ResultSet r =
                s.executeQuery("select sequence_id, seq_no, status, generation, holder_generation from issue_log");
        while (r.next()) {
            sequence(sequences, r.getInt(1)).rows().put(r.getLong(2), new Row(r.getInt(3), r.getInt(4), r.getInt(5)));
        }
        ResultSet e = s.executeQuery("select sequence_id, seq_no, to_status, generation from issue_event order by id");
        while (e.next()) {
            sequence(sequences, e.getInt(1))
                    .events()
                    .computeIfAbsent(e.getLong(2), v -> new ArrayList<>(4))
                    .add(new Event(e.getInt(3), e.getInt(4)));
        }
    }

    private static Sequence sequence(Map<Integer, Sequence> sequences, int id) {
        Sequence s = sequences.get(id);
        if (s == null) {
            throw new AssertionError("there is no sequence " + id);
        }
        return s;
    }

    private static BitSet bits(String text) {
        BitSet bits = new BitSet(text.length());
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '1') {
                bits.set(i);
            }
        }
        return bits;
    }
}
