/**
 * Fills a database of PostgreSQL with a request log of 29 days, and with keys, by few statements: the
 * rows are those that the service writes, without its ledger.
 *
 * @module
 */

import { connect, type Sql } from "../../../gateway/stores/postgres/connection.ts";
import { columnsOf } from "../../../gateway/stores/postgres/keys/key_rows.ts";
import { Batches } from "../../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresRequestLog } from "../../../gateway/stores/postgres/log/request_log.ts";

const DAY_MS = 86_400_000;
const SPAN_MS = 29 * DAY_MS;
const CHUNK = 25_000;
/** Connections that fill at the same time. */
const WRITERS = 2;
/** Rows that are counted; the sums of older steps are copies of theirs. */
const COUNTED = 25_000;
const KEYS_AT_ONCE = 5_000;

/** Of every 50 rows one is refused; of every 100,000 one has timed out. */
const FILL_LOG = `
insert into request_log (number, id, at_ms, request_id, key_id, wallet_id, charged, task, facets,
  line)
select n, id, at_ms, request_id, key_id, wallet_id, charged, task,
  array['endpoint chat', 'outcome ' || outcome, 'status ' || status,
    'status ' || left(status, 1) || 'xx', 'model ' || model, 'provider provider']
    || case when outcome = 'error' then array['error ' || error] else array[]::text[] end,
  '{"id":"' || id || '","requestId":"' || request_id || '","atMs":' || at_ms || ',"keyId":"' || key_id
    || '","walletId":"' || wallet_id || '","endpoint":"chat","stream":false,"status":' || status
    || ',"outcome":"' || outcome || '","durationMs":' || n % 3000
    || case when outcome = 'error' then ',"errorCode":"' || error || '"' else '' end
    || ',"routing":{"model":"' || model || '","provider":"provider","task":"' || task
    || '","tier":"standard","reason":"' || repeat('a reason of some length, ', 5)
    || '","considered":8,"attempts":[]},"holdIds":["hold_' || n || '"],"charged":"0.'
    || lpad(charged::text, 6, '0')
    || '","inputTokens":1200,"cachedInputTokens":0,"outputTokens":300,"estimated":false}'
from (
  select n, 'log_' || lpad(n::text, 26, '0') as id, 'req_' || lpad((n + 7)::text, 26, '0')
    as request_id, $3::bigint - (($4::bigint - n) * (${SPAN_MS} / $4::bigint)) as at_ms,
    'key_' || n % 100 as key_id, 'w_' || n % 50 as wallet_id,
    lpad(to_hex(n * 7919 % 65536), 4, '0') as task,
    case when n % 50 = 0 then 0 else 1000 + n % 30000 end as charged,
    case when n % 50 = 0 then 'error' else 'ok' end as outcome,
    case when n % 100000 = 0 then '504' when n % 50 = 0 then '429' else '200' end as status,
    case when n % 100000 = 0 then 'upstream_timeout' else 'rate_limit_exceeded' end as error,
    'provider/model-' || n % 8 as model
  from generate_series($1::bigint, $2::bigint) n
) r`;

const FILL_PARTS = `
insert into request_log_part
select part, first, min_at_ms, max_at_ms, max_charged,
  array(select distinct unnest(facets) from request_log
    where number >= part * 1024 and number < (part + 1) * 1024)
from (select number >> 10 as part, min(number) as first, min(at_ms) as min_at_ms,
    max(at_ms) as max_at_ms, max(charged) as max_charged
  from request_log group by number >> 10) p`;

/** Adds rows of the 29 days up to now, with their sums. The tables exist, and the log is empty. */
export async function fillLog(url: string, rows: number): Promise<void> {
  const sql = connect(url, { max: WRITERS });
  const nowMs = Date.now();
  for (const one of ["request", "key", "wallet"]) {
    await sql.unsafe(`drop index request_log_by_${one}`);
  }
  let next = 1;
  await Promise.all(Array.from({ length: WRITERS }, async () => {
    while (next <= rows) {
      const from = next;
      next += CHUNK;
      await sql.unsafe(FILL_LOG, [from, Math.min(rows, from + CHUNK - 1), nowMs, rows]);
    }
  }));
  await Promise.all(
    ["request", "key", "wallet"].map((one) =>
      sql.unsafe(`create index request_log_by_${one} on request_log (${one}_id, number)`)
    ),
  );
  await sql.unsafe(FILL_PARTS);
  await sql`update ledger_head set logged = ${rows}`;
  // Else autovacuum does it, while pages are measured.
  await sql.unsafe("vacuum analyze");
  await fillSums(sql, { rows, nowMs });
  await sql.end();
}

/** Counts the newest rows as the service does; older steps get copies of the sums of a whole one. */
async function fillSums(
  sql: Sql,
  { rows, nowMs }: { readonly rows: number; readonly nowMs: number },
): Promise<void> {
  await sql`insert into instance (id) values ('fill')`;
  const batches = new Batches(sql, { id: "fill" });
  const log = new PostgresRequestLog(sql, batches, { nowMs: () => nowMs });
  await sql`update log_sums_head set counted = ${Math.max(0, rows - COUNTED)}`;
  await log.count();
  await log.close();
  await batches.close();
  await sql`update instance set ended_at = now() where id = 'fill'`;
  const widths = await sql<{ width_ms: bigint }[]>`select distinct width_ms from log_sums`;
  for (const { width_ms: width } of widths) {
    if (Number(width) < 3_600_000) continue;
    const last = Math.floor(nowMs / Number(width)) * Number(width);
    await sql.unsafe(`insert into log_sums
      select ${width}, t, (select sums from log_sums where width_ms = ${width}
        order by start_ms desc offset 1 limit 1)
      from generate_series(${last - SPAN_MS}, ${last}, ${width}) t on conflict do nothing`);
  }
}

/** Time of the first key; one more a second. */
export const FIRST_KEY_MS = 1_700_000_000_000;

/** Returns the digest of a key by its number. */
export function digestOf(n: number): string {
  return `digest_${n.toString(16).padStart(57, "0")}`;
}

/** Returns the id of a key by its number. */
export function keyIdOf(n: number): string {
  return `key_bench${n.toString().padStart(15, "0")}`;
}

/** Adds keys: of every 500 one is revoked, and one of every 1,000 disabled. */
export async function fillKeys(url: string, keys: number): Promise<void> {
  const sql = connect(url, { max: 1 });
  for (let from = 0; from < keys; from += KEYS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(KEYS_AT_ONCE, keys - from) }, (_, at) => {
      const n = from + at;
      const status = n % 500 === 2 ? "revoked" : n % 1_000 === 1 ? "disabled" : "active";
      return columnsOf({
        digest: digestOf(n),
        record: {
          ...{ id: keyIdOf(n), name: `Team ${n % 300}, service ${n}`, walletId: `w_${n % 50}` },
          ...{ status, policy: {}, hint: `svc_${n.toString(36)}` },
          createdAtMs: FIRST_KEY_MS + n * 1_000,
        },
      });
    });
    await sql.unsafe(
      `insert into api_key select t.* from jsonb_to_recordset($1::text::jsonb) as t(id text,
        digest text, is_active boolean, pepper int, wallet_id text, rotated_from text,
        created_at_ms bigint, search text, data text)`,
      [JSON.stringify(rows)],
    );
  }
  await sql`update key_count set number = number + ${keys}`;
  await sql.unsafe("vacuum analyze api_key");
  await sql.unsafe("checkpoint");
  await sql.end();
}
