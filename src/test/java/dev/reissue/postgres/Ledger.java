package dev.reissue.postgres;

import dev.reissue.audit.AuditStore.Gap;
import dev.reissue.audit.Fate;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A ledger made up at random, written as the service would have written it, together with the fate of each value, which is the
 * model that the statements are held against. One thread.
 */
final class Ledger {
    private static final Fate[] ROW_FATES = {
        Fate.ALLOCATED,
        Fate.CONFIRMED,
        Fate.ABANDONED,
        Fate.REPLAYABLE,
        Fate.REPLAYED,
        Fate.RETIRED,
        Fate.VOID,
        Fate.DEAD
    };
    private static final Set<Fate> NO_GAP = EnumSet.of(Fate.CONFIRMED, Fate.RETIRED, Fate.VOID);

    final int sequenceId;
    final long first;
    final long nextValue;
    final long floor;

    private final Connection connection;
    private final Random random;
    private final boolean faulty;
    private final Fate[] fates;

    /** Writes a ledger; a faulty one has values that no record explains. */
    Ledger(Connection connection, String name, Random random, boolean faulty) throws SQLException {
        this.connection = connection;
        this.random = random;
        this.faulty = faulty;
        this.first = random.nextInt(3);
        this.sequenceId = (int) number("insert into sequence (name, format, first, last, batch_size, batch_open_max,"
                + " confirm_timeout, safety_window, recycle, replay_cap, trace, forced) values ('" + name
                + "', '{seq}', " + first + ", 999999999999999999, 100, '5 s', '60 s', '120 s', true, 2, false, false)"
                + " returning id");
        List<Fate> values = new ArrayList<>();
        int pieces = random.nextInt(12);
        for (int i = 0; i < pieces; i++) {
            addPiece(values);
        }
        this.fates = values.toArray(Fate[]::new);
        this.nextValue = first + fates.length;
        this.floor = first + (fates.length == 0 ? 0 : random.nextInt(fates.length + 1));
        number("insert into sequence_counter values (" + sequenceId + ", '', " + nextValue + ", " + floor
                + ", 1) returning revision");
    }

    private void addPiece(List<Fate> values) throws SQLException {
        long lo = first + values.size();
        int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 200 : 12);
        int kind = random.nextInt(10);
        if (kind == 0) {
            range("returned_range", lo, lo + length - 1);
            add(values, Fate.RETURNED, length);
        } else if (kind == 1) {
            range("skipped_range", lo, lo + length - 1);
            add(values, Fate.NEVER_ISSUED, length);
        } else if (kind == 2 && faulty) {
            add(values, Fate.UNACCOUNTED, length);
        } else {
            addBatch(values, lo, length);
        }
    }

    /** Adds a batch that reached beyond what it stands for: what lies above was returned, and leased again by the next piece. */
    private void addBatch(List<Fate> values, long lo, int length) throws SQLException {
        int status = 1 + random.nextInt(3);
        int beyond = status == 1 ? 0 : random.nextInt(50);
        StringBuilder confirmed = new StringBuilder();
        StringBuilder abandoned = new StringBuilder();
        int settled = random.nextInt(3);
        for (int i = 0; i < length; i++) {
            int what = settled == 0 ? 9 : random.nextInt(10);
            boolean confirmedBit = what < 5 + settled && (what != 4 || settled == 2);
            boolean row = (what >= 8 && settled > 0) || (what == 0 && random.nextInt(4) == 0);
            boolean abandonedBit = !confirmedBit && row && random.nextInt(8) > 0;
            Fate fate = confirmedBit ? Fate.CONFIRMED : status == 1 ? Fate.LEASED : Fate.ALLOCATED;
            if (!confirmedBit && !row && status == 3) {
                if (faulty) {
                    fate = Fate.UNACCOUNTED;
                } else {
                    confirmedBit = true;
                    fate = Fate.CONFIRMED;
                }
            }
            if (faulty && !confirmedBit && !row && random.nextInt(6) == 0) {
                abandonedBit = true;
                fate = Fate.UNACCOUNTED;
            }
            if (row) {
                fate = ROW_FATES[random.nextInt(ROW_FATES.length)];
                row(lo + i, fate);
            }
            confirmed.append(confirmedBit ? '1' : '0');
            abandoned.append(abandonedBit ? '1' : '0');
            values.add(fate);
        }
        batch(lo, length, beyond, status, confirmed + "0".repeat(beyond), abandoned + "0".repeat(beyond));
    }

    private static void add(List<Fate> values, Fate fate, int count) {
        for (int i = 0; i < count; i++) {
            values.add(fate);
        }
    }

    private void range(String table, long lo, long hi) throws SQLException {
        number("insert into " + table + " (sequence_id, period, lo, hi) values (" + sequenceId + ", '', " + lo + ", "
                + hi + ") returning id");
    }

    private void row(long value, Fate fate) throws SQLException {
        number("insert into issue_log (sequence_id, period, seq_no, batch_id, status) values (" + sequenceId + ", '', "
                + value + ", 1, " + fate.code() + ") returning id");
    }

    private void batch(long lo, int length, int beyond, int status, String confirmed, String abandoned)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into batch (sequence_id, period, lo, hi, owner, lease_id, issued_to, confirmed, abandoned, status)"
                        + " values (?, '', ?, ?, gen_random_uuid(), gen_random_uuid(), ?, ?::text::varbit, ?::text::varbit, ?)")) {
            insert.setInt(1, sequenceId);
            insert.setLong(2, lo);
            insert.setLong(3, lo + length + beyond - 1);
            insert.setObject(4, status == 1 ? null : lo + length - 1, java.sql.Types.BIGINT);
            insert.setString(5, confirmed);
            insert.setString(6, abandoned);
            insert.setInt(7, status);
            insert.executeUpdate();
        }
    }

    private long number(String sql) throws SQLException {
        ResultSet result = connection.createStatement().executeQuery(sql);
        result.next();
        return result.getLong(1);
    }

    /** Returns the fate of a value as the model has it. */
    Fate fate(long value) {
        return value < first || value >= nextValue ? Fate.NEVER_ISSUED : fates[(int) (value - first)];
    }

    /** Counts a range value by value. */
    Map<Fate, Long> counts(long from, long to) {
        Map<Fate, Long> counts = new EnumMap<>(Fate.class);
        for (long value = from; value <= to; value++) {
            counts.merge(fate(value), 1L, Long::sum);
        }
        return counts;
    }

    /** Counts, value by value, what may still be issued. */
    long stillIssuable(long from, long to) {
        long count = 0;
        for (long value = from; value <= to; value++) {
            boolean live = (fate(value) == Fate.RETURNED && value >= floor) || value >= nextValue;
            count += live ? 1 : 0;
        }
        return count;
    }

    /** Walks a range and returns its gaps. */
    List<Gap> gaps(long from, long to) {
        List<Gap> gaps = new ArrayList<>();
        long start = Math.max(from, first);
        long end = Math.min(to, nextValue - 1);
        EnumSet<Fate> found = EnumSet.noneOf(Fate.class);
        for (long value = start; value <= end + 1; value++) {
            boolean gap = value <= end && !NO_GAP.contains(fate(value));
            if (gap) {
                if (found.isEmpty()) {
                    start = value;
                }
                found.add(fate(value));
            } else if (!found.isEmpty()) {
                gaps.add(new Gap(start, value - 1, List.copyOf(found)));
                found.clear();
            }
        }
        return gaps;
    }
}
