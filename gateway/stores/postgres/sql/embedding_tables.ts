/** Table of the pinned embedding models of keys. */
export const EMBEDDING_TABLES = `
create table embedding_pin (
  id text primary key,                 -- first key of the rotation line
  data text not null                   -- the pin as JSON; equal pins have equal texts
);
`;
