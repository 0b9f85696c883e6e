/** Tables of vector stores. Every change of them holds one advisory lock, so that no limit is passed. */
export const PASSAGE_TABLES = `
create table vector_store (
  id text primary key,
  bytes bigint not null,               -- of passages and vectors
  data text not null                   -- JSON
);

create table vector_file (
  store_id text not null,
  id text not null,
  starts int[] not null,               -- number of the first passage of each segment
  data text not null,
  primary key (store_id, id)
);

-- Passages under the id of their file (JSON), vectors under that of their embeddings (floats).
create table vector_segment (
  store_id text not null,
  part_id text not null,
  number int not null,
  content bytea not null,
  primary key (store_id, part_id, number)
);
`;
