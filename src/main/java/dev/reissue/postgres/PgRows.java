package dev.reissue.postgres;

import dev.reissue.recycle.LogRow;
import dev.reissue.recycle.PoolEntry;
import dev.reissue.recycle.ScanScope;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Turns rows and entries of the issue log into parameters, and results into rows. */
final class PgRows {
    private PgRows() {}

    static Long[] ids(List<PoolEntry> entries) {
        return entries.stream().map(PoolEntry::id).toArray(Long[]::new);
    }

    static Long[] versions(List<PoolEntry> entries) {
        return entries.stream().map(PoolEntry::version).toArray(Long[]::new);
    }

    static @Nullable Object sequences(ScanScope scope) {
        List<Integer> ids = scope.sequenceIds();
        return ids == null ? null : ids.toArray(Integer[]::new);
    }

    static LogRow logRow(Row row) {
        return new LogRow(
                row.getLong("id"),
                row.getLong("version"),
                row.getInteger("sequence_id"),
                row.getLong("seq_no"),
                row.getLong("batch_id"),
                row.getInteger("generation"));
    }

    static <T> List<T> toList(RowSet<Row> rows, Function<Row, T> map) {
        List<T> list = new ArrayList<>(rows.size());
        for (Row row : rows) {
            list.add(map.apply(row));
        }
        return list;
    }

    static Row only(RowSet<Row> rows) {
        if (rows.size() != 1) {
            throw new IllegalStateException("a statement that counts gave " + rows.size() + " rows");
        }
        return rows.iterator().next();
    }

    static int numbers(RowSet<Row> rows) {
        return only(rows).getInteger("numbers");
    }
}
