/**
 * Tables of what instances remember for callers. They are not logged: a crash of the server empties
 * them, as a restart of a gateway empties its memory.
 */
export const MEMORY_TABLES = `
-- Sizes of all entries of a kind. The row is locked by the first statement of every change, so that
-- instances follow each other and no bound is passed.
create unlogged table caller_memory_head (
  kind text primary key,
  size bigint not null default 0
);

create unlogged table caller_memory (
  kind text not null,
  id text not null,                    -- has the id of the caller's key
  number bigserial,                    -- a later note has a higher number
  size bigint not null,
  content text not null,               -- JSON
  primary key (kind, id)
);
create index caller_memory_by_number on caller_memory (kind, number);
`;
