package dev.reissue.postgres;

/**
 * The statements of the passes over batches: expire and close, and what the watch asks. Each one is a transaction of its own and
 * never waits for a row: what another pass or a caller has locked is left to the next run.
 */
final class ScanSql {
    private ScanSql() {}

    /**
     * Expires about $1 numbers of at most $2 due batches of the sequences $3. {@code fresh} are the bits that this very UPDATE turns
     * on: of a locked row, unsettled, at most $1 a batch; rows come from nothing else. A batch without an unsettled number is
     * closed at once.
     */
    static final String EXPIRE_BATCHES = """
            with candidate as (
              select batch_id, sum(unsettled) over (order by due_at, batch_id) - unsettled as before
              from (
                select batch_id, due_at, issued_to - lo + 1 - bit_count(confirmed | abandoned) as unsettled
                from batch
                where status = 2 and due_at <= now() and ($3::int4[] is null or sequence_id = any($3::int4[]))
                order by due_at, batch_id
                limit $2::int4) due
            ), locked as materialized (
              select b.batch_id, b.sequence_id, b.period, b.lo, b.opened_at, b.confirmed | b.abandoned as settled,
                (b.issued_to - b.lo + 1)::int4 as issued
              from batch b
              where b.batch_id in (select batch_id from candidate where before < $1::int4)
                and b.status = 2 and b.due_at <= now()
              order by b.batch_id
              for update skip locked
            ), cut as materialized (
              select l.*, rpad(repeat('1', u.upto), length(l.settled), '0')::bit varying & ~l.settled as fresh
              from locked l cross join lateral (
                select coalesce(max(p) + 1, 0) as upto
                from (
                  select p from generate_series(0, l.issued - 1) p where get_bit(l.settled, p) = 0 order by p limit $1::int4
                ) unsettled) u
            ), marked as (
              update batch b
              set abandoned = b.abandoned | c.fresh,
                status = case when bit_count(c.settled | c.fresh) >= c.issued then 3 else 2 end
              from cut c
              where b.batch_id = c.batch_id and b.status = 2
              returning b.batch_id, b.status, c.sequence_id, c.period, c.lo, c.opened_at, c.issued, c.fresh
            ), written as (
              insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, abandon_reason, issued_time,
                abandoned_time, replay_deadline)
              select m.sequence_id, m.period, m.lo + p, m.batch_id, 3, false, 'timeout', m.opened_at, clock_timestamp(),
                clock_timestamp() + s.safety_window
              from marked m join sequence s on s.id = m.sequence_id cross join lateral generate_series(0, m.issued - 1) p
              where get_bit(m.fresh, p) = 1
              on conflict do nothing
              returning sequence_id, period, seq_no
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, null, 3, 0, 'timeout', 'recycler' from written
            )
            select (select count(*) from marked)::int4 as batches, (select count(*) from written)::int4 as numbers,
              (select count(*) from marked where status = 3)::int4 as closed
            """;

    /** Abandons at most $1 reissued numbers of the sequences $2 past their due date. Its holder may have got the number. */
    static final String EXPIRE_REISSUED = """
            with due as (
              select id from issue_log
              where status = 5 and due_at <= now() and ($2::int4[] is null or sequence_id = any($2::int4[]))
              order by due_at, id
              limit $1::int4
              for update skip locked
            ), changed as (
              update issue_log r
              set status = 3, holder_generation = r.generation, explicit = false, abandon_reason = 'timeout',
                abandoned_time = clock_timestamp(), replay_deadline = clock_timestamp() + s.safety_window, due_at = null,
                owner = null, claim_id = null, probe_attempts = 0, next_probe_at = null, version = r.version + 1,
                changed_at = clock_timestamp()
              from due d, sequence s
              where r.id = d.id and s.id = r.sequence_id and r.status::int4 = 5
              returning r.sequence_id, r.period, r.seq_no, r.generation
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, 5, 3, generation, 'timeout', 'recycler' from changed
            )
            select count(*)::int4 as numbers from changed
            """;

    /**
     * Closes those of the next $1 sealed batches after ($2, $3) of the sequences $4 that have no unsettled number: a settled bit
     * stays settled, so what the page saw holds.
     */
    static final String CLOSE = """
            with page as materialized (
              select batch_id, due_at, bit_count(confirmed | abandoned) >= issued_to - lo + 1 as settled
              from batch
              where status = 2 and (due_at, batch_id) > ($2::timestamptz, $3::int8)
                and ($4::int4[] is null or sequence_id = any($4::int4[]))
              order by due_at, batch_id
              limit $1::int4
            ), locked as materialized (
              select batch_id from batch
              where batch_id in (select batch_id from page where settled) and status = 2
              order by batch_id
              for update skip locked
            ), closed as (
              update batch b set status = 3 from locked l where b.batch_id = l.batch_id and b.status = 2 returning b.batch_id
            )
            select (select count(*) from page)::int4 as seen, (select count(*) from closed)::int4 as closed,
              (select max(due_at) from page) as last_due,
              (select batch_id from page order by due_at desc, batch_id desc limit 1) as last_batch
            """;

    /** How overdue the oldest number is, and how many numbers are in each state, counted up to $1, and which sequences have some. */
    static final String LOOK = """
            select
              greatest(0, (extract(epoch from now() - least(
                (select min(due_at) from batch where status = 2),
                (select min(replay_deadline) from issue_log where status = 3),
                (select min(due_at) from issue_log where status = 5))) * 1000)::int8) as overdue_ms,
              (select count(*) from (select from issue_log where status = 3 limit $1::int8) x) as cooling,
              (select count(*) from (select from issue_log where status = 4 limit $1::int8) x) as replayable,
              (select count(*) from (select from issue_dead limit $1::int8) x) as dead,
              array(select distinct sequence_id from (
                select sequence_id from issue_log where status = 4 order by next_push_at, id limit 2000) x limit 200) as pooled
            """;

    /** What waits of the sequences $2, among the $1 oldest abandoned numbers and the $1 oldest sealed batches. */
    static final String BACKLOGS = """
            with number as materialized (
              select sequence_id, abandoned_time from issue_log where status = 3 order by replay_deadline, id limit $1::int4
            ), cooling as (
              select sequence_id, count(*) as numbers, min(abandoned_time) as oldest
              from number where $2::int4[] is null or sequence_id = any($2::int4[]) group by sequence_id
            ), sealed as materialized (
              select sequence_id, sealed_at from batch where status = 2 order by due_at, batch_id limit $1::int4
            ), unsettled as (
              select sequence_id, count(*) as batches, min(sealed_at) as oldest
              from sealed where $2::int4[] is null or sequence_id = any($2::int4[]) group by sequence_id
            )
            select sequence_id, coalesce(c.numbers, 0) as cooling, coalesce(u.batches, 0) as unsettled,
              coalesce(greatest(0, extract(epoch from clock_timestamp() - c.oldest) * 1000)::int8, 0) as cooling_ms,
              coalesce(greatest(0, extract(epoch from clock_timestamp() - u.oldest) * 1000)::int8, 0) as unsettled_ms
            from cooling c full join unsettled u using (sequence_id)
            """;
}
