package dev.reissue.postgres;

/**
 * The statements by which an instance wins replayable numbers and gives them back. Each one is a transaction of its own and never
 * waits for a number's row: an entry whose row is locked is left to the re-push. A claim raises the revision of its sequences' counters,
 * as a lease does, so that whoever claims learns that the database has forgotten an earlier claim; counters are locked after rows.
 *
 * <p>Rows that are named by their ids are guarded by {@code status::int4}: a partial index cannot serve that, so they are found by the
 * primary key, however small the indexes of the scans were when the statement was planned.
 */
final class ClaimSql {
    private ClaimSql() {}

    /**
     * Wins, for owner $3 under claim $4, the rows $1 that are still replayable in exactly the versions $2. Only what this returns may
     * be handed out. Nothing is won of a sequence $5 whose counter is below the revision $6 or the next value $7, which are known: an
     * earlier claim may be lost, and its generation would be given twice. Nor of one under repair, or of a suspect batch; where the repair
     * began after the rows were won and before the counter was locked, they are left to time out.
     */
    static final String CLAIM = """
            with won as materialized (
              select r.id
              from issue_log r join unnest($1::int8[], $2::int8[]) as a(id, version) on a.id = r.id and a.version = r.version
              where r.status::int4 = 4
                and not exists (
                  select from unnest($5::int4[], $6::int8[], $7::int8[]) as m(sequence_id, revision, next_value)
                  join sequence_counter k on k.sequence_id = m.sequence_id and k.period = ''
                  where m.sequence_id = r.sequence_id and (k.revision < m.revision or k.next_value < m.next_value))
                and not exists (
                  select from sequence_counter k
                  where k.sequence_id = r.sequence_id and k.period = r.period
                    and (k.repair_from is not null or r.batch_id <= k.suspect_to))
              order by r.id
              for update of r skip locked
            ), changed as (
              update issue_log r
              set status = 5, generation = r.generation + 1, replay_times = r.replay_times + 1, version = r.version + 1,
                owner = $3::uuid, claim_id = $4::uuid, issued_time = clock_timestamp(),
                due_at = clock_timestamp() + s.batch_open_max + s.confirm_timeout, next_push_at = null, pushed = false,
                changed_at = clock_timestamp()
              from won w, sequence s
              where r.id = w.id and s.id = r.sequence_id and s.recycle and r.status::int4 = 4
              returning r.id, r.version, r.sequence_id, r.period, r.seq_no, r.batch_id, r.generation,
                (extract(epoch from s.batch_open_max) * 1000)::int8 as open_max_ms,
                (extract(epoch from s.safety_window) * 1000)::int8 as window_ms
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, 4, 5, generation, 'claimed', $3::text from changed
            ), counter as materialized (
              select k.sequence_id, k.period from sequence_counter k
              where exists (select from changed c where c.sequence_id = k.sequence_id and c.period = k.period)
              order by k.sequence_id, k.period
              for update
            ), marked as (
              update sequence_counter k set revision = k.revision + 1
              from counter c where k.sequence_id = c.sequence_id and k.period = c.period
              returning k.sequence_id, k.period, k.revision, k.next_value, k.suspect_to
            )
            select c.id, c.version, c.sequence_id, c.seq_no, c.batch_id, c.generation, c.open_max_ms, c.window_ms,
              coalesce(m.revision, 0) as revision, coalesce(m.next_value, 0) as next_value
            from changed c left join marked m on m.sequence_id = c.sequence_id and m.period = c.period
            where c.batch_id > coalesce(m.suspect_to, 0)
            order by c.sequence_id, c.seq_no
            """;

    /**
     * Claims the rows $1 again, for owner $3 under claim $4, that this owner holds in exactly the versions $2 and nobody was shown.
     * The same as giving them back and winning them at once; the generation was not used yet and stays.
     */
    static final String RENEW = """
            with held as materialized (
              select r.id
              from issue_log r join unnest($1::int8[], $2::int8[]) as a(id, version) on a.id = r.id and a.version = r.version
              where r.status::int4 = 5 and r.owner = $3::uuid
              order by r.id
              for update of r skip locked
            )
            update issue_log r
            set version = r.version + 1, claim_id = $4::uuid, issued_time = clock_timestamp(),
              due_at = clock_timestamp() + s.batch_open_max + s.confirm_timeout, changed_at = clock_timestamp()
            from held h, sequence s
            where r.id = h.id and s.id = r.sequence_id and s.recycle and r.status::int4 = 5
            returning r.id, r.version, r.sequence_id, r.seq_no, r.batch_id, r.generation,
              (extract(epoch from s.batch_open_max) * 1000)::int8 as open_max_ms,
              (extract(epoch from s.safety_window) * 1000)::int8 as window_ms, 0::int8 as revision, 0::int8 as next_value
            """;

    /** The rows $3 in the versions $4 that owner $1 holds. */
    private static final String NAMED = """
            with held as materialized (
              select r.id
              from issue_log r join unnest($3::int8[], $4::int8[]) as a(id, version) on a.id = r.id and a.version = r.version
              where r.status::int4 = 5 and r.owner = $1::uuid
              order by r.id
              for update of r skip locked
            )""";

    /** What owner $1 claimed under $3 and never heard of. */
    private static final String OF_CLAIM = """
            with held as materialized (
              select r.id from issue_log r
              where r.status = 5 and r.owner = $1::uuid and r.claim_id = $3::uuid
              order by r.id
              for update of r skip locked
            )""";

    /**
     * Gives the rows of {@code held} back without a window; the pool is searched for them $2 milliseconds later. Their generation
     * stays burnt, their last holder remains who it was.
     */
    private static final String BACK = """
            , changed as (
              update issue_log r
              set status = 4, version = r.version + 1, replay_times = r.replay_times - 1, owner = null, claim_id = null,
                due_at = null, push_attempts = 0, pushed = true,
                next_push_at = clock_timestamp() + $2::int8 * interval '1 millisecond', changed_at = clock_timestamp()
              from held h
              where r.id = h.id and r.status::int4 = 5 and r.owner = $1::uuid
              returning r.id, r.version, r.sequence_id, r.period, r.seq_no, r.batch_id, r.generation
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
              select sequence_id, period, seq_no, 5, 4, generation, 'not-handed-out', $1::text from changed
            )
            select id, version, sequence_id, seq_no, batch_id, generation from changed order by sequence_id, seq_no
            """;

    /** Gives back the rows $3, $4. */
    static final String GIVE_BACK = NAMED + BACK;

    /** Gives back whatever was committed under the claim $3. */
    static final String RETURN_LOST = OF_CLAIM + BACK;
}
