/** Tables of votes, audits and routing snapshots. Texts of callers are stored as JSON. */
export const LEARNING_TABLES = `
-- The row is locked by every new vote, so that positions become visible in their order.
create table vote_head (
  one boolean primary key default true check (one),
  last bigint not null default 0
);
insert into vote_head default values;

create table vote (
  position bigint primary key,
  log_id text not null,
  source text not null,
  score double precision not null,
  at_ms bigint not null,
  data text not null,
  unique (log_id, source)
);
create index vote_by_time on vote (at_ms);

create table audit_cost (
  day text not null,
  id text not null,
  cost bigint not null,
  primary key (day, id)
);

create table routing_snapshot (
  number bigint primary key,
  taken_at_ms bigint not null,
  wallets text not null,               -- pairs of a wallet's id and its version, as JSON
  votes text
);

create table routing_wallet (
  id text not null,
  version bigint not null,             -- number of the snapshot in which it changed
  data text not null,
  primary key (id, version)
);

create table routing_frozen (
  one boolean primary key default true check (one),
  number bigint not null
);
`;
