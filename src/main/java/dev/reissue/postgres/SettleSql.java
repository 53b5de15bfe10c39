package dev.reissue.postgres;

/**
 * The statements that settle numbers. Each one is a transaction of its own and may be repeated.
 *
 * <p>Locks are taken in one order: {@link #MERGE} locks batches by id and then only inserts; {@link #CHANGE} locks rows of issue_log
 * by id and then only inserts. Nobody who holds one waits for the other. What a statement decides, it decides on rows that it has
 * locked, so its updates name them by key alone: a guard on a column that a rival changed meanwhile would be tried against the
 * old version of the row and skip the new one.
 */
final class SettleSql {
    private SettleSql() {}

    /**
     * Turns on bits of batches, the first in wins, and writes the rows of those bits that are exceptions.
     *
     * <p>One batch an element of $1 to $7, each batch once: id, sequence, period, base value, and three masks from the base value on:
     * to confirm, to abandon, and those of both that may be touched in a sealed batch only. One exception an element of $8 to $14: batch,
     * value, state (2 traced, 3 abandoned, 7 void), business key, reason, actor, trace.
     *
     * <p>{@code i} cuts the masks to {@code lo..issued_to}; {@code y.c_on} and {@code y.a_on} are the bits that this very UPDATE turns
     * on, from the value {@code y.first} on. Rows come from nothing else. Returns the batches that refused something, that are not there
     * ({@code first} is null), or that the UPDATE passed over (no bits): only what it returned has happened.
     */
    static final String MERGE = """
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
              select y.sequence_id, y.period, e.value, y.batch_id, e.status, e.biz_key, e.reason, e.actor, e.trace_id, y.opened_at
              from unnest($8::int8[], $9::int8[], $10::int2[], $11::text[], $12::text[], $13::text[], $14::text[])
                  as e(batch_id, value, status, biz_key, reason, actor, trace_id)
                join y on y.batch_id = e.batch_id
                join u on u.batch_id = e.batch_id
              where case when e.value between y.first and y.first + y.bits - 1
                then get_bit(case when e.status = 2 then y.c_on else y.a_on end, (e.value - y.first)::int4) = 1 end
            ), r as (
              insert into issue_log (sequence_id, period, seq_no, batch_id, status, biz_key, explicit, abandon_reason, issued_time,
                abandoned_time, replay_deadline, settled_by, trace_id)
              select t.sequence_id, t.period, t.value, t.batch_id, t.status, t.biz_key, t.status <> 2,
                case when t.status <> 2 then coalesce(t.reason, 'abandoned') end, t.opened_at,
                case when t.status <> 2 then clock_timestamp() end,
                case when t.status = 3 then clock_timestamp() + s.safety_window end, t.actor, t.trace_id
              from t join sequence s on s.id = t.sequence_id
              on conflict do nothing
              returning sequence_id, period, seq_no
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor, trace_id)
              select t.sequence_id, t.period, t.value, null, t.status, 0, t.reason, t.actor, t.trace_id
              from r join t on t.sequence_id = r.sequence_id and t.period = r.period and t.value = r.seq_no
            )
            select i.batch_id, y.first, case when u.batch_id is not null then y.c_on::text end as confirmed,
              case when u.batch_id is not null then y.a_on::text end as abandoned
            from i left join y on y.batch_id = i.batch_id left join u on u.batch_id = y.batch_id
            where y.batch_id is null or coalesce(bit_count(y.c_on), 0) < coalesce(y.c_asked, 0)
              or coalesce(bit_count(y.a_on), 0) < coalesce(y.a_asked, 0)
              or (u.batch_id is null and (bit_count(y.c_on) > 0 or bit_count(y.a_on) > 0))
            """;

    /**
     * Turns on bits of confirms in one batch, all of them or none. What most flushes under load are, and the parts of a plan cost more
     * than the row: a third of {@link #CONFIRM}.
     *
     * <p>Batch $1, sequence $2, period $3, base value $4, how many values from it on $5, mask $6. No row comes back where a bit is not
     * free or a value is not in the batch; then nothing has changed and {@link #CONFIRM} tells the bits apart. PostgreSQL tries the guard
     * again on the newest version of a row that it had to wait for.
     */
    static final String CONFIRM_ONE = """
            update batch b
            set confirmed = overlay(b.confirmed
              placing substring(b.confirmed from ($4::int8 - b.lo + 1)::int4 for $5::int4)
                | substring($6::text::bit varying from 1 for $5::int4)
              from ($4::int8 - b.lo + 1)::int4)
            where b.batch_id = $1::int8 and b.sequence_id = $2::int4 and b.period = $3::text
              and b.lo <= $4::int8 and $4::int8 + $5::int4 - 1 <= coalesce(b.issued_to, b.hi)
              and bit_count((substring(b.confirmed from ($4::int8 - b.lo + 1)::int4 for $5::int4)
                | substring(b.abandoned from ($4::int8 - b.lo + 1)::int4 for $5::int4))
                & substring($6::text::bit varying from 1 for $5::int4)) = 0
            returning 1
            """;

    /**
     * Turns on bits of confirms alone, as {@link #MERGE} does. Most flushes need no more, and the parts of a plan that nobody uses
     * cost as much to set up as the rest of it.
     *
     * <p>One batch an element of $1 to $6, each batch once: id, sequence, period, base value, and two masks from the base value on: to
     * confirm, and those that may be touched in a sealed batch only. Answers like {@link #MERGE}.
     */
    static final String CONFIRM = """
            with i as materialized (
              select batch_id, sequence_id, period, base, c::bit varying as c, sealed_only::bit varying as sealed_only
              from unnest($1::int8[], $2::int4[], $3::text[], $4::int8[], $5::text[], $6::text[])
                as i(batch_id, sequence_id, period, base, c, sealed_only)
            ), l as materialized (
              select b.batch_id, b.lo, b.status, b.confirmed, b.abandoned, i.base, i.c, i.sealed_only,
                greatest(i.base, b.lo) as first,
                greatest(0, least(i.base + length(i.c), coalesce(b.issued_to, b.hi) + 1) - greatest(i.base, b.lo))::int4 as bits
              from i join batch b on b.batch_id = i.batch_id and b.sequence_id = i.sequence_id and b.period = i.period
              order by b.batch_id
              for update of b
            ), y as materialized (
              select l.batch_id, l.first, x.at, x.c_before, bit_count(l.c) as asked,
                x.want & ~(x.c_before | x.a_before | coalesce(x.barred, x.c_before)) as c_on
              from l cross join lateral (
                select (l.first - l.lo + 1)::int4 as at,
                  substring(l.confirmed from (l.first - l.lo + 1)::int4 for l.bits) as c_before,
                  substring(l.abandoned from (l.first - l.lo + 1)::int4 for l.bits) as a_before,
                  substring(l.c from (l.first - l.base + 1)::int4 for l.bits) as want,
                  case when l.status = 1 then substring(l.sealed_only from (l.first - l.base + 1)::int4 for l.bits) end as barred) x
              where l.bits > 0
            ), u as (
              update batch b
              set confirmed = overlay(b.confirmed placing y.c_before | y.c_on from y.at)
              from y
              where b.batch_id = y.batch_id and bit_count(y.c_on) > 0
              returning b.batch_id
            )
            select i.batch_id, y.first, case when u.batch_id is not null then y.c_on::text end as confirmed
            from i left join y on y.batch_id = i.batch_id left join u on u.batch_id = y.batch_id
            where y.batch_id is null or bit_count(y.c_on) < y.asked or (u.batch_id is null and bit_count(y.c_on) > 0)
            """;

    /**
     * Changes the rows of numbers that are not told by their bits, and tells what is known about each. Every number once.
     *
     * <p>One number an element: its place in the call $1, batch $2, sequence $3, period $4, value $5, wanted state $6 (2, 3 or 7), the
     * generation that a ticket proves $7 (-1 without one), whether this process vouches that it was handed out $8, whether an operator
     * asks $9, business key $10, reason $11, actor $12, trace $13.
     *
     * <p>{@code f} is what is known: {@code proven} says that the number was handed out at all, {@code held} that the caller is its last
     * holder. {@code d.target} is the state that it goes to, null where the call is refused; the same state again makes a timeout an
     * explicit abandon. Only an operator declares a confirmed number void; one without a row gets one: its bit is never taken back.
     * {@code buried} is materialized: inside the delete, a plan made while there were no dead letters would lock them all again for
     * each of them.
     */
    static final String CHANGE = """
            with g as materialized (
              select * from unnest($1::int4[], $2::int8[], $3::int4[], $4::text[], $5::int8[], $6::int2[], $7::int4[], $8::bool[],
                  $9::bool[], $10::text[], $11::text[], $12::text[], $13::text[])
                as g(place, batch_id, sequence_id, period, value, wanted, ticket, vouched, operator, biz_key, reason, actor, trace_id)
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
                settled_by = d.actor, trace_id = d.trace_id, changed_at = clock_timestamp()
              from d join sequence s on s.id = d.sequence_id
              where r.id = d.id and d.target is not null
              returning d.place
            ), v as (
              insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, abandon_reason, issued_time,
                settled_by, trace_id)
              select f.sequence_id, f.period, f.value, f.batch_id, 7, true, coalesce(f.reason, 'void'), f.opened_at, f.actor, f.trace_id
              from f
              where f.id is null and f.confirmed and f.wanted = 7 and f.operator and f.proven and f.ticket <= 0
              order by f.sequence_id, f.period, f.value
              on conflict do nothing
              returning sequence_id, period, seq_no
            ), buried as materialized (
              select y.id from d join issue_dead y on y.id = d.id
              where d.status = 8 and d.target = 7
              for update of y skip locked
            ), undead as (
              delete from issue_dead x using buried where x.id = buried.id
            ), told as (
              insert into issue_event (sequence_id, period, seq_no, from_status, to_status, generation, reason, actor, trace_id)
              select d.sequence_id, d.period, d.value, d.status, d.target, d.generation, d.reason, d.actor, d.trace_id
              from u join d on d.place = u.place
              union all
              select f.sequence_id, f.period, f.value, 2, 7, 0, f.reason, f.actor, f.trace_id
              from v join f on f.sequence_id = v.sequence_id and f.period = v.period and f.value = v.seq_no
            )
            select f.place, f.batch_status, f.confirmed, f.abandoned, f.proven, f.status, f.generation, f.holder_generation, f.explicit,
              case when u.place is not null then d.target when v.seq_no is not null then 7::int2 end as target
            from f
              left join d on d.place = f.place
              left join u on u.place = f.place
              left join v on v.sequence_id = f.sequence_id and v.period = f.period and v.seq_no = f.value
            """;

    /**
     * Finds the batch of values that are known by themselves only: place in the call $1, sequence $2, period $3, value $4. A hint: the
     * other statements look again. Batches do not overlap below {@code issued_to}, so only the one that begins nearest below can have
     * the value.
     */
    static final String FIND = """
            select g.place, b.batch_id, b.suspect or b.batch_id <= coalesce(k.suspect_to, 0) as suspect
            from unnest($1::int4[], $2::int4[], $3::text[], $4::int8[]) as g(place, sequence_id, period, value)
              cross join lateral (
                select b.batch_id, coalesce(b.issued_to, b.hi) as top, b.suspect
                from batch b
                where b.sequence_id = g.sequence_id and b.period = g.period and b.lo <= g.value
                order by b.lo desc
                limit 1) b
              left join sequence_counter k on k.sequence_id = g.sequence_id and k.period = g.period
            where g.value <= b.top
            """;
}
