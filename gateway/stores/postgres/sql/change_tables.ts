/** Tables of the changes that instances tell each other, of keys, catalogs and vector stores. */
export const CHANGE_TABLES = `
-- The row is locked by the last statement of every change that is announced, so that numbers become
-- visible in their order.
create table change_head (
  one boolean primary key default true check (one),
  last bigint not null default 0
);
insert into change_head default values;

-- The changes of the last minutes, without a gap: an instance that finds one forgets all it has.
create table change (
  number bigint primary key,
  topic text not null,
  subject text not null,
  at timestamptz not null default clock_timestamp()
);

create table key_count (
  one boolean primary key default true check (one),
  number bigint not null default 0     -- locked by every new key, before change_head
);
insert into key_count default values;

create table api_key (
  id text collate "C" primary key,
  digest text not null,
  is_active boolean not null,
  pepper int,                          -- version of the pepper of the digest
  wallet_id text not null,
  rotated_from text,
  created_at_ms bigint not null,
  search text not null,                -- lower-case id, name and hint
  data text not null                   -- the key with its digest, as JSON
);
-- A look for an active key visits no row of another.
create index api_key_by_digest on api_key (is_active, digest);
create index api_key_by_time on api_key (created_at_ms, id);
create index api_key_by_wallet on api_key (wallet_id, created_at_ms, id);
create index api_key_by_pepper on api_key (pepper, created_at_ms, id);
create index api_key_by_original on api_key (rotated_from, created_at_ms, id)
  where rotated_from is not null;

create table catalog_version (
  version int primary key,
  updated_at_ms bigint not null,
  note text not null,                  -- JSON
  data text not null
);
`;
