/** Tables of the counts of keys with limits, at all instances together. */
export const LIMIT_TABLES = `
-- Amounts of the last minute. The row of a key is locked by the first statement of every change of
-- its counts, in the order of ids. A crash of the server empties the table.
create unlogged table key_minute (
  key_id text primary key,
  at timestamptz not null default clock_timestamp(),
  requests text,                       -- JSON
  tokens text
) with (fillfactor = 50);

-- Requests in flight, as each instance counts its own. Logged: a crash of the server ends no request.
create table key_slot (
  key_id text not null,
  instance text not null,
  used int not null,
  primary key (key_id, instance)
) with (fillfactor = 50);
`;
