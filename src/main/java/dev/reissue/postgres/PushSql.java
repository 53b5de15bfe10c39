package dev.reissue.postgres;

/**
 * The statements on replayable numbers that nobody claimed, and on dead letters. Each one is a transaction of its own; those of the
 * passes never wait for a row.
 *
 * <p>Rows that are named by their ids are guarded by {@code status::int4}: a partial index cannot serve that, so they are found by the
 * primary key, however small the indexes of the scans were when the statement was planned.
 */
final class PushSql {
    private PushSql() {}

    /** At most $1 rows of the sequences $2 that are due for a look. */
    static final String UNCLAIMED = """
            select r.id, r.version, r.sequence_id, r.seq_no, r.batch_id, r.generation, r.push_attempts, r.pushed, s.recycle
            from (
              select * from issue_log
              where status = 4 and next_push_at <= now() and ($2::int4[] is null or sequence_id = any($2::int4[]))
              order by next_push_at, id
              limit $1::int4) r
            join sequence s on s.id = r.sequence_id
            order by r.sequence_id, r.seq_no
            """;

    /**
     * Retires at most $1 rows of the sequences $2 that are due for a look and belong to a suspect batch: a repair began while they waited
     * for a caller.
     */
    static final String RETIRE_SUSPECT = """
            with due as materialized (
              select r.id
              from issue_log r join sequence_counter k on k.sequence_id = r.sequence_id and k.period = r.period
              where r.status = 4 and r.next_push_at <= now() and r.batch_id <= k.suspect_to
                and ($2::int4[] is null or r.sequence_id = any($2::int4[]))
              order by r.next_push_at, r.id
              limit $1::int4
              for update of r skip locked
            ), changed as (
              update issue_log r
              set status = 6, version = r.version + 1, next_push_at = null, pushed = false, changed_at = clock_timestamp()
              from due d
              where r.id = d.id and r.status::int4 = 4
              returning r.sequence_id, r.period, r.seq_no, r.generation
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, 4, 6, generation, 'suspect-batch', 'recycler' from changed
            )
            select count(*)::int4 as numbers from changed
            """;

    /**
     * Notes the looks: rows $1 in versions $2 with $3 failures and {@code pushed} $4 are due again $5 milliseconds later. What is not
     * due any more was looked at by another pass.
     */
    static final String RESCHEDULE = """
            with due as materialized (
              select r.id, a.failures, a.pushed, a.delay
              from issue_log r join unnest($1::int8[], $2::int8[], $3::int4[], $4::bool[], $5::int8[])
                as a(id, version, failures, pushed, delay) on a.id = r.id and a.version = r.version
              where r.status::int4 = 4 and r.next_push_at <= now()
              order by r.id
              for update of r skip locked
            )
            update issue_log r
            set push_attempts = d.failures, pushed = d.pushed,
              next_push_at = clock_timestamp() + d.delay * interval '1 millisecond'
            from due d
            where r.id = d.id and r.status::int4 = 4
            returning r.id, r.version
            """;

    /** Notes that no entry got into the pool for rows $1 in versions $2, $3 failures more; due again $4 milliseconds later. */
    static final String NOT_PUSHED = """
            with gone as materialized (
              select r.id
              from issue_log r join unnest($1::int8[], $2::int8[]) as a(id, version) on a.id = r.id and a.version = r.version
              where r.status::int4 = 4
              order by r.id
              for update of r skip locked
            ), changed as (
              update issue_log r
              set push_attempts = r.push_attempts + $3::int4, pushed = false,
                next_push_at = clock_timestamp() + $4::int8 * interval '1 millisecond'
              from gone g
              where r.id = g.id and r.status::int4 = 4
              returning r.id
            )
            select count(*)::int4 as numbers from changed
            """;

    /** Makes rows $1 in versions $2 and state $3 dead letters with reason $4. */
    static final String BURY = """
            with gone as materialized (
              select r.id
              from issue_log r join unnest($1::int8[], $2::int8[]) as a(id, version) on a.id = r.id and a.version = r.version
              where r.status = $3::int2
              order by r.id
              for update of r skip locked
            ), changed as (
              update issue_log r
              set status = 8, version = r.version + 1, next_push_at = null, pushed = false, changed_at = clock_timestamp()
              from gone g
              where r.id = g.id and r.status = $3::int2 and not ($3::int2 = 3 and r.explicit)
              returning r.*
            ), buried as (
              insert into issue_dead (id, sequence_id, period, seq_no, batch_id, generation, holder_generation, version,
                push_attempts, probe_attempts, dead_reason)
              select id, sequence_id, period, seq_no, batch_id, generation, holder_generation, version, push_attempts,
                probe_attempts, $4::text
              from changed
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, $3::int2, 8, generation, $4::text, 'recycler' from changed
            )
            select id, version, sequence_id, seq_no, batch_id, generation from changed
            """;

    /** Dead letters that the filter lets through: tenant $1, sequence $2, reason $3, rows $4, each null for any. */
    private static final String FILTER = """
            from issue_dead d join issue_log r on r.id = d.id and r.status = 8 join sequence s on s.id = d.sequence_id
            where ($1::text is null or s.tenant = $1::text) and ($2::text is null or s.name = $2::text)
              and ($3::text is null or d.dead_reason = $3::text) and ($4::int8[] is null or d.id = any($4::int8[]))
              and d.id > $5::int8
            order by d.id
            limit $6::int4
            """;

    /** At most $6 dead letters after $5. */
    static final String LIST_DEAD = """
            select d.*, s.tenant, s.name, s.format
            """ + FILTER;

    /**
     * Redrives at most $6 dead letters after $5 for the operator $7: what the business system was asked about in vain is asked again,
     * what the pool lost is pushed again. Generation and version go on.
     */
    static final String REDRIVE = """
            with chosen as materialized (
              select d.id, d.dead_reason
            """ + FILTER + """
              for update of d
            ), gone as (
              delete from issue_dead d using chosen c where d.id = c.id
            ), changed as (
              update issue_log r
              set status = case when x.again then 3 else 4 end, version = r.version + 1, push_attempts = 0, pushed = false,
                next_push_at = case when x.again then null else clock_timestamp() end,
                replay_deadline = case when x.again then clock_timestamp() end,
                probe_attempts = 0, next_probe_at = null, changed_at = clock_timestamp()
              from chosen c cross join lateral (select c.dead_reason = 'probe-unknown' as again) x
              where r.id = c.id and r.status::int4 = 8
              returning r.id, r.sequence_id, r.period, r.seq_no, r.generation, r.status
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, 8, status, generation, 'redrive', $7::text from changed
            )
            select count(*)::int4 as numbers, coalesce(max(id), 0) as last from changed
            """;
}
