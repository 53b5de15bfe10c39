package dev.reissue.postgres;

/** The statements that read the ledger for an audit. Each sees one moment. Codes above 8 are those of {@code audit.Fate}. */
final class AuditSql {

    /**
     * $1 sequence, $2 period, $3 value, $4 events: one row. What two batches stand for never overlaps, so the batch with the
     * nearest {@code lo} is the only one that can have the value.
     */
    static final String NUMBER = """
            select s.first, coalesce(c.next_value, s.first) as next_value,
                b.batch_id, b.lo, b.hi, b.batch_status, b.issued_to, b.opened_at, b.sealed_at, b.batch_due_at,
                b.suspect or b.batch_status < 3 and b.batch_id <= c.suspect_to as suspect,
                b.confirmed, b.abandoned,
                i.status, i.batch_id as row_batch_id, i.generation, i.holder_generation, i.biz_key, i.explicit,
                i.abandon_reason, i.issued_time, i.abandoned_time, i.replay_deadline, i.due_at, i.replay_times, i.version,
                i.changed_at, i.settled_by, i.trace_id,
                d.dead_reason, d.dead_time,
                coalesce(r.hi >= $3::int8, false) as returned, coalesce(k.hi >= $3::int8, false) as skipped,
                e.at, e.from_status, e.to_status, e.event_generation, e.reason, e.actor, e.event_trace_id
            from sequence s
            left join sequence_counter c on c.sequence_id = s.id and c.period = $2::text
            left join lateral (
                select x.batch_id, x.lo, x.hi, x.status as batch_status, x.issued_to, x.opened_at, x.sealed_at,
                    x.due_at as batch_due_at, x.suspect,
                    get_bit(x.confirmed, ($3::int8 - x.lo)::int4) = 1 as confirmed,
                    get_bit(x.abandoned, ($3::int8 - x.lo)::int4) = 1 as abandoned
                from (select * from batch n
                      where n.sequence_id = $1::int4 and n.period = $2::text and n.lo <= $3::int8
                      order by n.lo desc limit 1) as x
                where $3::int8 <= coalesce(x.issued_to, x.hi)) as b on true
            left join issue_log i on i.sequence_id = s.id and i.period = $2::text and i.seq_no = $3::int8
            left join issue_dead d on d.id = i.id and i.status = 8
            left join lateral (
                select x.hi from returned_range x
                where x.sequence_id = $1::int4 and x.period = $2::text and x.lo <= $3::int8
                order by x.lo desc limit 1) as r on true
            left join lateral (
                select x.hi from skipped_range x
                where x.sequence_id = $1::int4 and x.period = $2::text and x.lo <= $3::int8
                order by x.lo desc limit 1) as k on true
            left join lateral (
                select array_agg(x.at order by x.id) as at, array_agg(x.from_status order by x.id) as from_status,
                    array_agg(x.to_status order by x.id) as to_status,
                    array_agg(x.generation order by x.id) as event_generation,
                    array_agg(x.reason order by x.id) as reason, array_agg(x.actor order by x.id) as actor,
                    array_agg(x.trace_id order by x.id) as event_trace_id
                from (select * from issue_event n
                      where n.sequence_id = $1::int4 and n.period = $2::text and n.seq_no = $3::int8
                      order by n.id desc limit $4::int4) as x) as e on true
            where s.id = $1::int4
            """;

    /** $1 sequence, $2 period. */
    static final String HIGH_WATER =
            "select next_value from sequence_counter where sequence_id = $1::int4 and period = $2::text";

    /**
     * What the ledger has of $3..$4 of sequence $1, period $2. {@code b}: batches, cut to the range. {@code p}: each with its
     * bits and its rows counted, so that {@code bare} rows are those without a bit, {@code pending} values have neither bit nor
     * row, an {@code orphan} has an abandoned bit but no row, and so many gaps at least have their {@code ends} inside: a pending
     * value, then a confirmed one. {@code t} and {@code k}: returned and skipped ranges.
     */
    private static final String SOURCES = """
            with c as materialized (
                select s.first, coalesce(x.next_value, s.first) as next_value, coalesce(x.issue_floor, s.first) as floor
                from sequence s left join sequence_counter x on x.sequence_id = s.id and x.period = $2::text
                where s.id = $1::int4),
            b as materialized (
                select x.status, f.lo, f.hi,
                    substring(x.confirmed from (f.lo - x.lo + 1)::int4 for (f.hi - f.lo + 1)::int4) as confirmed,
                    substring(x.abandoned from (f.lo - x.lo + 1)::int4 for (f.hi - f.lo + 1)::int4) as abandoned
                from batch x
                cross join lateral (select greatest(x.lo, $3::int8) as lo,
                                        least(coalesce(x.issued_to, x.hi), $4::int8) as hi) as f
                where x.sequence_id = $1::int4 and x.period = $2::text and x.lo <= $4::int8
                    and x.lo >= coalesce((select max(n.lo) from batch n
                        where n.sequence_id = $1::int4 and n.period = $2::text and n.lo <= $3::int8), $3::int8)
                    and coalesce(x.issued_to, x.hi) >= $3::int8),
            p as materialized (
                select b.*, q.n, q.confirmed_bits - r.confirmed as confirmed_alone, q.abandoned_bits - r.abandoned as orphans,
                    r.bare, q.n - q.confirmed_bits - q.abandoned_bits - r.bare as pending,
                    greatest(q.ends - r.confirmed - r.bare, 0) as ends
                from b
                cross join lateral (select b.hi - b.lo + 1 as n, bit_count(b.confirmed) as confirmed_bits,
                                        bit_count(b.abandoned) as abandoned_bits,
                                        bit_count(~(b.confirmed | b.abandoned) & (b.confirmed << 1)) as ends) as q
                cross join lateral (
                    select count(*) filter (where m.confirmed = 1) as confirmed,
                        count(*) filter (where m.abandoned = 1 and m.confirmed = 0) as abandoned,
                        count(*) filter (where m.abandoned = 0 and m.confirmed = 0) as bare
                    from issue_log i
                    cross join lateral (select get_bit(b.confirmed, (i.seq_no - b.lo)::int4) as confirmed,
                                            get_bit(b.abandoned, (i.seq_no - b.lo)::int4) as abandoned) as m
                    where i.sequence_id = $1::int4 and i.period = $2::text and i.seq_no between b.lo and b.hi) as r),
            t as materialized (
                select greatest(x.lo, $3::int8) as lo, least(x.hi, $4::int8) as hi from returned_range x
                where x.sequence_id = $1::int4 and x.period = $2::text and x.lo <= $4::int8 and x.hi >= $3::int8),
            k as materialized (
                select greatest(x.lo, $3::int8) as lo, least(x.hi, $4::int8) as hi from skipped_range x
                where x.sequence_id = $1::int4 and x.period = $2::text and x.lo <= $4::int8 and x.hi >= $3::int8)
            """;

    /**
     * {@code u}: what lies below the high-water mark and is known nowhere. {@code piece}: every value that is not settled, with
     * the code of its fate; only batches with pending values are looked at bit by bit, and only {@code near} ones, until enough gaps
     * have ended. {@code gap}: adjacent pieces as one run,
     * the fates as a mask.
     */
    private static final String GAPS = """
            , u as (
                select lower(g) as lo, upper(g) - 1 as hi
                from (select unnest(int8multirange(int8range(greatest($3::int8, c.first),
                            greatest(least($4::int8 + 1, c.next_value), greatest($3::int8, c.first))))
                        - coalesce((select range_agg(int8range(x.lo, x.hi, '[]'))
                            from (select lo, hi from b union all select lo, hi from t union all select lo, hi from k) as x),
                            '{}'::int8multirange)) as g from c) as x),
            near as (
                select * from (
                    select p.*, coalesce(sum(p.ends) over (order by p.lo rows between unbounded preceding and 1 preceding), 0)
                        as ended from p) as x
                where x.ended < $5::int4),
            piece as (
                select p.lo, p.hi, case p.status when 1 then 9 when 2 then 1 else 12 end as fate
                from p where p.pending = p.n
                union all
                select v, v, case when m.abandoned = 1 then 12 when p.status = 1 then 9 when p.status = 2 then 1 else 12 end
                from near p
                cross join lateral generate_series(p.lo, p.hi) as v
                cross join lateral (select get_bit(p.confirmed, (v - p.lo)::int4) as confirmed,
                                        get_bit(p.abandoned, (v - p.lo)::int4) as abandoned offset 0) as m
                where (p.pending > 0 or p.orphans > 0) and p.pending < p.n and m.confirmed = 0
                    and (m.abandoned = 0 or p.orphans > 0)
                    and ((m.abandoned = 0 and p.bare = 0) or not exists (
                        select from issue_log i where i.sequence_id = $1::int4 and i.period = $2::text and i.seq_no = v))
                union all
                select i.seq_no, i.seq_no, i.status from issue_log i
                where i.sequence_id = $1::int4 and i.period = $2::text and i.seq_no between $3::int8 and $4::int8
                    and i.status not in (2, 6, 7)
                union all select lo, hi, 10 from t
                union all select lo, hi, 11 from k
                union all select lo, hi, 12 from u),
            step as (
                select lo, hi, fate, case when lo > 1 + max(hi) over (order by lo, hi
                    rows between unbounded preceding and 1 preceding) then 1 else 0 end as apart
                from piece),
            gap as (
                select min(lo) as lo, max(hi) as hi, bit_or(1 << fate) as fates
                from (select lo, hi, fate, sum(apart) over (order by lo, hi rows unbounded preceding) as run from step) as x
                group by run
                order by min(lo)
                limit $5::int4)
            """;

    /** $1 sequence, $2 period, $3 from, $4 to, $5 gaps: one row. */
    static final String RANGE = SOURCES + GAPS + """
            select l.*, q.*, n.*, g.*
            from c
            cross join lateral (
                select count(*) filter (where i.status = 1) as row_allocated,
                    count(*) filter (where i.status = 2) as row_confirmed,
                    count(*) filter (where i.status = 3) as abandoned,
                    count(*) filter (where i.status = 4) as replayable,
                    count(*) filter (where i.status = 5) as replayed,
                    count(*) filter (where i.status = 6) as retired,
                    count(*) filter (where i.status = 7) as void,
                    count(*) filter (where i.status = 8) as dead
                from issue_log i
                where i.sequence_id = $1::int4 and i.period = $2::text and i.seq_no between $3::int8 and $4::int8) as l
            cross join lateral (
                select coalesce(sum(p.confirmed_alone), 0)::int8 as bit_confirmed,
                    coalesce(sum(p.pending) filter (where p.status = 2), 0)::int8 as bit_allocated,
                    coalesce(sum(p.pending) filter (where p.status = 1), 0)::int8 as leased
                from p) as q
            cross join lateral (
                select coalesce((select sum(t.hi - t.lo + 1) from t), 0)::int8 as returned,
                    coalesce((select sum(t.hi - greatest(t.lo, c.floor) + 1) from t where t.hi >= c.floor), 0)::int8
                        as returned_live,
                    coalesce((select sum(k.hi - k.lo + 1) from k), 0)::int8 as skipped,
                    greatest(0, least($4::int8 + 1, c.first) - $3::int8) as before_first,
                    greatest(0, $4::int8 + 1 - greatest($3::int8, c.next_value)) as ahead) as n
            cross join lateral (
                select array_agg(gap.lo order by gap.lo) as gap_lo, array_agg(gap.hi order by gap.lo) as gap_hi,
                    array_agg(gap.fates order by gap.lo) as gap_fates
                from gap) as g
            """;

    private AuditSql() {}
}
