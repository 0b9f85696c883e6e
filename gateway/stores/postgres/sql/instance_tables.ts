/** Tables of the instances that use the database. */
export const INSTANCE_TABLES = `
create table instance (
  id text primary key,
  number bigint generated always as identity,    -- fencing token: later instances have higher ones
  beats bigint not null default 0,               -- grows while the instance lives
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),   -- of the last beat; nothing decides by it
  ended_at timestamptz,                          -- set once, with the ledger's head locked
  is_cleared boolean not null default false      -- true when none of its holds and rows are left
) with (fillfactor = 50);
create index instance_in_use on instance (number) where not is_cleared;
`;
