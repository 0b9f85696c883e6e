/** Tables of notifications: targets, incidents, and the outbox of their deliveries. */
export const NOTICE_TABLES = `
create table notice_target (
  id text primary key,
  data text not null                   -- as JSON, with the secrets of the target
);

create table notice_incident (
  id text primary key,                 -- in the order in which they began
  name text not null,                  -- of its condition
  ended_at_ms bigint,
  data text not null                   -- as JSON
);
-- One incident at a time for each condition, whichever instance finds it.
create unique index notice_incident_open on notice_incident (name) where ended_at_ms is null;
create index notice_incident_ended on notice_incident (ended_at_ms) where ended_at_ms is not null;

create table notice_delivery (
  id text primary key,                 -- of the message and the target
  target text not null,
  incident text not null,
  state text not null,
  next_at_ms bigint not null,
  data text not null                   -- as JSON
);
create index notice_delivery_due on notice_delivery (target, next_at_ms, id) where state = 'pending';
create index notice_delivery_incident on notice_delivery (incident);
create index notice_delivery_target on notice_delivery (target);
`;
