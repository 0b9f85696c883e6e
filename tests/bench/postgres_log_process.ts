/**
 * Measures the request log in PostgreSQL: the first page of each filter, and overviews, on a log of
 * the number of rows that the first argument names. Needs the server's programs, as its tests do.
 *
 * @module
 */

import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { Batches } from "../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresRequestLog } from "../../gateway/stores/postgres/log/request_log.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import type { RequestQuery } from "../../gateway/ports/request_log.ts";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const ROUNDS = 5;
const CHUNK = 50_000;
/** Time for the sums; the rest of the rows stays uncounted by them. */
const COUNT_MS = 25_000;

/** Parameters: first and last number, the time of the newest row, and the number of all. */
const FILL = `
insert into request_log (number, id, at_ms, request_id, key_id, wallet_id, charged, task, facets,
  line)
select n, id, at_ms, 'req_' || n, key_id, wallet_id, n % 1000 * 1000, task,
  array['endpoint chat', 'outcome ' || outcome, 'status ' || status,
    'status ' || left(status, 1) || 'xx', 'model ' || model, 'provider ' || provider]
    || case when outcome = 'error' then array['error upstream_error'] else array[]::text[] end,
  '{"id":"' || id || '","requestId":"req_' || n || '","atMs":' || at_ms || ',"keyId":"' || key_id
    || '","walletId":"' || wallet_id || '","endpoint":"chat","stream":false,"status":' || status
    || ',"outcome":"' || outcome || '","durationMs":' || n % 3000
    || case when outcome = 'error' then ',"errorCode":"upstream_error"' else '' end
    || ',"routing":{"model":"' || model || '","provider":"' || provider || '","task":"' || task
    || '","tier":"standard","reason":"' || repeat('a reason of some length, ', 16)
    || '","considered":20,"attempts":[]},"holdIds":["hold_' || n || '"],"charged":"0.'
    || lpad((n % 1000 * 1000)::text, 6, '0')
    || '","inputTokens":1200,"cachedInputTokens":0,"outputTokens":300,"estimated":false}'
from (
  select n, 'log_' || lpad(n::text, 26, '0') as id,
    $3::bigint - (($4::bigint - n) * (2592000000 / $4::bigint)) as at_ms,
    'key_' || n % 100 as key_id, 'w_' || n % 50 as wallet_id,
    lpad(to_hex(n * 7919 % 65536), 4, '0') as task,
    case when n % 1000 = 1 then 'error' else 'ok' end as outcome,
    case when n % 1000 = 1 then '502' else '200' end as status,
    case when n = 17 then 'acme/once' else 'acme/m' || n % 20 end as model,
    'p' || n % 6 as provider
  from generate_series($1::bigint, $2::bigint) n
) r`;

const rows = Number(Deno.args[0] ?? 1_000_000);
const bin = await postgresBin();
if (bin === undefined) throw new Error("Cannot measure: there is no PostgreSQL");
await using server = await startPostgres(bin);
const { url } = await newDatabase(server);
const sql = connect(url);
await migrate(sql);
await sql`insert into instance (id) values ('bench')`;
const batches = new Batches(sql, "bench");
const log = new PostgresRequestLog(sql, batches, { nowMs: () => NOW_MS });

await fill(sql);
await countSome(sql);
for (const [name, query] of Object.entries(queries())) await measure(name, query);
for (const [name, days] of Object.entries({ day: 1, week: 7, month: 30 })) {
  await overview(name, days);
}
await log.close();
await batches.close();
await sql.end();

/** Adds rows of thirty days, of 100 keys and 20 models, a thousandth of them failed. */
async function fill(sql: Sql): Promise<void> {
  const startMs = performance.now();
  const indexes = ["request", "key", "wallet"];
  for (const one of indexes) await sql.unsafe(`drop index request_log_by_${one}`);
  for (let from = 1; from <= rows; from += CHUNK) {
    await sql.unsafe(FILL, [from, Math.min(rows, from + CHUNK - 1), NOW_MS, rows]);
  }
  for (const one of indexes) {
    const column = `${one}_id`;
    await sql.unsafe(`create index request_log_by_${one} on request_log (${column}, number)`);
  }
  await sql.unsafe(`insert into request_log_part
    select part, first, min_at_ms, max_at_ms, max_charged,
      array(select distinct unnest(facets) from request_log
        where number >= part * 1024 and number < (part + 1) * 1024)
    from (select number >> 10 as part, min(number) as first, min(at_ms) as min_at_ms,
        max(at_ms) as max_at_ms, max(charged) as max_charged
      from request_log group by number >> 10) p`);
  await sql`update ledger_head set logged = ${rows}`;
  await sql`analyze`;
  const [size] = await sql`select pg_size_pretty(pg_total_relation_size('request_log')) as all`;
  console.log(`filled ${rows} rows, ${size?.["all"]}, in ${seconds(startMs)} s`);
}

/** Counts the newest rows for a while; the sums of older steps are copies of those. */
async function countSome(sql: Sql): Promise<void> {
  const startMs = performance.now();
  const first = Math.floor(rows * 0.7);
  await sql`update log_sums_head set counted = ${first}`;
  const counting = log.count();
  const stop = setTimeout(() => void log.close(), COUNT_MS);
  await counting;
  clearTimeout(stop);
  const [head] = await sql<{ counted: bigint }[]>`select counted from log_sums_head`;
  const counted = Number(head?.counted ?? 0) - first;
  console.log(`counted ${counted} rows in ${seconds(startMs)} s`);
  await sql`update log_sums_head set counted = ${rows}`;
  for (const width of [3_600_000, 21_600_000]) {
    await sql.unsafe(`insert into log_sums
      select ${width}, t, (select sums from log_sums where width_ms = ${width}
        order by start_ms desc offset 1 limit 1)
      from generate_series(${NOW_MS - 30 * DAY_MS}, ${NOW_MS}, ${width}) t on conflict do nothing`);
  }
}

function queries(): Readonly<Record<string, Omit<RequestQuery, "limit">>> {
  const [old, middle] = [NOW_MS - 29 * DAY_MS, NOW_MS - 15 * DAY_MS];
  return {
    "no filter": {},
    "oldest first": { order: "oldest" },
    "deep cursor": { cursor: `${Math.floor(rows / 2)}` },
    "id, far back": { id: "log_00000000000000000000000017" },
    "request id, far back": { requestId: "req_17" },
    "key": { keyId: "key_17" },
    "key of nobody": { keyId: "nobody" },
    "wallet": { walletId: "w_17" },
    "model": { model: "acme/m7" },
    "model of one row, far back": { model: "acme/once" },
    "provider": { provider: "p3" },
    "provider of none": { provider: "none" },
    "task": { task: "00" },
    "task of none": { task: "zz" },
    "endpoint": { endpoint: "chat" },
    "outcome": { outcome: "error" },
    "error code": { errorCode: "upstream_error" },
    "status": { status: "502" },
    "status class": { status: "5xx" },
    "status of none": { status: "418" },
    "charge": { minCharged: 900_000n },
    "charge of none": { minCharged: 9_000_000n },
    "text": { text: "req_9999" },
    "text of one row, far back": { text: "0000000017" },
    "text of none": { text: "none-such" },
    "until 15 days ago": { untilMs: middle },
    "a minute, far back": { sinceMs: old, untilMs: old + 60_000 },
    "key, error and text": { keyId: "key_17", status: "5xx", text: "req_" },
  };
}

async function measure(name: string, query: Omit<RequestQuery, "limit">): Promise<void> {
  const times: number[] = [];
  let result = "";
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    const { records, cursor } = await log.search({ ...query, limit: 50 });
    times.push(performance.now() - startMs);
    result = `${records.length} rows${cursor === undefined ? "" : ", goes on"}`;
  }
  console.log(`${name}: ${median(times)} ms (most ${Math.max(...times).toFixed(0)}), ${result}`);
}

async function overview(name: string, days: number): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    await log.overview({ sinceMs: NOW_MS - days * DAY_MS, untilMs: NOW_MS });
    times.push(performance.now() - startMs);
  }
  console.log(`overview of a ${name}: ${median(times)} ms (most ${Math.max(...times).toFixed(0)})`);
}

function median(times: readonly number[]): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(0);
}

function seconds(startMs: number): string {
  return ((performance.now() - startMs) / 1_000).toFixed(1);
}
