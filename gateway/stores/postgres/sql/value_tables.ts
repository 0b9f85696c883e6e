/** Tables of settings, and of files and responses that expire. */
export const VALUE_TABLES = `
create table setting (
  name text primary key,
  value text not null                  -- JSON
);

-- Files behind signed links (no owner), and stored responses.
create table stored_value (
  kind text not null,
  owner text not null,
  id text not null,
  number bigint generated always as identity,   -- a later value of an id has a higher number
  expires_at_ms bigint not null,
  bytes bigint not null,
  about text not null,                 -- JSON
  content bytea not null,
  primary key (kind, owner, id)
);
create index stored_value_by_expiry on stored_value (kind, expires_at_ms);

create table stored_value_alias (
  kind text not null,
  owner text not null,
  alias text not null,
  id text not null,
  primary key (kind, owner, alias, id),
  foreign key (kind, owner, id) references stored_value on delete cascade
);

-- Bytes in use, by kind and owner: locked by every change, so that no limit is passed.
create table stored_bytes (
  kind text not null,
  owner text not null,
  bytes bigint not null,
  primary key (kind, owner)
);
`;
