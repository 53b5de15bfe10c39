package dev.reissue.postgres;

/**
 * The statements on idempotency keys. Each one is a transaction of its own and may be repeated. Keys are inserted in their order, or
 * two instances that meet on two keys would wait for each other. Which keys were taken is asked by {@code in}, which is hashed also where
 * hash joins are off, as on connections for keyed statements.
 */
final class KeySql {
    private KeySql() {}

    /**
     * What was handed out under keys: place $1, key $2, end of an issued key in milliseconds since 1970 $3. No row where a key is free.
     * A number is gone where its row has come to another generation, or has left its holder for good or for the pool.
     *
     * <p>The look-up is a subquery of its own, so that it goes by the primary key whatever the planner believes about the table.
     */
    static final String FIND = """
            select k.place, r.key_id is not null as used, r.request, r.batch_id, r.first, r.numbers, r.generation, r.more,
              g.seq_no as gone, g.status as gone_status, g.generation as gone_generation
            from unnest($1::int4[], $2::uuid[], $3::int8[]) as k(place, key_id, not_after)
              left join lateral (
                select * from idempotent_next n
                where n.key_id = k.key_id and n.expires_at > clock_timestamp()
                limit 1) r on true
              left join lateral (
                select l.seq_no, l.status, l.generation
                from (
                    select r.first as lo, r.numbers::int8 as numbers, r.generation::int8 as generation
                    union all
                    select r.more[i + 1], r.more[i + 2], r.more[i + 3]
                    from generate_series(1, coalesce(cardinality(r.more), 0), 4) as i) s
                  join issue_log l on l.sequence_id = r.sequence_id and l.period = r.period
                    and l.seq_no between s.lo and s.lo + s.numbers - 1
                where l.generation > s.generation or l.status::int4 in (4, 6, 7, 8)
                order by l.seq_no
                limit 1) g on r.key_id is not null
            where r.key_id is not null
              or k.not_after < (extract(epoch from clock_timestamp()) * 1000)::int8
            """;

    /** Whether one of the keys $1 is used at all: nearly always none is, and this costs a third of {@link #FIND}. */
    static final String ANY_USED = """
            select exists (
              select from idempotent_next where key_id = any($1::uuid[]) and expires_at > clock_timestamp()) as used
            """;

    /**
     * Keeps numbers, sorted by key: key $1, request $2, sequence $3, batch $4, first value $5, how many $6, generation $7, further runs $8,
     * for $9 milliseconds. Fails as a whole where one of the keys was used before, or is expired and not yet swept.
     */
    static final String RECORD_NEW = """
            insert into idempotent_next as r (key_id, request, sequence_id, batch_id, first, numbers, generation, more, expires_at)
            select g.key_id, g.request, g.sequence_id, g.batch_id, g.first, g.numbers, g.generation, g.more::int8[],
              clock_timestamp() + $9::int8 * interval '1 millisecond'
            from unnest($1::uuid[], $2::int8[], $3::int4[], $4::int8[], $5::int8[], $6::int4[], $7::int4[], $8::text[])
              as g(key_id, request, sequence_id, batch_id, first, numbers, generation, more)
            """;

    /** The same, each of the keys for itself: those that were used before keep what they have. It costs half as much again. */
    static final String RECORD = RECORD_NEW + """
            on conflict (key_id) do update
            set request = excluded.request, sequence_id = excluded.sequence_id, batch_id = excluded.batch_id,
              first = excluded.first, numbers = excluded.numbers, generation = excluded.generation, more = excluded.more,
              expires_at = excluded.expires_at
            where r.expires_at <= clock_timestamp()
            """;

    /** The keys $1 that stand for just these numbers: request $2, batch $3, first value $4, generation $5. */
    static final String KEPT = """
            select r.key_id
            from unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[], $5::int4[])
                as g(key_id, request, batch_id, first, generation)
              join lateral (select * from idempotent_next n where n.key_id = g.key_id limit 1) r
                on r.request = g.request and r.batch_id = g.batch_id and r.first = g.first and r.generation = g.generation
            """;

    /**
     * Takes keys for calls: place $1, key $2, request $3, attempt $4, end of an issued key $5; a call may run for $6 milliseconds, what is
     * known about a key is kept for $7. Takes over what has expired, and what the same request left running.
     *
     * <p>{@code r} is as it was before this statement. Where it is not there although the key could not be taken, another request came
     * in between.
     */
    static final String BEGIN = """
            with g as materialized (
              select g.*, coalesce(r.key_id is null
                  and g.not_after < (extract(epoch from clock_timestamp()) * 1000)::int8, false) as over
              from unnest($1::int4[], $2::uuid[], $3::int8[], $4::uuid[], $5::int8[])
                  as g(place, key_id, request, attempt, not_after)
                left join lateral (
                  select x.key_id from idempotent_call x where x.key_id = g.key_id and x.expires_at > clock_timestamp() limit 1) r
                  on true
            ), i as (
              insert into idempotent_call as r (key_id, request, attempt, running_until, expires_at)
              select g.key_id, g.request, g.attempt, clock_timestamp() + $6::int8 * interval '1 millisecond',
                clock_timestamp() + $7::int8 * interval '1 millisecond'
              from g
              where not g.over
              order by g.key_id
              on conflict (key_id) do update
              set request = excluded.request, attempt = excluded.attempt, running_until = excluded.running_until,
                expires_at = excluded.expires_at, status = null, body = null
              where r.expires_at <= clock_timestamp()
                or (r.status is null and r.request = excluded.request
                  and (r.running_until <= clock_timestamp() or r.attempt = excluded.attempt))
              returning r.key_id
            )
            select t.place, t.taken, t.over, r.request, r.status, r.body
            from (select g.*, g.key_id in (select i.key_id from i) as taken from g) t
              left join lateral (
                select * from idempotent_call x where x.key_id = t.key_id and not t.taken limit 1) r on true
            """;

    /**
     * Ends attempts: place $1, key $2, attempt $3, status $4 (null frees the key), body $5. Returns the places of those that still had
     * their keys.
     */
    static final String END = """
            with g as materialized (
              select * from unnest($1::int4[], $2::uuid[], $3::uuid[], $4::int2[], $5::text[])
                as g(place, key_id, attempt, status, body)
            ), l as materialized (
              select r.key_id, g.place, g.status, g.body
              from g join idempotent_call r on r.key_id = g.key_id and r.attempt = g.attempt
              order by r.key_id
              for update of r
            ), kept as (
              update idempotent_call r set status = l.status, body = l.body
              from l
              where r.key_id = l.key_id and l.status is not null
            ), freed as (
              delete from idempotent_call r using l where r.key_id = l.key_id and l.status is null
            )
            select place from l
            """;

    /** Deletes up to $1 expired entries of numbers. {@code now()} does not move within a statement, so that it can bound an index. */
    static final String SWEEP_NEXT = """
            with gone as (
              delete from idempotent_next
              where ctid = any(array(
                select ctid from idempotent_next
                where expires_at <= now()
                order by expires_at
                limit $1::int4
                for update skip locked))
              returning 1)
            select count(*)::int4 as keys from gone
            """;

    /** Deletes up to $1 expired entries of answers. */
    static final String SWEEP_CALL = """
            with gone as (
              delete from idempotent_call
              where ctid = any(array(
                select ctid from idempotent_call
                where expires_at <= now()
                order by expires_at
                limit $1::int4
                for update skip locked))
              returning 1)
            select count(*)::int4 as keys from gone
            """;

    /** What the database's clock says, in milliseconds since 1970. */
    static final String NOW = "select (extract(epoch from clock_timestamp()) * 1000)::int8 as now_ms";
}
