/** Table of the passes of key holders. */
export const PASS_TABLES = `
create table key_pass (
  key_id text not null,
  kind text not null,
  digest text not null,                -- SHA-256 of the secret
  began_at_ms bigint not null,
  ends_at_ms bigint not null,
  primary key (key_id, kind, digest)
);
create index key_pass_by_end on key_pass (ends_at_ms);
`;
