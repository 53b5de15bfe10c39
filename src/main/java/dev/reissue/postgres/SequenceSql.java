package dev.reissue.postgres;

/** The statements on {@code sequence}, its counter and its tenant. */
final class SequenceSql {
    private static final String DEFINITION = """
             s.id, s.tenant, s.name, s.format, s.first, s.last, s.batch_size,
             (extract(epoch from s.batch_open_max) * 1000)::int8 as batch_open_max_ms,
             (extract(epoch from s.confirm_timeout) * 1000)::int8 as confirm_timeout_ms,
             (extract(epoch from s.safety_window) * 1000)::int8 as safety_window_ms,
             s.recycle, s.replay_cap,
             (extract(epoch from s.recycle_age_max) * 1000)::int8 as recycle_age_max_ms,
             s.probe_url, s.trace, s.forced, s.require_key, s.config_version, s.created_at, s.changed_at
            """;

    private static final String VIEW = DEFINITION + ", coalesce(c.next_value, s.first) as next_value";

    private static final String FROM =
            " from sequence s left join sequence_counter c on c.sequence_id = s.id and c.period = ''";

    /** $1 tenants, $2 names. */
    static final String FIND_ALL = "select" + DEFINITION + """
            from sequence s
            join unnest($1::text[], $2::text[]) as k(tenant, name) on s.tenant = k.tenant and s.name = k.name
            """;

    /** $1 known ids, $2 their versions, $3 limit. */
    static final String CHANGED = "select" + DEFINITION + """
            from sequence s
            left join unnest($1::int4[], $2::int8[]) as k(id, version) on s.id = k.id
            where k.version is distinct from s.config_version
            order by s.id
            limit $3::int4
            """;

    /** $1 tenant, $2 name. */
    static final String VIEW_ONE = "select" + VIEW + FROM + " where s.tenant = $1::text and s.name = $2::text";

    /** $1 tenant, $2 the name before the page, $3 limit. */
    static final String PAGE = "select" + VIEW + FROM + """
             where s.tenant = $1::text and s.name collate "C" > $2::text
            order by s.name collate "C"
            limit $3::int4
            """;

    /** $1 tenant, $2 limit: one row at least, the first columns null where the tenant has no sequence. */
    static final String FORMATS = """
            select f.name, f.format, f.first, f.last, coalesce(t.version, 0) as version, q.sequences_max as quota
            from (select $1::text as tenant) as p
            left join sequence_tenant t on t.tenant = p.tenant
            left join tenant q on q.name = p.tenant
            left join (select s.tenant, s.name, s.format, s.first, s.last from sequence s
                       where s.tenant = $1::text order by s.id limit $2::int4) as f on f.tenant = p.tenant
            """;

    /**
     * $1 tenant, $2 the tenant's version as seen, then the definition, and $18 the quota of tenants that have none of their own. Whoever
     * comes second waits for the tenant's row and finds that its version has moved on; so what is counted here is all there is.
     */
    static final String CREATE = """
            with guard as (
                insert into sequence_tenant as t (tenant, version) values ($1::text, 1)
                on conflict (tenant) do update set version = t.version + 1 where t.version = $2::int8
                returning 1),
            s as (
                insert into sequence (tenant, name, format, first, last, batch_size, batch_open_max, confirm_timeout,
                    safety_window, recycle, replay_cap, recycle_age_max, probe_url, trace, forced,
                    require_key)
                select $1::text, $3::text, $4::text, $5::int8, $6::int8, $7::int4,
                    $8::int8 * interval '1 millisecond', $9::int8 * interval '1 millisecond',
                    $10::int8 * interval '1 millisecond', $11::bool, $12::int4,
                    $13::int8 * interval '1 millisecond', $14::text, $15::bool, $16::bool,
                    $17::int2
                from guard
                where (select count(*) from sequence x where x.tenant = $1::text)
                    < coalesce((select case q.sequences_max when 0 then 10000 else q.sequences_max end from tenant q
                        where q.name = $1::text), $18::int4)
                on conflict (tenant, name) do nothing
                returning *),
            c as (
                insert into sequence_counter (sequence_id, period, next_value, issue_floor)
                select id, '', first, first from s
                returning next_value)
            select""" + DEFINITION + ", c.next_value from s, c";

    /**
     * $1 id, $2 version as seen, $3 tenant, $4 the tenant's version as seen or null, $5 the counter's new value or null, then
     * the settings. The counter is locked before the sequence, as a lease does it.
     */
    static final String CHANGE = """
            with counter as materialized (
                select next_value from sequence_counter where sequence_id = $1::int4 and period = '' for update),
            guard as (
                insert into sequence_tenant as t (tenant, version) select $3::text, 1 where $4::int8 is not null
                on conflict (tenant) do update set version = t.version + 1 where t.version = $4::int8
                returning 1),
            s as (
                update sequence x set last = $6::int8, batch_size = $7::int4,
                    batch_open_max = $8::int8 * interval '1 millisecond',
                    confirm_timeout = $9::int8 * interval '1 millisecond',
                    safety_window = $10::int8 * interval '1 millisecond',
                    recycle = $11::bool, replay_cap = $12::int4,
                    recycle_age_max = $13::int8 * interval '1 millisecond',
                    probe_url = $14::text, trace = $15::bool, forced = $16::bool, require_key = $17::int2,
                    config_version = x.config_version + 1, changed_at = clock_timestamp()
                from counter
                where x.id = $1::int4 and x.config_version = $2::int8
                    and ($4::int8 is null or exists (select from guard))
                    and ($5::int8 is null or counter.next_value < $5::int8)
                    and ($6::int8 >= x.last or $6::int8 >= counter.next_value - 1)
                returning x.*),
            skipped as (
                insert into skipped_range (sequence_id, period, lo, hi)
                select s.id, '', counter.next_value, $5::int8 - 1 from s, counter where $5::int8 is not null),
            raised as (
                update sequence_counter x set next_value = $5::int8, issue_floor = $5::int8, revision = x.revision + 1
                from s
                where x.sequence_id = s.id and x.period = '' and $5::int8 is not null
                returning x.next_value)
            select"""
            + DEFINITION
            + ", coalesce((select next_value from raised), (select next_value from counter)) as next_value from s";

    private SequenceSql() {}
}
