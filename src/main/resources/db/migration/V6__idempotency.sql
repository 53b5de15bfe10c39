-- Idempotency keys: what was answered to a request that carried one. A row's id is a digest of tenant, sequence, operation and
-- key, so it needs no other column to be looked up; request is a digest of what was asked, to tell another request from a repeat.
-- Rows live until expires_at and are then free to be taken again, deleted or not.

-- Numbers handed out under a key: a run of values of one batch and generation; `more` has further runs where a request was served
-- from several: batch, first value, how many, generation, one after the other. Never updated but to take an expired row again.
create table idempotent_next (
    key_id      uuid        primary key,
    request     bigint      not null,
    sequence_id integer     not null,
    period      text        not null default '',
    batch_id    bigint      not null,
    first       bigint      not null,
    numbers     integer     not null,
    generation  integer     not null,
    more        bigint[],
    expires_at  timestamptz not null
);
create index idempotent_next_expiry on idempotent_next (expires_at);

-- Answers given under a key to calls that change numbers. While status is null the call runs, at the longest until running_until:
-- then a repeat of the same request may take it over under an attempt of its own.
create table idempotent_call (
    key_id        uuid        primary key,
    request       bigint      not null,
    attempt       uuid        not null,
    running_until timestamptz not null,
    status        smallint,
    body          text,
    expires_at    timestamptz not null
) with (fillfactor = 80);
create index idempotent_call_expiry on idempotent_call (expires_at);

-- Whether a request for numbers needs a key: 0 no, 1 any, 2 one that this service has issued.
alter table sequence add column require_key smallint not null default 0 check (require_key between 0 and 2);
