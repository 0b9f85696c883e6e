/**
 * Tables of the ledger.
 *
 * Every change of the ledger is one batch. A batch locks the row of `ledger_head` first, so batches
 * of all instances follow each other, and no two can deadlock. Money is in micro-credits. Ids that
 * PostgreSQL cannot store as text are hashed; `original` then has their JSON.
 */
export const LEDGER_TABLES = `
create table ledger_head (
  one boolean primary key default true check (one),
  batch bigint not null default 0,     -- number of the last batch
  entries bigint not null default 0,   -- entries in all batches
  at_ms bigint not null default 0,     -- latest time of any entry
  hash text not null default '',       -- SHA-256 of the last batch
  logged bigint not null default 0     -- number of the last row of the request log
);
insert into ledger_head default values;

-- A link in the chain: hash = SHA-256 of the hash before it, and of the lines of its entries.
create table journal_batch (
  batch bigint primary key,
  id uuid not null unique,             -- chosen by the instance, to find out whether it landed
  entries bigint not null,
  first_place bigint not null,
  at_ms bigint not null,               -- latest time of any entry up to here
  hash text not null
);
create index journal_batch_by_time on journal_batch (at_ms, batch);

create table journal (
  place bigint primary key,            -- from 1, without gaps
  batch bigint not null,
  wallet text not null,
  op text not null,
  at_ms bigint not null,
  log_id text,
  line text not null                   -- the entry as JSON
);
create index journal_by_wallet on journal (wallet, place) where op <> 'progress';
create index journal_by_log on journal (log_id, place) where log_id is not null;

create table wallet (
  id text collate "C" primary key,     -- by code points, as the ids of other stores are ordered
  original text,
  number bigint not null,              -- order of opening
  tier text not null,
  credits bigint not null,
  available bigint not null check (available >= 0),
  held bigint not null check (held >= 0),
  spent bigint not null check (spent >= 0),
  written_off bigint not null,
  created_at_ms bigint not null,
  check (credits = available + held + spent)
);

create table key_spend (
  id text primary key,                 -- first key of a rotation line
  original text,
  held bigint not null check (held >= 0),
  day text not null,
  day_spent bigint not null,
  month text not null,
  month_spent bigint not null,
  total_spent bigint not null
);

create table hold (
  id text primary key,
  number bigint not null,              -- order of opening
  instance text not null,              -- the instance that ends it, unless that dies
  wallet text not null,
  budget text not null,
  data text not null                   -- the hold as JSON
);
create index hold_by_instance on hold (instance);

-- Ended holds, by which repeated commands are answered. The oldest are deleted, in order of place.
create table ended_hold (
  id text primary key,
  place bigint not null unique,        -- of the entry that ended it
  at timestamptz not null default clock_timestamp(),
  data text not null
);

create table credit (
  id text primary key,
  wallet text not null,                -- id as JSON
  amount bigint not null
);

-- Log rows that requests get if their instance dies before their own are written.
create table owed_row (
  id text primary key,
  instance text not null,
  line text not null
);

-- Holds that wait for credits, in the order of their arrival at any instance.
create table waiting_hold (
  number bigint generated always as identity primary key,
  id text not null unique,
  instance text not null,
  wallet text not null,
  budget text not null,
  data text not null
);
create index waiting_hold_by_wallet on waiting_hold (wallet, number);
`;
