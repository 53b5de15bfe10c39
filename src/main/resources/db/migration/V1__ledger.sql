-- The ledger: sequences, their counters, leased batches with two bits a number, and a row for every exception.
--
-- Codes. batch.status: 1 OPEN, 2 SEALED, 3 CLOSED.
-- issue_log.status: 1 ALLOCATED, 2 CONFIRMED, 3 ABANDONED, 4 REPLAYABLE, 5 REPLAYED, 6 RETIRED, 7 VOID, 8 DEAD.

create table sequence (
    id                 integer generated always as identity primary key,
    tenant             text        not null default 'default',
    name               text        not null,
    kind               text        not null default 'segment',
    format             text        not null,
    first              bigint      not null,
    last               bigint      not null,
    batch_size         integer     not null,
    batch_open_max     interval    not null,
    confirm_timeout    interval    not null,
    safety_window      interval    not null,
    recycle            boolean     not null,
    replay_cap         integer     not null,
    recycle_age_max    interval,
    probe_url          text,
    trace              boolean     not null,
    forced             boolean     not null,
    reset              text        not null default 'never',
    time_zone          text        not null default 'UTC',
    config_version     bigint      not null default 1,
    created_at         timestamptz not null default clock_timestamp(),
    changed_at         timestamptz not null default clock_timestamp(),
    unique (tenant, name),
    check (first >= 0 and last >= first),
    check (batch_size > 0)
);

-- One row a tenant: its version rises whenever a sequence is created or may produce more numbers than before, so that the
-- check whether two formats collide holds until its result is written.
create table sequence_tenant (
    tenant  text   primary key,
    version bigint not null
);

-- The high-water mark: next_value and revision only ever rise. Returned ranges below issue_floor are not leased again.
create table sequence_counter (
    sequence_id integer not null references sequence,
    period      text    not null default '',
    next_value  bigint  not null,
    issue_floor bigint  not null,
    revision    bigint  not null default 1,
    primary key (sequence_id, period)
) with (fillfactor = 50);

create table returned_range (
    id          bigint generated always as identity primary key,
    sequence_id integer not null references sequence,
    period      text    not null,
    lo          bigint  not null,
    hi          bigint  not null,
    check (lo <= hi)
);
create index returned_range_by_value on returned_range (sequence_id, period, lo);

-- Values that were jumped over when an operator raised next_value. With it every value from first to next_value - 1 lies in a
-- batch, in a returned range or here, and what does not is lost.
create table skipped_range (
    id          bigint generated always as identity primary key,
    sequence_id integer     not null references sequence,
    period      text        not null,
    lo          bigint      not null,
    hi          bigint      not null,
    skipped_at  timestamptz not null default clock_timestamp(),
    check (lo <= hi)
);
create index skipped_range_by_value on skipped_range (sequence_id, period, lo);

-- A leased range lo..hi. confirmed and abandoned have a bit for each value, lo first, and are always disjoint.
-- While OPEN only the owner's cursor knows how far it is handed out; from SEALED on issued_to is final, and what lies
-- above it left the batch. suspect: the batch stands for numbers whose history was lost in a failover.
create table batch (
    batch_id    bigint generated always as identity primary key,
    sequence_id integer     not null references sequence,
    period      text        not null,
    lo          bigint      not null,
    hi          bigint      not null,
    owner       uuid        not null,
    lease_id    uuid        not null,
    opened_at   timestamptz not null default clock_timestamp(),
    issued_to   bigint,
    sealed_at   timestamptz,
    due_at      timestamptz,
    confirmed   bit varying not null,
    abandoned   bit varying not null,
    status      smallint    not null default 1,
    suspect     boolean     not null default false,
    check (lo <= hi and (issued_to is null or issued_to between lo and hi)),
    check (status in (1, 2, 3) and (status = 1) = (issued_to is null)),
    -- No value in two unsettled batches. One-element ranges stand for equality, so that no extension is needed.
    constraint batch_no_overlap exclude using gist (
        int4range(sequence_id, sequence_id, '[]') with &&,
        int8range(hashtextextended(period, 0) / 2, hashtextextended(period, 0) / 2, '[]') with &&,
        int8range(lo, coalesce(issued_to, hi), '[]') with &&) where (status in (1, 2))
) with (fillfactor = 60);
create index batch_by_value on batch (sequence_id, period, lo);
create index batch_open on batch (owner, lease_id) where status = 1;
create index batch_due on batch (due_at, batch_id) where status = 2;

-- One row for every number that is not told by the bits of its batch alone: abandoned, recycled, voided, traced.
-- version rises with every transition and never repeats. generation counts issues; holder_generation is the generation of
-- the last caller who really got the number. explicit tells an abandon by its holder from a timeout. pushed tells that the
-- pool accepted an entry for the row as it is; push_attempts counts the entries that the pool refused or lost.
create table issue_log (
    id                bigint generated always as identity primary key,
    sequence_id       integer     not null references sequence,
    period            text        not null,
    seq_no            bigint      not null,
    batch_id          bigint      not null,
    status            smallint    not null check (status between 1 and 8),
    generation        integer     not null default 0,
    holder_generation integer     not null default 0,
    biz_key           text,
    explicit          boolean     not null default false,
    abandon_reason    text,
    issued_time       timestamptz,
    abandoned_time    timestamptz,
    replay_deadline   timestamptz,
    due_at            timestamptz,
    replay_times      integer     not null default 0,
    push_attempts     integer     not null default 0,
    pushed            boolean     not null default false,
    next_push_at      timestamptz,
    probe_attempts    integer     not null default 0,
    next_probe_at     timestamptz,
    owner             uuid,
    claim_id          uuid,
    version           bigint      not null default 1,
    changed_at        timestamptz not null default clock_timestamp(),
    unique (sequence_id, period, seq_no)
) with (fillfactor = 70);
create index issue_log_release on issue_log (replay_deadline, id) where status = 3;
create index issue_log_push on issue_log (next_push_at, id) where status = 4;
create index issue_log_due on issue_log (due_at, id) where status = 5;

-- Dead letters: rows that left issue_log (which keeps one with status 8) and wait for an operator.
create table issue_dead (
    id                bigint primary key,
    sequence_id       integer     not null references sequence,
    period            text        not null,
    seq_no            bigint      not null,
    batch_id          bigint      not null,
    generation        integer     not null,
    holder_generation integer     not null,
    version           bigint      not null,
    push_attempts     integer     not null,
    probe_attempts    integer     not null,
    dead_reason       text        not null,
    dead_time         timestamptz not null default clock_timestamp()
);
create index issue_dead_by_sequence on issue_dead (sequence_id, id);

-- Append-only history of the exceptions. to_status 0 never stands here; from_status is null where the number had no row.
create table issue_event (
    id          bigint generated always as identity primary key,
    at          timestamptz not null default clock_timestamp(),
    sequence_id integer     not null,
    period      text        not null,
    seq_no      bigint      not null,
    from_status smallint,
    to_status   smallint    not null,
    generation  integer     not null,
    reason      text,
    actor       text        not null
);
create index issue_event_by_number on issue_event (sequence_id, period, seq_no, id);

-- A process with a lease on its batches. reaped_at is set once the lease was over and its batches were sealed by others;
-- such a row never renews.
create table instance (
    instance_id uuid        primary key,
    host        text        not null,
    started_at  timestamptz not null default clock_timestamp(),
    lease_until timestamptz not null,
    reaped_at   timestamptz
) with (fillfactor = 50);

-- Secrets of the service itself, made once by the first instance: the key that authenticates tickets.
create table service_key (
    purpose    text        primary key,
    secret     bytea       not null,
    created_at timestamptz not null default clock_timestamp()
);
