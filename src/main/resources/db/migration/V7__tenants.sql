-- Tenants and their API keys. Sequences belong to tenants by name since V1.

-- What a tenant may have: null stands for the default of the settings, 0 for no limit.
create table tenant (
    name                text collate "C" primary key,
    sequences_max       integer check (sequences_max >= 0),
    numbers_per_second  integer check (numbers_per_second >= 0),
    requests_per_second integer check (requests_per_second >= 0),
    disabled            boolean     not null default false,
    version             bigint      not null default 1,
    created_at          timestamptz not null default clock_timestamp(),
    changed_at          timestamptz not null default clock_timestamp()
);
insert into tenant (name) select 'default' union select tenant from sequence;

-- Keys, of which only a hash is kept: SHA-256 of the whole text, whose secret has 256 random bits.
-- scopes: 1 issue, 2 settle, 4 operate, 8 admin, added up.
create table api_key (
    key_id     text collate "C" primary key,
    tenant     text collate "C" not null references tenant,
    hash       bytea       not null check (length(hash) = 32),
    scopes     smallint    not null check (scopes between 1 and 15),
    note       text        not null default '',
    created_at timestamptz not null default clock_timestamp(),
    not_after  timestamptz,
    revoked_at timestamptz
);
create index api_key_by_tenant on api_key (tenant, key_id);

-- One row, whose version rises with every change of the two tables above: every process asks for it about once a second.
create table tenant_change (
    id      smallint primary key default 1 check (id = 1),
    version bigint   not null default 1
);
insert into tenant_change default values;
