/**
 * Tables of the request log. Rows are numbered without gaps in the order of their commits, because
 * the batches that insert them lock the head of the ledger. Ids that PostgreSQL cannot store as text
 * are hashed.
 */
export const LOG_TABLES = `
create table request_log (
  number bigint primary key,
  id text not null unique,
  at_ms bigint not null,               -- start of the request
  request_id text not null,
  key_id text not null,
  wallet_id text not null,
  charged bigint not null,             -- micro-credits
  task text,                           -- fingerprint
  facets text[] not null,              -- values with few alternatives, each with its kind
  line text not null                   -- the record as JSON
)
-- Lines are stored apart, so that a search without an index reads a fifth of the table.
with (toast_tuple_target = 128);
alter table request_log alter column line set storage external;
alter table request_log alter column id set storage main, alter column request_id set storage main,
  alter column key_id set storage main, alter column wallet_id set storage main,
  alter column task set storage main, alter column facets set storage main;
create index request_log_by_request on request_log (request_id, number);
create index request_log_by_key on request_log (key_id, number);
create index request_log_by_wallet on request_log (wallet_id, number);

-- Bounds of each 1024 consecutive numbers: a search omits parts that cannot have a match.
create table request_log_part (
  part bigint primary key,             -- number / 1024
  first bigint not null,               -- lowest number
  min_at_ms bigint not null,
  max_at_ms bigint not null,
  max_charged bigint not null,
  facets text[] not null               -- all facets of its rows
) with (fillfactor = 50);

-- Sums over the requests of a period.
create table log_sums (
  width_ms bigint not null,
  start_ms bigint not null,
  sums text not null,                  -- JSON
  primary key (width_ms, start_ms)
);

-- Locked by the one instance that counts and deletes rows.
create table log_sums_head (
  one boolean primary key default true check (one),
  counted bigint not null default 0    -- number of the last row in the sums
);
insert into log_sums_head default values;
`;
