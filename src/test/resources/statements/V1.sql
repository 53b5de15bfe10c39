-- name: AuditSql.NUMBER
select s.first, coalesce(c.next_value, s.first) as next_value,
    b.batch_id, b.lo, b.hi, b.batch_status, b.issued_to, b.opened_at, b.sealed_at, b.batch_due_at, b.suspect,
    b.confirmed, b.abandoned,
    i.status, i.batch_id as row_batch_id, i.generation, i.holder_generation, i.biz_key, i.explicit,
    i.abandon_reason, i.issued_time, i.abandoned_time, i.replay_deadline, i.due_at, i.replay_times, i.version,
    i.changed_at,
    d.dead_reason, d.dead_time,
    coalesce(r.hi >= $3::int8, false) as returned, coalesce(k.hi >= $3::int8, false) as skipped,
    e.at, e.from_status, e.to_status, e.event_generation, e.reason, e.actor
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
        array_agg(x.reason order by x.id) as reason, array_agg(x.actor order by x.id) as actor
    from (select * from issue_event n
          where n.sequence_id = $1::int4 and n.period = $2::text and n.seq_no = $3::int8
          order by n.id desc limit $4::int4) as x) as e on true
where s.id = $1::int4

-- name: AuditSql.HIGH_WATER
select next_value from sequence_counter where sequence_id = $1::int4 and period = $2::text

-- name: AuditSql.RANGE
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

-- name: BatchSql.LEASE
with c as materialized (
  select k.next_value, k.issue_floor, s.batch_size::int8 as size, s.last
  from sequence_counter k join sequence s on s.id = k.sequence_id
  where k.sequence_id = $1::int4 and k.period = $2::text
  for update of k
), r as materialized (
  select x.id, x.lo, x.hi
  from c cross join lateral (
    select id, lo, hi from returned_range
    where sequence_id = $1::int4 and period = $2::text and lo >= c.issue_floor
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
  where k.sequence_id = $1::int4 and k.period = $2::text
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
select b.batch_id, b.lo, b.hi, u.revision, u.next_value from u left join b on true order by b.lo

-- name: BatchSql.SEAL
with l as materialized (
  select b.batch_id, b.sequence_id, b.period, b.lo, b.hi, b.confirmed | b.abandoned as bits, s.issued_to
  from unnest($2::int8[], $3::int8[]) as s(batch_id, issued_to) join batch b on b.batch_id = s.batch_id
  where b.owner = $1::uuid and b.status::int4 = 1
  order by b.batch_id
  for update of b
), d as materialized (
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

-- name: BatchSql.RETURN_LOST
with l as materialized (
  select b.batch_id, b.sequence_id, b.period, b.lo, b.hi, b.confirmed | b.abandoned as bits, b.lo - 1 as issued_to
  from batch b
  where b.owner = $1::uuid and b.lease_id = $2::uuid and b.status = 1
  order by b.batch_id
  for update
), d as materialized (
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

-- name: BatchSql.COOL_POOL
with p as materialized (
  select id, status from issue_log
  where sequence_id = $1::int4 and period = $2::text
    and (status::int4 = 4 or status::int4 = 3 and replay_deadline <= clock_timestamp())
  order by id
  limit $3::int4
  for update
), cooled as (
  update issue_log r
  set status = 3, generation = r.generation + 1, version = r.version + 1, pushed = false, push_attempts = 0,
    next_push_at = null, next_probe_at = null, replay_deadline = clock_timestamp() + s.safety_window,
    changed_at = clock_timestamp()
  from p cross join sequence s
  where r.id = p.id and s.id = $1::int4
  returning r.sequence_id, r.period, r.seq_no, p.status as before, r.generation
), told as (
  insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
  select sequence_id, period, seq_no, before, 3, generation, 'regression', 'regression-guard' from cooled
)
select count(*)::int4 as numbers from cooled

-- name: BatchSql.RAISE_ABOVE
with l as materialized (
  select batch_id from batch
  where owner = $3::uuid and lease_id = $4::uuid and status = 1
  order by batch_id
  for update
), c as materialized (
  select k.next_value from sequence_counter k
  where k.sequence_id = $1::int4 and k.period = $2::text and (select count(*) from l) >= 0
  for update
), u as (
  update sequence_counter k
  set next_value = greatest(k.next_value, $6::int8), revision = greatest(k.revision, $5::int8) + 1
  from c where k.sequence_id = $1::int4 and k.period = $2::text
  returning k.revision, k.next_value
), leased as (
  delete from batch b using l, c where b.batch_id = l.batch_id returning b.lo, b.hi
), returned as (
  delete from returned_range r using c where r.sequence_id = $1::int4 and r.period = $2::text returning r.lo, r.hi
), lost as (
  select int8range(lo, hi, '[]') as span from leased
  union all select int8range(lo, hi, '[]') from returned
  union all select int8range(c.next_value, $6::int8) from c where c.next_value < $6::int8
), known as (
  select int8range(b.lo, coalesce(b.issued_to, b.hi), '[]') as span from batch b
  where b.sequence_id = $1::int4 and b.period = $2::text and b.batch_id not in (select batch_id from l)
  union all select int8range(lo, hi, '[]') from skipped_range where sequence_id = $1::int4 and period = $2::text
), suspect as (
  select unnest((select range_agg(span) from lost)
    - coalesce((select range_agg(span) from known), '{}'::int8multirange)) as span
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

-- name: ClaimSql.CLAIM
with won as materialized (
  select r.id
  from issue_log r join unnest($1::int8[], $2::int8[]) as a(id, version) on a.id = r.id and a.version = r.version
  where r.status::int4 = 4
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
)
select id, version, sequence_id, seq_no, batch_id, generation, open_max_ms, window_ms
from changed order by sequence_id, seq_no

-- name: ClaimSql.RENEW
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
  (extract(epoch from s.safety_window) * 1000)::int8 as window_ms

-- name: ClaimSql.GIVE_BACK
with held as materialized (
  select r.id
  from issue_log r join unnest($3::int8[], $4::int8[]) as a(id, version) on a.id = r.id and a.version = r.version
  where r.status::int4 = 5 and r.owner = $1::uuid
  order by r.id
  for update of r skip locked
), changed as (
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

-- name: ClaimSql.RETURN_LOST
with held as materialized (
  select r.id from issue_log r
  where r.status = 5 and r.owner = $1::uuid and r.claim_id = $3::uuid
  order by r.id
  for update of r skip locked
), changed as (
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

-- name: InstanceSql.REGISTER
insert into instance (instance_id, host, lease_until)
values ($1::uuid, $2::text, clock_timestamp() + $3::int8 * interval '1 millisecond')

-- name: InstanceSql.RENEW
update instance set lease_until = clock_timestamp() + $2::int8 * interval '1 millisecond'
where instance_id = $1::uuid and reaped_at is null and lease_until > clock_timestamp()
returning instance_id

-- name: InstanceSql.RELEASE
update instance set lease_until = clock_timestamp()
where instance_id = $1::uuid and reaped_at is null and lease_until > clock_timestamp()

-- name: InstanceSql.ADOPT_ORPHANS
insert into instance (instance_id, host, lease_until, reaped_at)
select distinct b.owner, 'lost', clock_timestamp(), clock_timestamp()
from batch b
where b.status = 1 and not exists (select from instance i where i.instance_id = b.owner)
on conflict (instance_id) do nothing

-- name: InstanceSql.REAP
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

-- name: PushSql.UNCLAIMED
select r.id, r.version, r.sequence_id, r.seq_no, r.batch_id, r.generation, r.push_attempts, r.pushed, s.recycle
from (
  select * from issue_log
  where status = 4 and next_push_at <= now() and ($2::int4[] is null or sequence_id = any($2::int4[]))
  order by next_push_at, id
  limit $1::int4) r
join sequence s on s.id = r.sequence_id
order by r.sequence_id, r.seq_no

-- name: PushSql.RESCHEDULE
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

-- name: PushSql.NOT_PUSHED
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

-- name: PushSql.BURY
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

-- name: PushSql.LIST_DEAD
select d.*, s.tenant, s.name, s.format
from issue_dead d join issue_log r on r.id = d.id and r.status = 8 join sequence s on s.id = d.sequence_id
where ($1::text is null or s.tenant = $1::text) and ($2::text is null or s.name = $2::text)
  and ($3::text is null or d.dead_reason = $3::text) and ($4::int8[] is null or d.id = any($4::int8[]))
  and d.id > $5::int8
order by d.id
limit $6::int4

-- name: PushSql.REDRIVE
with chosen as materialized (
  select d.id, d.dead_reason
from issue_dead d join issue_log r on r.id = d.id and r.status = 8 join sequence s on s.id = d.sequence_id
where ($1::text is null or s.tenant = $1::text) and ($2::text is null or s.name = $2::text)
  and ($3::text is null or d.dead_reason = $3::text) and ($4::int8[] is null or d.id = any($4::int8[]))
  and d.id > $5::int8
order by d.id
limit $6::int4
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

-- name: ReleaseSql.RELEASE
with due as materialized (
  select r.id, r.sequence_id, r.batch_id, r.replay_times, r.issued_time from issue_log r
  where r.status = 3 and r.replay_deadline <= now()
    and (r.explicit or r.sequence_id not in (select s.id from sequence s where s.probe_url is not null))
    and ($2::int4[] is null or r.sequence_id = any($2::int4[]))
  order by r.replay_deadline, r.id
  limit $1::int4
  for update of r skip locked
), decided as materialized (
  select d.id,
    case
      when not s.recycle then 'recycling-off'
      when d.replay_times >= s.replay_cap then 'replay-cap'
      when coalesce(b.opened_at, d.issued_time) + s.recycle_age_max < now() then 'too-old'
      when b.suspect then 'suspect-batch'
    end as retired
  from due d join sequence s on s.id = d.sequence_id left join batch b on b.batch_id = d.batch_id
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

-- name: ReleaseSql.RELEASE_UNUSED
with due as materialized (
  select r.id, r.sequence_id, r.batch_id, r.replay_times, r.issued_time
  from issue_log r join unnest($1::int8[], $2::int8[]) a(id, version) on a.id = r.id and a.version = r.version
  where r.status::int4 = 3 and r.next_probe_at is not null and not r.explicit
  order by r.id
  for update of r skip locked
), decided as materialized (
  select d.id,
    case
      when not s.recycle then 'recycling-off'
      when d.replay_times >= s.replay_cap then 'replay-cap'
      when coalesce(b.opened_at, d.issued_time) + s.recycle_age_max < now() then 'too-old'
      when b.suspect then 'suspect-batch'
    end as retired
  from due d join sequence s on s.id = d.sequence_id left join batch b on b.batch_id = d.batch_id
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

-- name: ReleaseSql.CONFIRM_USED
with due as materialized (
  select r.id, r.sequence_id, r.batch_id, r.replay_times, r.issued_time
  from issue_log r join unnest($1::int8[], $2::int8[]) a(id, version) on a.id = r.id and a.version = r.version
  where r.status::int4 = 3 and r.next_probe_at is not null and not r.explicit
  order by r.id
  for update of r skip locked
), changed as (
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

-- name: ReleaseSql.TAKE_FOR_PROBE
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

-- name: ReleaseSql.ASKED_IN_VAIN
select r.id, r.version, r.sequence_id, r.seq_no, r.batch_id, r.generation from issue_log r
where r.status = 3 and r.replay_deadline <= now() and not r.explicit and r.probe_attempts >= $3::int4
  and r.sequence_id in (select s.id from sequence s where s.probe_url is not null)
  and ($2::int4[] is null or r.sequence_id = any($2::int4[]))
order by r.replay_deadline, r.id
limit $1::int4

-- name: ScanSql.EXPIRE_BATCHES
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

-- name: ScanSql.EXPIRE_REISSUED
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

-- name: ScanSql.CLOSE
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

-- name: ScanSql.LOOK
select
  greatest(0, (extract(epoch from now() - least(
    (select min(due_at) from batch where status = 2),
    (select min(replay_deadline) from issue_log where status = 3),
    (select min(due_at) from issue_log where status = 5))) * 1000)::int8) as overdue_ms,
  (select count(*) from (select from issue_log where status = 3 limit $1::int8) x) as cooling,
  (select count(*) from (select from issue_log where status = 4 limit $1::int8) x) as replayable,
  (select count(*) from (select from issue_dead limit $1::int8) x) as dead

-- name: SequenceSql.FIND_ALL
select s.id, s.tenant, s.name, s.format, s.first, s.last, s.batch_size,
 (extract(epoch from s.batch_open_max) * 1000)::int8 as batch_open_max_ms,
 (extract(epoch from s.confirm_timeout) * 1000)::int8 as confirm_timeout_ms,
 (extract(epoch from s.safety_window) * 1000)::int8 as safety_window_ms,
 s.recycle, s.replay_cap,
 (extract(epoch from s.recycle_age_max) * 1000)::int8 as recycle_age_max_ms,
 s.probe_url, s.trace, s.forced, s.config_version, s.created_at, s.changed_at
from sequence s
join unnest($1::text[], $2::text[]) as k(tenant, name) on s.tenant = k.tenant and s.name = k.name

-- name: SequenceSql.CHANGED
select s.id, s.tenant, s.name, s.format, s.first, s.last, s.batch_size,
 (extract(epoch from s.batch_open_max) * 1000)::int8 as batch_open_max_ms,
 (extract(epoch from s.confirm_timeout) * 1000)::int8 as confirm_timeout_ms,
 (extract(epoch from s.safety_window) * 1000)::int8 as safety_window_ms,
 s.recycle, s.replay_cap,
 (extract(epoch from s.recycle_age_max) * 1000)::int8 as recycle_age_max_ms,
 s.probe_url, s.trace, s.forced, s.config_version, s.created_at, s.changed_at
from sequence s
left join unnest($1::int4[], $2::int8[]) as k(id, version) on s.id = k.id
where k.version is distinct from s.config_version
order by s.id
limit $3::int4

-- name: SequenceSql.VIEW_ONE
select s.id, s.tenant, s.name, s.format, s.first, s.last, s.batch_size,
 (extract(epoch from s.batch_open_max) * 1000)::int8 as batch_open_max_ms,
 (extract(epoch from s.confirm_timeout) * 1000)::int8 as confirm_timeout_ms,
 (extract(epoch from s.safety_window) * 1000)::int8 as safety_window_ms,
 s.recycle, s.replay_cap,
 (extract(epoch from s.recycle_age_max) * 1000)::int8 as recycle_age_max_ms,
 s.probe_url, s.trace, s.forced, s.config_version, s.created_at, s.changed_at
, coalesce(c.next_value, s.first) as next_value from sequence s left join sequence_counter c on c.sequence_id = s.id and c.period = '' where s.tenant = $1::text and s.name = $2::text

-- name: SequenceSql.PAGE
select s.id, s.tenant, s.name, s.format, s.first, s.last, s.batch_size,
 (extract(epoch from s.batch_open_max) * 1000)::int8 as batch_open_max_ms,
 (extract(epoch from s.confirm_timeout) * 1000)::int8 as confirm_timeout_ms,
 (extract(epoch from s.safety_window) * 1000)::int8 as safety_window_ms,
 s.recycle, s.replay_cap,
 (extract(epoch from s.recycle_age_max) * 1000)::int8 as recycle_age_max_ms,
 s.probe_url, s.trace, s.forced, s.config_version, s.created_at, s.changed_at
, coalesce(c.next_value, s.first) as next_value from sequence s left join sequence_counter c on c.sequence_id = s.id and c.period = '' where s.tenant = $1::text and s.name collate "C" > $2::text
order by s.name collate "C"
limit $3::int4

-- name: SequenceSql.FORMATS
select f.name, f.format, f.first, f.last, coalesce(t.version, 0) as version
from (select $1::text as tenant) as p
left join sequence_tenant t on t.tenant = p.tenant
left join (select s.tenant, s.name, s.format, s.first, s.last from sequence s
           where s.tenant = $1::text order by s.id limit $2::int4) as f on f.tenant = p.tenant

-- name: SequenceSql.CREATE
with guard as (
    insert into sequence_tenant as t (tenant, version) values ($1::text, 1)
    on conflict (tenant) do update set version = t.version + 1 where t.version = $2::int8
    returning 1),
s as (
    insert into sequence (tenant, name, format, first, last, batch_size, batch_open_max, confirm_timeout,
        safety_window, recycle, replay_cap, recycle_age_max, probe_url, trace, forced)
    select $1::text, $3::text, $4::text, $5::int8, $6::int8, $7::int4,
        $8::int8 * interval '1 millisecond', $9::int8 * interval '1 millisecond',
        $10::int8 * interval '1 millisecond', $11::bool, $12::int4,
        $13::int8 * interval '1 millisecond', $14::text, $15::bool, $16::bool
    from guard
    on conflict (tenant, name) do nothing
    returning *),
c as (
    insert into sequence_counter (sequence_id, period, next_value, issue_floor)
    select id, '', first, first from s
    returning next_value)
select s.id, s.tenant, s.name, s.format, s.first, s.last, s.batch_size,
 (extract(epoch from s.batch_open_max) * 1000)::int8 as batch_open_max_ms,
 (extract(epoch from s.confirm_timeout) * 1000)::int8 as confirm_timeout_ms,
 (extract(epoch from s.safety_window) * 1000)::int8 as safety_window_ms,
 s.recycle, s.replay_cap,
 (extract(epoch from s.recycle_age_max) * 1000)::int8 as recycle_age_max_ms,
 s.probe_url, s.trace, s.forced, s.config_version, s.created_at, s.changed_at
, c.next_value from s, c

-- name: SequenceSql.CHANGE
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
        probe_url = $14::text, trace = $15::bool, forced = $16::bool,
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
select s.id, s.tenant, s.name, s.format, s.first, s.last, s.batch_size,
 (extract(epoch from s.batch_open_max) * 1000)::int8 as batch_open_max_ms,
 (extract(epoch from s.confirm_timeout) * 1000)::int8 as confirm_timeout_ms,
 (extract(epoch from s.safety_window) * 1000)::int8 as safety_window_ms,
 s.recycle, s.replay_cap,
 (extract(epoch from s.recycle_age_max) * 1000)::int8 as recycle_age_max_ms,
 s.probe_url, s.trace, s.forced, s.config_version, s.created_at, s.changed_at
, coalesce((select next_value from raised), (select next_value from counter)) as next_value from s

-- name: SettleSql.MERGE
with i as materialized (
  select batch_id, sequence_id, period, base, c::bit varying as c, a::bit varying as a, sealed_only::bit varying as sealed_only
  from unnest($1::int8[], $2::int4[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[])
    as i(batch_id, sequence_id, period, base, c, a, sealed_only)
), l as materialized (
  select b.batch_id, b.sequence_id, b.period, b.lo, coalesce(b.issued_to, b.hi) as top, b.status, b.opened_at,
    b.confirmed, b.abandoned, i.base, i.c, i.a, i.sealed_only
  from i join batch b on b.batch_id = i.batch_id and b.sequence_id = i.sequence_id and b.period = i.period
  order by b.batch_id
  for update of b
), x as materialized (
  select l.*, p.first, p.bits, (p.first - l.lo + 1)::int4 as at,
    substring(l.confirmed from (p.first - l.lo + 1)::int4 for p.bits) as c_before,
    substring(l.abandoned from (p.first - l.lo + 1)::int4 for p.bits) as a_before,
    substring(l.c from (p.first - l.base + 1)::int4 for p.bits) as c_want,
    substring(l.a from (p.first - l.base + 1)::int4 for p.bits) as a_want,
    case when l.status = 1 then substring(l.sealed_only from (p.first - l.base + 1)::int4 for p.bits) end as barred
  from l cross join lateral (
    select greatest(l.base, l.lo) as first,
      (least(l.base + length(coalesce(l.c, l.a)), l.top + 1) - greatest(l.base, l.lo))::int4 as bits) p
  where p.bits > 0
), y as materialized (
  select x.batch_id, x.sequence_id, x.period, x.opened_at, x.first, x.bits, x.at, x.c_before, x.a_before,
    bit_count(x.c) as c_asked, bit_count(x.a) as a_asked, x.c_want & f.free as c_on,
    x.a_want & f.free & ~coalesce(x.c_want, ~x.a_want) as a_on
  from x cross join lateral (
    select ~(x.c_before | x.a_before | coalesce(x.barred, x.c_before)) as free) f
), u as (
  update batch b
  set confirmed = case when y.c_on is null then b.confirmed
        else overlay(b.confirmed placing y.c_before | y.c_on from y.at) end,
    abandoned = case when y.a_on is null then b.abandoned
        else overlay(b.abandoned placing y.a_before | y.a_on from y.at) end
  from y
  where b.batch_id = y.batch_id and (bit_count(y.c_on) > 0 or bit_count(y.a_on) > 0)
  returning b.batch_id
), t as materialized (
  select y.sequence_id, y.period, e.value, y.batch_id, e.status, e.biz_key, e.reason, e.actor, y.opened_at
  from unnest($8::int8[], $9::int8[], $10::int2[], $11::text[], $12::text[], $13::text[])
      as e(batch_id, value, status, biz_key, reason, actor)
    join y on y.batch_id = e.batch_id
    join u on u.batch_id = e.batch_id
  where case when e.value between y.first and y.first + y.bits - 1
    then get_bit(case when e.status = 2 then y.c_on else y.a_on end, (e.value - y.first)::int4) = 1 end
), r as (
  insert into issue_log (sequence_id, period, seq_no, batch_id, status, biz_key, explicit, abandon_reason, issued_time,
    abandoned_time, replay_deadline)
  select t.sequence_id, t.period, t.value, t.batch_id, t.status, t.biz_key, t.status <> 2,
    case when t.status <> 2 then coalesce(t.reason, 'abandoned') end, t.opened_at,
    case when t.status <> 2 then clock_timestamp() end,
    case when t.status = 3 then clock_timestamp() + s.safety_window end
  from t join sequence s on s.id = t.sequence_id
  on conflict do nothing
  returning sequence_id, period, seq_no
), told as (
  insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
  select t.sequence_id, t.period, t.value, null, t.status, 0, t.reason, t.actor
  from r join t on t.sequence_id = r.sequence_id and t.period = r.period and t.value = r.seq_no
)
select i.batch_id, y.first, case when u.batch_id is not null then y.c_on::text end as confirmed,
  case when u.batch_id is not null then y.a_on::text end as abandoned
from i left join y on y.batch_id = i.batch_id left join u on u.batch_id = y.batch_id
where y.batch_id is null or coalesce(bit_count(y.c_on), 0) < coalesce(y.c_asked, 0)
  or coalesce(bit_count(y.a_on), 0) < coalesce(y.a_asked, 0)
  or (u.batch_id is null and (bit_count(y.c_on) > 0 or bit_count(y.a_on) > 0))

-- name: SettleSql.CHANGE
with g as materialized (
  select * from unnest($1::int4[], $2::int8[], $3::int4[], $4::text[], $5::int8[], $6::int2[], $7::int4[], $8::bool[],
      $9::bool[], $10::text[], $11::text[], $12::text[])
    as g(place, batch_id, sequence_id, period, value, wanted, ticket, vouched, operator, biz_key, reason, actor)
), l as materialized (
  select g.place, r.id, r.status, r.generation, r.holder_generation, r.explicit
  from g join issue_log r on r.sequence_id = g.sequence_id and r.period = g.period and r.seq_no = g.value
  order by r.id
  for update of r
), f as materialized (
  select g.*, l.id, l.status, l.generation, l.holder_generation, l.explicit, b.status as batch_status, b.opened_at,
    get_bit(b.confirmed, (g.value - b.lo)::int4) = 1 as confirmed,
    get_bit(b.abandoned, (g.value - b.lo)::int4) = 1 as abandoned,
    p.proven,
    p.proven and case when g.ticket >= 0 then g.ticket = l.holder_generation
      else l.generation = 0 and l.holder_generation = 0 end as held
  from g
    left join l on l.place = g.place
    left join batch b on b.batch_id = g.batch_id and b.sequence_id = g.sequence_id and b.period = g.period
      and g.value between b.lo and coalesce(b.issued_to, b.hi)
    cross join lateral (
      select g.ticket >= 0 or coalesce(g.vouched or b.status > 1, false) as proven) p
), d as materialized (
  select f.*,
    case
      when status = 5 then case when ticket > 0 and ticket = generation then wanted end
      when wanted = 2 then case when status in (3, 4) and held and not explicit then 2::int2 end
      when wanted = 3 then case when status in (3, 4, 6, 8) and held and not explicit then status end
      when status in (3, 4, 6, 8) and held then 7::int2
      when status in (2, 3, 4, 6, 8) and operator and proven and (ticket < 0 or ticket = holder_generation) then 7::int2
    end as target
  from f
  where id is not null
), u as (
  update issue_log r
  set status = d.target,
    holder_generation = case when d.status = 5 then d.generation else r.holder_generation end,
    version = r.version + (d.target <> d.status)::int4,
    explicit = d.target <> 2,
    abandon_reason = case when d.target <> 2 then coalesce(d.reason, 'abandoned') end,
    biz_key = case when d.target = 2 then d.biz_key else r.biz_key end,
    abandoned_time = case when d.status = 5 and d.target <> 2 then clock_timestamp() else r.abandoned_time end,
    replay_deadline = case when d.target = d.status then r.replay_deadline
      when d.target = 3 then clock_timestamp() + s.safety_window end,
    due_at = null, owner = null, claim_id = null,
    push_attempts = case when d.target = d.status then r.push_attempts else 0 end,
    pushed = d.target = d.status and r.pushed,
    next_push_at = case when d.target = d.status then r.next_push_at end,
    probe_attempts = case when d.target = d.status then r.probe_attempts else 0 end,
    next_probe_at = case when d.target = d.status then r.next_probe_at end,
    changed_at = clock_timestamp()
  from d join sequence s on s.id = d.sequence_id
  where r.id = d.id and d.target is not null
  returning d.place
), v as (
  insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, abandon_reason, issued_time)
  select f.sequence_id, f.period, f.value, f.batch_id, 7, true, coalesce(f.reason, 'void'), f.opened_at
  from f
  where f.id is null and f.confirmed and f.wanted = 7 and f.operator and f.proven and f.ticket <= 0
  order by f.sequence_id, f.period, f.value
  on conflict do nothing
  returning sequence_id, period, seq_no
), undead as (
  delete from issue_dead x
  where x.id in (
    select y.id from issue_dead y join d on d.id = y.id
    where d.status = 8 and d.target = 7
    for update of y skip locked)
), told as (
  insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor)
  select d.sequence_id, d.period, d.value, d.status, d.target, d.generation, d.reason, d.actor
  from u join d on d.place = u.place
  union all
  select f.sequence_id, f.period, f.value, 2, 7, 0, f.reason, f.actor
  from v join f on f.sequence_id = v.sequence_id and f.period = v.period and f.value = v.seq_no
)
select f.place, f.batch_status, f.confirmed, f.abandoned, f.proven, f.status, f.generation, f.holder_generation, f.explicit,
  case when u.place is not null then d.target when v.seq_no is not null then 7::int2 end as target
from f
  left join d on d.place = f.place
  left join u on u.place = f.place
  left join v on v.sequence_id = f.sequence_id and v.period = f.period and v.seq_no = f.value

-- name: SettleSql.FIND
select g.place, b.batch_id, b.suspect
from unnest($1::int4[], $2::int4[], $3::text[], $4::int8[]) as g(place, sequence_id, period, value)
  cross join lateral (
    select b.batch_id, coalesce(b.issued_to, b.hi) as top, b.suspect
    from batch b
    where b.sequence_id = g.sequence_id and b.period = g.period and b.lo <= g.value
    order by b.lo desc
    limit 1) b
where g.value <= b.top

