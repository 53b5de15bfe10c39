package dev.reissue.postgres;

import dev.reissue.sequence.UsageStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** How far sequences are used up, by their counters; what was returned counts as used. Any thread. */
public final class PgUsageStore implements UsageStore {
    // As floating point: the number of values of an unbounded sequence does not fit 64 bits.
    private static final String MOST_USED = """
            select s.tenant, s.name,
                   least(1, (c.next_value::float8 - s.first::float8) / (s.last::float8 - s.first::float8 + 1)) as ratio
            from sequence s join sequence_counter c on c.sequence_id = s.id
            order by ratio desc
            limit $1::int4
            """;

    private final PgDatabase database;

    /** Creates the store. */
    public PgUsageStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<List<Usage>> mostUsed(int limit) {
        return database.query(MOST_USED, Tuple.of(limit)).map(rows -> {
            List<Usage> usages = new ArrayList<>();
            for (Row row : rows) {
                usages.add(new Usage(row.getString("tenant"), row.getString("name"), row.getDouble("ratio")));
            }
            return usages;
        });
    }
}
