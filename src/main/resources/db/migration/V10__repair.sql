-- Whoever finds that the database has lost commits says so here before the repair, so that everybody knows, and anybody can end it.
-- repair_from: where next_value was when the repair began, null while there is none. suspect_to: of the batches up to this id some numbers
-- may have been handed out or settled in the lost time; what of them is not confirmed is retired.
alter table sequence_counter
    add column repair_from bigint,
    add column suspect_to bigint not null default 0;

-- What each process knows to be committed, so that it notices when the database has forgotten it.
create table witness (
    witness_id uuid primary key,
    beat       bigint not null,
    seen_at    timestamptz not null default clock_timestamp()
) with (fillfactor = 20);
