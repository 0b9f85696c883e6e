/** Tables of the instances that use the database. */
export const INSTANCE_TABLES = `
create table instance (
  id text primary key,
  number bigint generated always as identity,   -- fencing token: later instances have higher ones
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz                           -- set once, by itself or by another instance
);
`;
