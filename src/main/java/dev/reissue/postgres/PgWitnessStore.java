package dev.reissue.postgres;

import dev.reissue.ledger.WitnessStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/** Beats of witnesses, each call one statement. Any thread. */
public final class PgWitnessStore implements WitnessStore {
    /**
     * Keeps the beat $2 of $1 where $3 is remembered, forgets witnesses that have been silent for a day, and returns the beat that was
     * there before.
     */
    private static final String BEAT = """
            with kept as (
              insert into witness as w (witness_id, beat)
              values ($1::uuid, case when $3::int8 = 0 then $2::int8 else 0 end)
              on conflict (witness_id) do update
              set beat = case when w.beat >= $3::int8 then greatest(w.beat, $2::int8) else w.beat end, seen_at = clock_timestamp()
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
    public Future<Long> beat(UUID witness, long beat, long acknowledged) {
        return database.query(BEAT, Tuple.of(witness, beat, acknowledged))
                .map(rows -> PgRows.only(rows).getLong("beat"));
    }
}
