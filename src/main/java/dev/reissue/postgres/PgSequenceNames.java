package dev.reissue.postgres;

import dev.reissue.recycle.SequenceNames;
import dev.reissue.sequence.NumberFormat;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The names of sequences, in PostgreSQL. Any thread. */
public final class PgSequenceNames implements SequenceNames {
    private static final String NAMES = "select id, tenant, name, format from sequence where id = any($1::int4[])";

    private final PgDatabase database;

    /** Creates the store. */
    public PgSequenceNames(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<Map<Integer, Named>> named(Set<Integer> sequenceIds) {
        return database.query(NAMES, Tuple.of(sequenceIds.toArray(Integer[]::new)))
                .map(rows -> {
                    Map<Integer, Named> names = new HashMap<>();
                    for (Row row : rows) {
                        names.put(
                                row.getInteger("id"),
                                new Named(
                                        row.getString("tenant"),
                                        row.getString("name"),
                                        NumberFormat.parse(row.getString("format"))));
                    }
                    return names;
                });
    }
}
