package dev.reissue.postgres;

/**
 * The statements on abandoned numbers whose safety window is over: release and probe. Each one is a transaction of its own and never
 * waits for a row.
 *
 * <p>Rows that are named by their ids are guarded by {@code status::int4}: a partial index cannot serve that, so they are found by the
 * primary key, however small the indexes of the scans were when the statement was planned.
 */
final class ReleaseSql {
    private ReleaseSql() {}

    /** At most $1 due rows of the sequences $2, but not those that the business system has to be asked about. */
    private static final String DUE = """
            with due as materialized (
              select r.id, r.sequence_id, r.period, r.batch_id, r.replay_times, r.issued_time from issue_log r
              where r.status = 3 and r.replay_deadline <= now()
                and (r.explicit or r.sequence_id not in (select s.id from sequence s where s.probe_url is not null))
                and ($2::int4[] is null or r.sequence_id = any($2::int4[]))
              order by r.replay_deadline, r.id
              limit $1::int4
              for update of r skip locked
            )""";

    /** The rows $1 in their versions $2: the business system was asked about them and nothing happened to them since. */
    private static final String ASKED = """
            with due as materialized (
              select r.id, r.sequence_id, r.period, r.batch_id, r.replay_times, r.issued_time
              from issue_log r join unnest($1::int8[], $2::int8[]) a(id, version) on a.id = r.id and a.version = r.version
              where r.status::int4 = 3 and r.next_probe_at is not null and not r.explicit
              order by r.id
              for update of r skip locked
            )""";

    /** Decides on the rows of {@code due}; the pool is searched for an entry $3 milliseconds later. One row a number. */
    private static final String DECIDE = """
            , decided as materialized (
              select d.id,
                case
                  when not s.recycle then 'recycling-off'
                  when d.replay_times >= s.replay_cap then 'replay-cap'
                  when coalesce(b.opened_at, d.issued_time) + s.recycle_age_max < now() then 'too-old'
                  when b.suspect or d.batch_id <= k.suspect_to then 'suspect-batch'
                end as retired
              from due d join sequence s on s.id = d.sequence_id
                left join sequence_counter k on k.sequence_id = d.sequence_id and k.period = d.period
                left join batch b on b.batch_id = d.batch_id
            ), changed as (
              update issue_log r
              set status = case when d.retired is null then 4 else 6 end, version = r.version + 1, push_attempts = 0,
                pushed = d.retired is null,
                next_push_at = case when d.retired is null then clock_timestamp() + $3::int8 * interval '1 millisecond' end,
                replay_deadline = null, next_probe_at = null, changed_at = clock_timestamp()
              from decided d
              where r.id = d.id and r.status::int4 = 3
              returning r.id, r.version, r.sequence_id, r.period, r.seq_no, r.batch_id, r.generation, r.status, d.retired
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, 3, status, generation, retired, 'recycler' from changed
            )
            select id, version, sequence_id, seq_no, batch_id, generation, retired from changed order by sequence_id, seq_no
            """;

    /** Releases or retires at most $1 due rows. */
    static final String RELEASE = DUE + DECIDE;

    /** Releases or retires the rows $1, $2 that were called unused. */
    static final String RELEASE_UNUSED = ASKED + DECIDE;

    /** Confirms the rows $1 in their versions $2 that were called used: their last holder committed and never told. */
    static final String CONFIRM_USED = ASKED + """
            , changed as (
              update issue_log r
              set status = 2, version = r.version + 1, replay_deadline = null, next_probe_at = null, changed_at = clock_timestamp()
              from due d
              where r.id = d.id and r.status::int4 = 3
              returning r.sequence_id, r.period, r.seq_no, r.holder_generation
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, 3, 2, holder_generation, 'used', 'probe' from changed
            )
            select count(*)::int4 as numbers from changed
            """;

    /**
     * Takes at most $1 due rows of the sequences $2 to be asked about, but none of the endpoints $3: counts the try and moves the
     * row out of every scan's way until the next one, $4 milliseconds later, doubled for each try and never more than $5. Rows that
     * had $6 tries are not taken.
     */
    static final String TAKE_FOR_PROBE = """
            with due as materialized (
              select r.id, r.probe_attempts from issue_log r
              where r.status = 3 and r.replay_deadline <= now() and not r.explicit and r.probe_attempts < $6::int4
                and r.sequence_id in (
                  select s.id from sequence s where s.probe_url is not null and s.probe_url <> all($3::text[]))
                and ($2::int4[] is null or r.sequence_id = any($2::int4[]))
              order by r.replay_deadline, r.id
              limit $1::int4
              for update of r skip locked
            ), t as materialized (
              select clock_timestamp() as now
            ), changed as (
              update issue_log r
              set probe_attempts = r.probe_attempts + 1, replay_deadline = x.next, next_probe_at = x.next
              from due d cross join t cross join lateral (
                select t.now + least($5::int8, $4::int8 * (1::int8 << least(d.probe_attempts, 30))) * interval '1 millisecond' as next) x
              where r.id = d.id and r.status::int4 = 3
              returning r.id, r.version, r.sequence_id, r.seq_no, r.batch_id, r.generation, r.probe_attempts
            )
            select c.*, s.name, s.format, s.probe_url
            from changed c join sequence s on s.id = c.sequence_id
            order by c.sequence_id, c.seq_no
            """;

    /** At most $1 due rows of the sequences $2 that had $3 tries and still nobody knows. */
    static final String ASKED_IN_VAIN = """
            select r.id, r.version, r.sequence_id, r.seq_no, r.batch_id, r.generation from issue_log r
            where r.status = 3 and r.replay_deadline <= now() and not r.explicit and r.probe_attempts >= $3::int4
              and r.sequence_id in (select s.id from sequence s where s.probe_url is not null)
              and ($2::int4[] is null or r.sequence_id = any($2::int4[]))
            order by r.replay_deadline, r.id
            limit $1::int4
            """;
}
