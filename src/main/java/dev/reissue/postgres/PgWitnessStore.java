package dev.reissue.postgres;

import dev.reissue.ledger.WitnessStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/** Beats of witnesses, each call one statement. Any thread. */
public final class PgWitnessStore implements WitnessStore {
    /** Keeps the beat $2 of $1, forgets witnesses that have been silent for a day, and returns the beat that was there before. */
    private static final String BEAT = """
            with kept as (
              insert into witness as w (witness_id, beat) values ($1::uuid, $2::int8)
              on conflict (witness_id) do update set beat = greatest(w.beat, excluded.beat), seen_at = clock_timestamp()
            ), gone as (
              delete from witness where witness_id in (
                select witness_id from witness
                where witness_id <> $1::uuid and seen_at < now() - interval '1 day'
                for update skip locked)
            )
            select coalesce((select beat from witness where witness_id = $1::uuid), 0) as beat
            """;

    private final PgDatabase database;

    /** Creates a store on a pool that nothing slow shares. */
    public PgWitnessStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<Long> beat(UUID witness, long beat) {
        return database.query(BEAT, Tuple.of(witness, beat))
                .map(rows -> PgRows.only(rows).getLong("beat"));
    }
}
