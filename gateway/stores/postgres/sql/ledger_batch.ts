/**
 * Statements of one batch of the ledger.
 *
 * @module
 */

import { LOG_CHANNEL, PART_BITS } from "./log_parts.ts";

/** Locks the ledger for the transaction: batches of all instances follow each other. */
export const LOCK_HEAD = "select batch, entries, at_ms, hash, logged from ledger_head for update";

/** Channel of the notices that holds of other instances have left the line. */
export const LINE_CHANNEL = "svc_line";

/** Maximum waiting holds of one key and its names that a batch reads of a wallet's line. */
export const WAITING_READ = 200;

/**
 * Reads all rows that the operations of a batch decide by, as pairs of a kind and JSON. Amounts are
 * text, since JSON numbers in JavaScript are exact to 53 bits only. Parameters: ids of wallets, of
 * budgets, of holds, of credits, of log rows, the instance, ids of holds whose log rows are read, and
 * the number of waiting holds that are read of each key and its names in a wallet's line. The id of such a log row
 * is taken from its hold, where no character of the hold needs an escape. A line is cut for each key,
 * and for each set of its names, apart: a budget that is used up must not hide others.
 */
export const READ_ROWS = `
with held as (
  select id, number, wallet, budget, data from hold where id = any($3)
), wallets as (
  select unnest($1::text[]) as id union select wallet from held
  union select wallet from waiting_hold where id = any($3)
), line as (
  select number, id, instance, wallet, budget, data,
    row_number() over (
      partition by wallet, budget,
        case when strpos(data, '"named":') > 0 then (data::json->'named')::text end
      order by number
    ) as place,
    count(*) over (partition by wallet) as length
  from waiting_hold where wallet in (select id from wallets)
), waiting as (
  select * from line where place <= $8 or id = any($3)
), budgets as (
  select unnest($2::text[]) as id union select budget from held union select budget from waiting
)
select 'hold' as kind, data from held
union all select 'ended', data from ended_hold where id = any($3)
union all select 'wallet', json_build_object(
    'id', id, 'original', original, 'number', number, 'tier', tier, 'credits', credits::text,
    'available', available::text, 'held', held::text, 'spent', spent::text,
    'writtenOff', written_off::text, 'createdAtMs', created_at_ms, 'closedAtMs', closed_at_ms)::text
  from wallet where id in (select id from wallets)
union all select 'spend', json_build_object(
    'id', id, 'original', original, 'held', held::text, 'day', day, 'daySpent', day_spent::text,
    'month', month, 'monthSpent', month_spent::text, 'totalSpent', total_spent::text, 'named', named)::text
  from key_spend where id in (select id from budgets)
union all select 'credit', json_build_object(
    'id', id, 'wallet', wallet, 'amount', amount::text, 'correction', correction)::text
  from credit where id = any($4)
union all select 'owed', json_build_object('id', id, 'line', line)::text from owed_row
  where id = any($5) or id in (
    select case when strpos(data, '\\u') = 0 then data::json->>'logId' end
    from held where id = any($7)
  )
union all select 'waiting', json_build_object(
    'number', number, 'instance', instance, 'isLast', place = $8, 'length', length,
    'data', data)::text from waiting
union all select 'instance', to_json(ended_at is not null)::text from instance where id = $6
`;

/** Reads log rows that are owed. Parameter: their ids. */
export const READ_OWED = "select 'line' as kind, line as data from owed_row where id = any($1)";

/** Reads and locks corrections that waited. Parameter: their ids. */
export const LOCK_CORRECTIONS =
  "select 'correction' as kind, data from correction where id = any($1) for update";

/** Reads keys that change wallets, which only batches do. Parameter: their ids. */
export const READ_KEYS = "select 'key' as kind, data from api_key where id = any($1)";

/**
 * Ends a session of an instance, unless it has beaten since it was seen, and takes its holds out of
 * the line: it returns them. All batches of the session come before this one. Parameters: the session, and the number
 * of beats that was seen (null: any).
 */
export const END_SESSION = `
with ended as (
  update instance set ended_at = clock_timestamp()
  where id = $1 and ended_at is null and ($2::bigint is null or beats = $2::bigint)
  returning id
)
delete from waiting_hold where instance in (select id from ended) returning data
`;

/**
 * Writes a batch: its entries, and the rows that they change. The parameter is one JSON object, so
 * that the statement is planned once, however many rows it writes.
 */
export const WRITE_ROWS = `
with d as (select $1::text::jsonb as d),
batch as (
  insert into journal_batch (batch, id, entries, first_place, at_ms, hash)
  select (d->>'batch')::bigint, (d->>'id')::uuid, (d->>'count')::bigint,
    (d->>'firstPlace')::bigint, (d->>'atMs')::bigint, d->>'hash' from d
), entries as (
  insert into journal (place, batch, wallet, op, at_ms, log_id, line)
  select t.place, (d->>'batch')::bigint, t.wallet, t.op, t.at_ms, t.log_id, t.line
  from d, jsonb_to_recordset(d->'journal')
    as t(place bigint, wallet text, op text, at_ms bigint, log_id text, line text)
), wallets as (
  insert into wallet (id, original, number, tier, credits, available, held, spent, written_off,
    created_at_ms, closed_at_ms)
  select t.* from d, jsonb_to_recordset(d->'wallets') as t(id text, original text, number bigint,
    tier text, credits bigint, available bigint, held bigint, spent bigint, written_off bigint,
    created_at_ms bigint, closed_at_ms bigint)
  on conflict (id) do update set credits = excluded.credits, available = excluded.available,
    held = excluded.held, spent = excluded.spent, written_off = excluded.written_off,
    tier = excluded.tier, closed_at_ms = excluded.closed_at_ms
), spends as (
  insert into key_spend (id, original, held, day, day_spent, month, month_spent, total_spent,
    named)
  select t.* from d, jsonb_to_recordset(d->'spends') as t(id text, original text, held bigint,
    day text, day_spent bigint, month text, month_spent bigint, total_spent bigint, named text)
  on conflict (id) do update set held = excluded.held, day = excluded.day,
    day_spent = excluded.day_spent, month = excluded.month, month_spent = excluded.month_spent,
    total_spent = excluded.total_spent, named = excluded.named
), holds as (
  insert into hold (id, number, instance, wallet, budget, data)
  select t.* from d, jsonb_to_recordset(d->'holds') as t(id text, number bigint, instance text,
    wallet text, budget text, data text)
  on conflict (id) do update set data = excluded.data
), ended as (
  insert into ended_hold (id, place, data)
  select t.* from d, jsonb_to_recordset(d->'ended') as t(id text, place bigint, data text)
), closed as (
  delete from hold where id = any(array(
    select t.id from d, jsonb_to_recordset(d->'ended') as t(id text)))
), credits as (
  insert into credit (id, wallet, amount, correction)
  select t.* from d, jsonb_to_recordset(d->'credits')
    as t(id text, wallet text, amount bigint, correction text)
), owed as (
  insert into owed_row (id, instance, line)
  select t.* from d, jsonb_to_recordset(d->'owed') as t(id text, instance text, line text)
  on conflict (id) do update set line = excluded.line
), paid as (
  delete from owed_row where id = any(array(select jsonb_array_elements_text(d->'paid') from d))
), logged as (
  insert into request_log (number, id, at_ms, request_id, key_id, wallet_id, charged, task, facets,
    line)
  select t.* from d, jsonb_to_recordset(d->'log') as t(number bigint, id text, at_ms bigint,
    request_id text, key_id text, wallet_id text, charged bigint, task text, facets text[],
    line text)
  on conflict (id) do nothing
  returning number, at_ms, charged
), log_parts as (
  insert into request_log_part (part, first, min_at_ms, max_at_ms, max_charged, facets)
  select number >> ${PART_BITS}, min(number), min(at_ms), max(at_ms), max(charged),
    array(select jsonb_array_elements_text(d->'facets') from d)
  from logged group by number >> ${PART_BITS}
  on conflict (part) do update set min_at_ms = least(request_log_part.min_at_ms, excluded.min_at_ms),
    first = least(request_log_part.first, excluded.first),
    max_at_ms = greatest(request_log_part.max_at_ms, excluded.max_at_ms),
    max_charged = greatest(request_log_part.max_charged, excluded.max_charged),
    facets = case when request_log_part.facets @> excluded.facets then request_log_part.facets
      else array(select unnest(request_log_part.facets) union select unnest(excluded.facets)) end
), arrived as (
  insert into waiting_hold (id, instance, wallet, budget, data)
  select t.id, t.instance, t.wallet, t.budget, t.data
  from d, jsonb_to_recordset(d->'waiting')
    as t(place int, id text, instance text, wallet text, budget text, data text)
  order by t.place
), left_line as (
  delete from waiting_hold where id = any(array(
    select jsonb_array_elements_text(d->'unwaiting') from d))
)
update ledger_head set batch = (d->>'batch')::bigint, entries = (d->>'entries')::bigint,
  at_ms = (d->>'atMs')::bigint, hash = d->>'hash', logged = (d->>'logged')::bigint from d
returning case when jsonb_array_length(d->'log') > 0 then pg_notify('${LOG_CHANNEL}', '')::text end,
  case when (d->>'notifies')::boolean then pg_notify('${LINE_CHANNEL}', '')::text end
`;
