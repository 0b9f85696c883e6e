/** Corrections of wallets: closed wallets, the operations by their ids, and those that wait. */
export const CORRECTION_TABLES = `
alter table wallet add column closed_at_ms bigint;
alter table credit add column correction text;  -- kind and details; null for a credit

create table correction (
  id text primary key,                 -- operation id in the ledger
  version bigint not null,
  at_ms bigint not null,
  data text not null                   -- the correction as JSON
);
`;
