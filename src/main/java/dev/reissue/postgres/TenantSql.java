package dev.reissue.postgres;

/**
 * The statements on tenants and API keys. Each one is a transaction of its own; those that change something raise the version by which
 * all processes notice it.
 */
final class TenantSql {
    private TenantSql() {}

    private static final String NOTICED = """
             noticed as (update tenant_change c set version = c.version + 1 from done)
            """;

    private static final String KEY = """
             k.key_id, k.tenant, k.scopes, k.note, k.created_at, k.not_after, k.revoked_at,
             case when k.revoked_at is not null then 'REVOKED'
               when k.not_after <= clock_timestamp() then 'EXPIRED' else 'LIVE' end as state
            """;

    private static final String TENANT = """
            select t.name, t.sequences_max, t.numbers_per_second, t.requests_per_second, t.disabled, t.version, t.created_at,
              (select count(*) from sequence s where s.tenant = t.name)::int4 as sequences,
              (select count(*) from api_key k where k.tenant = t.name and k.revoked_at is null
                 and (k.not_after is null or k.not_after > clock_timestamp()))::int4 as live_keys
            from tenant t
            """;

    /** The version of all tenants and keys, and how many processes hand out numbers. */
    static final String LOOK = """
            select c.version,
              (select count(*) from instance i where i.reaped_at is null and i.lease_until > clock_timestamp())::int4 as processes
            from tenant_change c
            """;

    /** At most $2 keys after $1 that count now. */
    static final String LIVE_KEYS = """
            select k.key_id, k.hash, k.scopes, k.tenant, t.numbers_per_second, t.requests_per_second,
              (extract(epoch from k.not_after - clock_timestamp()) * 1000)::int8 as ends_in_ms
            from api_key k join tenant t on t.name = k.tenant
            where k.key_id > $1::text and k.revoked_at is null and (k.not_after is null or k.not_after > clock_timestamp())
              and not t.disabled
            order by k.key_id
            limit $2::int4
            """;

    /** Makes tenant $1 with limits $2 to $4, disabled or not $5; no row where there is one. */
    static final String CREATE = """
            with done as (
              insert into tenant (name, sequences_max, numbers_per_second, requests_per_second, disabled)
              values ($1::text, $2::int4, $3::int4, $4::int4, $5::bool)
              on conflict (name) do nothing
              returning name),
            """ + NOTICED + "select name from done";

    /** Changes tenant $1, seen in version $6; the rest as for {@link #CREATE}. No row where it is of another version. */
    static final String CHANGE = """
            with done as (
              update tenant set sequences_max = $2::int4, numbers_per_second = $3::int4, requests_per_second = $4::int4,
                disabled = $5::bool, version = version + 1, changed_at = clock_timestamp()
              where name = $1::text and version = $6::int8
              returning name),
            """ + NOTICED + "select name from done";

    /** Tenant $1. */
    static final String FIND = TENANT + "where t.name = $1::text";

    /** At most $2 tenants after $1. */
    static final String LIST = TENANT + "where t.name > $1::text order by t.name limit $2::int4";

    /**
     * Forgets the keys of tenant $1 that ended $2 days ago, but never the one of the settings: {@link #BOOTSTRAP} must go on finding it, or
     * it would make a key that leaked and was revoked once more.
     */
    static final String FORGET = """
            delete from api_key
            where tenant = $1::text and note is distinct from 'auth.bootstrapKey' and least(revoked_at, not_after) < clock_timestamp() - $2::int4 * interval '1 day'
            """;

    /** How many keys tenant $1 has that count, and how many at all; no row where there is no such tenant. */
    static final String COUNT = """
            select count(k.key_id) filter (where k.revoked_at is null and (k.not_after is null or k.not_after > clock_timestamp()))::int4
                as live,
              count(k.key_id)::int4 as kept
            from tenant t left join api_key k on k.tenant = t.name
            where t.name = $1::text
            group by t.name
            """;

    /** Makes a key for tenant $1: id $2, hash $3, scopes $4, note $5, over after $6 milliseconds or null. */
    static final String CREATE_KEY = """
            with done as (
              insert into api_key (key_id, tenant, hash, scopes, note, not_after)
              values ($2::text, $1::text, $3::bytea, $4::int2, $5::text,
                clock_timestamp() + $6::int8 * interval '1 millisecond')
              returning *),
            """ + NOTICED + "select" + KEY + "from done k";

    /**
     * Makes a key for tenant $1 in place of the live key $2, which ends in $3 milliseconds at the latest: id $4, hash $5, over after $6
     * milliseconds or null. No row where there is no such key.
     */
    static final String ROTATE_KEY = """
            with old as (
              update api_key set not_after = least(not_after, clock_timestamp() + $3::int8 * interval '1 millisecond')
              where tenant = $1::text and key_id = $2::text and revoked_at is null
                and (not_after is null or not_after > clock_timestamp())
              returning *),
            done as (
              insert into api_key (key_id, tenant, hash, scopes, note, not_after)
              select $4::text, old.tenant, $5::bytea, old.scopes, old.note,
                clock_timestamp() + $6::int8 * interval '1 millisecond'
              from old
              returning *),
            """ + NOTICED + "select" + KEY + "from done k";

    /** Revokes key $2 of tenant $1; changes nothing where it is revoked. */
    static final String REVOKE_KEY = """
            with done as (
              update api_key set revoked_at = clock_timestamp()
              where tenant = $1::text and key_id = $2::text and revoked_at is null
              returning *),
            """ + NOTICED + "select" + KEY + "from done k";

    /** Key $2 of tenant $1. */
    static final String FIND_KEY = "select" + KEY + "from api_key k where k.tenant = $1::text and k.key_id = $2::text";

    /** At most $3 keys of tenant $1 after $2. */
    static final String KEYS = "select" + KEY + """
            from api_key k
            where k.tenant = $1::text and k.key_id > $2::text
            order by k.key_id
            limit $3::int4
            """;

    /** Makes tenant $1 and its key as {@link #CREATE_KEY} does, each where it is not there yet. */
    static final String BOOTSTRAP = """
            with t as (
              insert into tenant (name) values ($1::text) on conflict (name) do nothing returning name),
            done as (
              insert into api_key (key_id, tenant, hash, scopes, note, not_after)
              values ($2::text, $1::text, $3::bytea, $4::int2, $5::text,
                clock_timestamp() + $6::int8 * interval '1 millisecond')
              on conflict (key_id) do nothing
              returning key_id),
            """ + NOTICED + "select key_id from done";

    /** Key $2 of tenant $1 with the hash $3. */
    static final String FIND_BY_HASH = FIND_KEY + " and k.hash = $3::bytea";
}
