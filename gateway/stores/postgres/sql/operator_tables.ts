/** Tables of operators and of the audit log of the admin side. */
export const OPERATOR_TABLES = `
create table operator (
  id text primary key,
  version bigint not null,
  data text not null                   -- the operator as JSON, with digests of tokens
);

-- The row is locked by every entry, so that places have no gaps and follow the order of commits.
create table audit_trail_head (
  one boolean primary key default true check (one),
  place bigint not null default 0,
  hash text not null default ''
);
insert into audit_trail_head default values;

create table audit_trail (
  place bigint primary key,
  line text not null,                  -- the entry as JSON
  hash text not null                   -- SHA-256 of the hash before it and of the line
);
`;
