package dev.reissue.postgres;

/**
 * The statements on batches, their counters and returned ranges. Each one is a transaction of its own.
 *
 * <p>Locks are taken in one order everywhere: batches by id, then counters by sequence and period, then returned ranges. A
 * counter's row lock orders the leases of its sequence, so what a lease takes from the counter is computed from the row that it
 * locked, never from an earlier read.
 *
 * <p>A batch that is named by its id is guarded by {@code status::int4}: the partial index of open batches cannot serve that, so it is
 * found by its primary key, however few batches were open when the statement was planned.
 */
final class BatchSql {
    private BatchSql() {}

    /**
     * Leases up to $5 batches: {@code piece} from returned ranges (adjacent ones folded, cut to the batch size, the rest put
     * back), then fresh ones from the counter. Where the counter is below the revision $6 or the next value $7, which are known, or its
     * repair is not through, nothing changes: if it moved, others would take it for sound. One row a batch, or one row without a batch
     * where the sequence is at its end, or none where there is no such counter.
     */
    static final String LEASE = """
            with c as materialized (
              select k.next_value, k.issue_floor, k.revision, s.batch_size::int8 as size, s.last,
                k.revision >= $6::int8 and k.next_value >= $7::int8 and k.repair_from is null as sound,
                k.repair_from is not null as repairing
              from sequence_counter k join sequence s on s.id = k.sequence_id
              where k.sequence_id = $1::int4 and k.period = $2::text
              for update of k
            ), r as materialized (
              select x.id, x.lo, x.hi
              from c cross join lateral (
                select id, lo, hi from returned_range
                where sequence_id = $1::int4 and period = $2::text and lo >= c.issue_floor and c.sound
                order by lo
                limit least(16 * $5::int4, 1000)
                for update skip locked) x
            ), piece as materialized (
              select f.lo + n * c.size as lo, least(f.lo + (n + 1) * c.size - 1, f.hi) as hi
              from c cross join (
                select lower(g) as lo, upper(g) - 1 as hi
                from (select unnest(range_agg(int8range(lo, hi, '[]'))) as g from r) folded) f
              cross join lateral generate_series(0::int8, least((f.hi - f.lo) / c.size, $5::int8 - 1)) n
              order by 1
              limit $5::int4
            ), u as (
              update sequence_counter k
              set next_value = greatest(k.next_value, least(k.next_value + w.fresh * c.size, c.last + 1)),
                  revision = k.revision + 1
              from c, (select $5::int8 - count(*) as fresh from piece) w
              where k.sequence_id = $1::int4 and k.period = $2::text and c.sound
              returning c.next_value as lo, k.next_value - 1 as hi, c.size, k.next_value, k.revision
            ), gone as (
              delete from returned_range t using r
              where t.id = r.id and r.lo <= (select max(hi) from piece)
            ), rest as (
              insert into returned_range (sequence_id, period, lo, hi)
              select $1::int4, $2::text, m.hi + 1, r.hi
              from r join (select max(hi) as hi from piece) m on m.hi between r.lo and r.hi - 1
            ), b as (
              insert into batch (sequence_id, period, lo, hi, owner, lease_id, confirmed, abandoned)
              select $1::int4, $2::text, p.lo, p.hi, $3::uuid, $4::uuid, z.bits, z.bits
              from (
                select lo, hi from piece
                union all
                select n, least(n + u.size - 1, u.hi) from u cross join lateral generate_series(u.lo, u.hi, u.size) n
                order by 1) p
              cross join lateral (select "bit"(0, (p.hi - p.lo + 1)::int4)::bit varying as bits) z
              returning batch_id, lo, hi
            )
            select b.batch_id, b.lo, b.hi, coalesce(u.revision, c.revision) as revision,
              coalesce(u.next_value, c.next_value) as next_value, c.repairing
            from c left join u on true left join b on true
            order by b.lo
            """;

    /** The batches $2 of owner $1 that are still OPEN, locked, each with the last value handed out from $3. */
    private static final String NAMED = """
            with l as materialized (
              select b.batch_id, b.sequence_id, b.period, b.lo, b.hi, b.confirmed | b.abandoned as bits, s.issued_to
              from unnest($2::int8[], $3::int8[]) as s(batch_id, issued_to) join batch b on b.batch_id = s.batch_id
              where b.owner = $1::uuid and b.status::int4 = 1
              order by b.batch_id
              for update of b
            )""";

    /** The batches that owner $1 leased under $2 and that are still OPEN, locked, nothing handed out. */
    private static final String OF_LEASE = """
            with l as materialized (
              select b.batch_id, b.sequence_id, b.period, b.lo, b.hi, b.confirmed | b.abandoned as bits, b.lo - 1 as issued_to
              from batch b
              where b.owner = $1::uuid and b.lease_id = $2::uuid and b.status = 1
              order by b.batch_id
              for update
            )""";

    /**
     * Ends the batches of {@code l}. What lies above the last value handed out is returned, a batch of which nothing was handed
     * out is deleted; but where a value above has a bit or a row, somebody knows better, and the batch keeps all of its values.
     * One row a batch that ended; only what an UPDATE or DELETE returned has happened.
     */
    private static final String END = """
            , d as materialized (
              select l.batch_id, l.sequence_id, l.period, l.lo, l.hi,
                case
                  when l.issued_to not between l.lo - 1 and l.hi then l.hi
                  when bit_count(substring(l.bits from (l.issued_to - l.lo + 2)::int4)) > 0 then l.hi
                  when exists (select from issue_log i where i.sequence_id = l.sequence_id and i.period = l.period
                                 and i.seq_no between l.issued_to + 1 and l.hi) then l.hi
                  else l.issued_to
                end as issued_to
              from l
            ), c as materialized (
              select k.sequence_id, k.period from sequence_counter k
              where exists (select from d where d.sequence_id = k.sequence_id and d.period = k.period and d.issued_to < d.hi)
              order by k.sequence_id, k.period
              for update
            ), u as (
              update sequence_counter k set revision = k.revision + 1
              from c where k.sequence_id = c.sequence_id and k.period = c.period
            ), t as materialized (
              select clock_timestamp() as now
            ), sealed as (
              update batch b
              set status = 2, issued_to = d.issued_to, sealed_at = t.now, due_at = t.now + s.confirm_timeout
              from d cross join t join sequence s on s.id = d.sequence_id
              where b.batch_id = d.batch_id and b.status::int4 = 1 and d.issued_to >= d.lo
              returning b.batch_id
            ), untouched as (
              delete from batch b using d where b.batch_id = d.batch_id and b.status::int4 = 1 and d.issued_to < d.lo
              returning b.batch_id
            ), ended as (
              select batch_id from sealed union all select batch_id from untouched
            ), returned as (
              insert into returned_range (sequence_id, period, lo, hi)
              select d.sequence_id, d.period, d.issued_to + 1, d.hi from d join ended using (batch_id) where d.issued_to < d.hi
            )
            select batch_id from ended
            """;

    /** Seals the batches $2 of owner $1, handed out up to $3. */
    static final String SEAL = NAMED + END;

    /** Returns what owner $1 leased under $2 and never heard of. */
    static final String RETURN_LOST = OF_LEASE + END;

    /**
     * What begins a repair, for the counters {@code k} with known values {@code m}: until {@link #RAISE_ABOVE}, which may be sent by whoever
     * comes next, nothing of them is leased or claimed. The counter goes to the known value at least; no returned range below it is leased
     * any more; and all batches there are may stand for numbers that were handed out or settled in the lost time.
     */
    private static final String FENCED = """
            update sequence_counter k
            set repair_from = coalesce(k.repair_from, k.next_value),
              suspect_to = greatest(k.suspect_to, (select max(b.batch_id) from batch b)),
              next_value = greatest(k.next_value, m.next_value),
              issue_floor = greatest(k.issue_floor, k.next_value, m.next_value)
            """;

    /** Begins the repair of $1, $2, of which the next value $3 is known. */
    static final String FENCE = FENCED + """
            from (select $3::int8 as next_value) m
            where k.sequence_id = $1::int4 and k.period = $2::text
            returning k.next_value
            """;

    /** Begins the repair of all counters; of $1, $2 the next values $3 are known. */
    static final String FENCE_ALL = """
            with m as materialized (
              select c.sequence_id, c.period, coalesce(g.next_value, c.next_value) as next_value
              from sequence_counter c
                left join unnest($1::int4[], $2::text[], $3::int8[]) as g(sequence_id, period, next_value)
                  on g.sequence_id = c.sequence_id and g.period = c.period
              order by c.sequence_id, c.period
              for update of c
            )
            """ + FENCED + """
            from m
            where k.sequence_id = m.sequence_id and k.period = m.period
            """;

    /**
     * Raises the counter of $1, $2 above what is known of it ($5 revision, $6 next value), and ends its repair. The numbers of the lease
     * $4 of owner $3, the returned ranges, and whatever the counter jumped over since the repair began and is in no batch, become sealed,
     * suspect batches of at most $7 values, at most $8 of them; what is beyond that many counts as skipped. Batches that were leased while
     * the fence waited for the counter are suspect too.
     */
    static final String RAISE_ABOVE = """
            with l as materialized (
              select batch_id from batch
              where owner = $3::uuid and lease_id = $4::uuid and status = 1
              order by batch_id
              for update
            ), c as materialized (
              select k.next_value, coalesce(k.repair_from, k.next_value) as repair_from from sequence_counter k
              where k.sequence_id = $1::int4 and k.period = $2::text and (select count(*) from l) >= 0
              for update
            ), u as (
              update sequence_counter k
              set next_value = greatest(k.next_value, $6::int8), revision = greatest(k.revision, $5::int8) + 1, repair_from = null,
                suspect_to = greatest(k.suspect_to, (select max(x.batch_id) from batch x))
              from c where k.sequence_id = $1::int4 and k.period = $2::text
              returning k.revision, k.next_value
            ), leased as (
              delete from batch b using l, c where b.batch_id = l.batch_id returning b.lo, b.hi
            ), returned as (
              delete from returned_range r using c where r.sequence_id = $1::int4 and r.period = $2::text returning r.lo, r.hi
            ), jumped as (
              select coalesce(
                (select range_agg(int8range(c.repair_from, greatest(c.next_value, $6::int8)))
                  from c where c.repair_from < greatest(c.next_value, $6::int8)), '{}'::int8multirange)
                - coalesce(
                  (select range_agg(int8range(b.lo, coalesce(b.issued_to, b.hi), '[]')) from batch b cross join c
                    where b.sequence_id = $1::int4 and b.period = $2::text and b.lo >= c.repair_from), '{}'::int8multirange)
                - coalesce(
                  (select range_agg(int8range(x.lo, x.hi, '[]')) from skipped_range x cross join c
                    where x.sequence_id = $1::int4 and x.period = $2::text and x.lo >= c.repair_from), '{}'::int8multirange)
                as spans
            ), lost as (
              select int8range(lo, hi, '[]') as span from leased
              union all select int8range(lo, hi, '[]') from returned
              union all select unnest(spans) from jumped
            ), suspect as (
              select unnest((select range_agg(span) from lost)) as span
            ), chunk as (
              select n as lo, least(n + $7::int8 - 1, upper(span) - 1) as hi
              from suspect cross join lateral
                generate_series(lower(span), least(upper(span) - 1, lower(span) + ($8::int8 - 1) * $7::int8), $7::int8) n
              order by 1
              limit $8::int4
            ), skipped as (
              insert into skipped_range (sequence_id, period, lo, hi)
              select $1::int4, $2::text, lower(g), upper(g) - 1
              from (select unnest((select range_agg(span) from suspect)
                      - (select range_agg(int8range(lo, hi, '[]')) from chunk)) as g) beyond
            ), t as materialized (
              select clock_timestamp() as now
            ), b as (
              insert into batch (sequence_id, period, lo, hi, owner, lease_id, issued_to, sealed_at, due_at, confirmed, abandoned,
                status, suspect)
              select $1::int4, $2::text, x.lo, x.hi, '00000000-0000-0000-0000-000000000000', $4::uuid, x.hi, t.now,
                t.now + s.confirm_timeout, z.bits, z.bits, 2, true
              from chunk x cross join t join sequence s on s.id = $1::int4
              cross join lateral (select "bit"(0, (x.hi - x.lo + 1)::int4)::bit varying as bits) z
            )
            select revision, next_value from u
            """;
}
