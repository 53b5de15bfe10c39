package dev.reissue.postgres;

/** The statements on instances and their leases, all on the database's clock. Each one is a transaction of its own. */
final class InstanceSql {
    private InstanceSql() {}

    /** Registers $1 on host $2 for $3 milliseconds. */
    static final String REGISTER = """
            insert into instance (instance_id, host, lease_until)
            values ($1::uuid, $2::text, clock_timestamp() + $3::int8 * interval '1 millisecond')
            """;

    /** Renews the lease of $1 for $2 milliseconds; no row where it was over or reaped. */
    static final String RENEW = """
            update instance set lease_until = clock_timestamp() + $2::int8 * interval '1 millisecond'
            where instance_id = $1::uuid and reaped_at is null and lease_until > clock_timestamp()
            returning instance_id
            """;

    /** Ends the lease of $1. */
    static final String RELEASE = """
            update instance set lease_until = clock_timestamp()
            where instance_id = $1::uuid and reaped_at is null and lease_until > clock_timestamp()
            """;

    /**
     * Gives open batches whose owner has no row (its row was lost in a failover) an instance to be reaped under, one that can
     * never be renewed.
     */
    static final String ADOPT_ORPHANS = """
            insert into instance (instance_id, host, lease_until, reaped_at)
            select distinct b.owner, 'lost', clock_timestamp(), clock_timestamp()
            from batch b
            where b.status = 1 and not exists (select from instance i where i.instance_id = b.owner)
            on conflict (instance_id) do nothing
            """;

    /**
     * Marks up to $1 instances whose lease is over, and seals what they hold OPEN, all of it counted as handed out. An instance
     * that was marked before is taken again while it still holds something.
     */
    static final String REAP = """
            with t as materialized (
              select clock_timestamp() as now
            ), i as materialized (
              select i.instance_id from instance i cross join t
              where i.lease_until <= t.now
                and (i.reaped_at is null or exists (select from batch b where b.owner = i.instance_id and b.status = 1))
              order by i.instance_id
              limit $1::int4
              for update of i skip locked
            ), marked as (
              update instance x set reaped_at = t.now
              from i cross join t where x.instance_id = i.instance_id and x.reaped_at is null
            ), l as materialized (
              select b.batch_id, b.hi, s.confirm_timeout
              from batch b join i on i.instance_id = b.owner join sequence s on s.id = b.sequence_id
              where b.status = 1
              order by b.batch_id
              for update of b
            ), sealed as (
              update batch b set status = 2, issued_to = l.hi, sealed_at = t.now, due_at = t.now + l.confirm_timeout
              from l cross join t where b.batch_id = l.batch_id and b.status::int4 = 1
              returning b.batch_id
            )
            select (select count(*) from i) as instances, (select count(*) from sealed) as batches
            """;
}
