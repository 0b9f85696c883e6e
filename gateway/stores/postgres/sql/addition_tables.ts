/** Tables of statistics on their way into a snapshot, and of the lease of the instance that takes it. */
export const ADDITION_TABLES = `
create table routing_addition (
  id text primary key,                 -- chosen by the instance: a repeat changes nothing
  number bigserial,
  at timestamptz not null default now(),
  included bigint,                     -- number of the snapshot that includes it
  data text not null                   -- statistics by wallet, as JSON
);
create index routing_addition_waiting on routing_addition (number) where included is null;

create table lease (
  name text primary key,
  instance text not null,
  until timestamptz not null           -- by the clock of the database
);
`;
