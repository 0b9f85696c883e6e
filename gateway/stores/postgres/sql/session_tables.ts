/** Tables of the sessions of the console. Nothing in them opens a session. */
export const SESSION_TABLES = `
create table console_session (
  digest text primary key,             -- SHA-256 of the secret that the browser has
  name text not null,
  actor text not null,
  number bigserial,                    -- a later session has a higher one
  began_ms bigint not null,
  used_ms bigint not null,
  version bigint not null,
  data text not null                   -- the session as JSON
);

create table console_ticket (
  digest text primary key,
  number bigserial,
  until_ms bigint not null,
  sealed text not null                 -- under a key that only the browser has
);
`;
