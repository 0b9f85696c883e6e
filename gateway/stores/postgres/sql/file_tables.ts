/** Tables of callers' files. Every change of a file holds one advisory lock, so that no limit is passed. */
export const FILE_TABLES = `
create table caller_file (
  owner text not null,
  id text not null,
  bytes bigint not null,
  data text not null,                  -- JSON
  primary key (owner, id)
);

create table caller_file_part (
  file_id text not null,
  number int not null,
  content bytea not null,
  primary key (file_id, number)
);

-- Uploads that are not finished.
create table caller_file_upload (
  id text primary key,
  started_at_ms bigint not null
);
`;
