/**
 * Reads a page of the request log: parts of 1024 numbers from either end, without those that cannot
 * have a match.
 *
 * @module
 */

import { matches } from "../../../domain/requests/filter.ts";
import type { RequestPage, RequestQuery, RequestRecord } from "../../../ports/request_log.ts";
import { SEARCH_MS } from "../../kv/limits.ts";
import { decodeRecord } from "../../kv/log/log_line.ts";
import { cursorAt, numberOf } from "../../kv/row_cursor.ts";
import { query, type Sql } from "../connection.ts";
import { PART_BITS } from "../sql/log_parts.ts";
import { textId } from "../text_id.ts";
import { facetsFor } from "./log_row.ts";

/** Parts read at first; a step that was fast is followed by one of four times as many. */
const PARTS_AT_FIRST = 4;
/** Maximum parts of a step: with an index for the search, and without. */
const PARTS_MAX = { indexed: 4_096, plain: 64 };
/** Time under which a step is fast, in milliseconds. */
const FAST_STEP_MS = 15;
const PART_ROWS = 2 ** PART_BITS;
const MAX_BIGINT = 2n ** 63n - 1n;

interface Hit {
  readonly number: number;
  readonly record: RequestRecord;
}

/** Options of {@linkcode searchLog}. */
export interface SearchOptions {
  /** Time after which a page ends, possibly with fewer rows. @default {SEARCH_MS} */
  readonly maxMs?: number | undefined;
}

/**
 * Reads a page. Its work is bounded: a page may have few rows, or none, and still have a next one.
 * A cursor is the number of the row above the border. A malformed one reads as the end.
 */
export async function searchLog(
  sql: Sql,
  request: RequestQuery,
  { maxMs = SEARCH_MS }: SearchOptions = {},
): Promise<RequestPage> {
  const { limit } = request;
  const isNewest = request.order !== "oldest";
  const border = request.cursor === undefined ? undefined : numberOf(request.cursor);
  if (request.cursor !== undefined && border === undefined) return { records: [] };
  const range = isNewest ? { below: border } : { from: border };
  const untilMs = performance.now() + maxMs;
  const parts = await partsWith(sql, request, range);
  const hits: Hit[] = [];
  let [at, size] = [0, PARTS_AT_FIRST];
  while (at < parts.length && hits.length <= limit) {
    if (at > 0 && performance.now() > untilMs) {
      const part = parts[at] ?? 0;
      return pageOf(hits, { isNewest, next: isNewest ? (part + 1) * PART_ROWS : part * PART_ROWS });
    }
    const startMs = performance.now();
    const some = parts.slice(at, at + size);
    hits.push(...await hitsIn(sql, some, { request, range, missing: limit + 1 - hits.length }));
    at += some.length;
    const isFast = performance.now() - startMs < FAST_STEP_MS;
    const most = hasIndex(request) ? PARTS_MAX.indexed : PARTS_MAX.plain;
    if (isFast) size = Math.min(most, 4 * size);
  }
  const over = hits[limit];
  const next = over === undefined ? undefined : over.number + (isNewest ? 1 : 0);
  return pageOf(hits.slice(0, limit), { isNewest, next });
}

/** Returns a row by its id. */
export async function recordWith(sql: Sql, id: string): Promise<RequestRecord | undefined> {
  const [row] = await query(sql<{ line: string }[]>`
    select line from request_log where id = ${textId(id)}
  `);
  return row === undefined ? undefined : decodeRecord(row.line);
}

/** Numbers from `from`, and below `below`. */
interface NumberRange {
  readonly from?: number | undefined;
  readonly below?: number | undefined;
}

function pageOf(
  hits: readonly Hit[],
  { isNewest, next }: { readonly isNewest: boolean; readonly next: number | undefined },
): RequestPage {
  const [first] = hits;
  return {
    records: hits.map(({ record }) => record),
    ...next === undefined ? {} : { cursor: cursorAt([next]) },
    ...first === undefined ? {} : { start: cursorAt([first.number + (isNewest ? 1 : 0)]) },
  };
}

/** Returns the parts that may have a match, in the order of the page. */
async function partsWith(
  sql: Sql,
  request: RequestQuery,
  { from = 0, below = Number.MAX_SAFE_INTEGER }: NumberRange,
): Promise<readonly number[]> {
  const { sinceMs, untilMs, minCharged } = request;
  if (request.id !== undefined) return await partOf(sql, request.id);
  const rows = await query(sql<{ part: bigint }[]>`
    select part from request_log_part
    where part >= ${Math.floor(from / PART_ROWS)}
      and part * ${PART_ROWS} < ${below}
      and max_at_ms >= ${timeOf(sinceMs ?? -Infinity)} and min_at_ms <= ${
    timeOf(untilMs ?? Infinity)
  }
      and max_charged >= ${amountOf(minCharged)} and facets @> ${facetsFor(request)}
    order by part
  `);
  const parts = rows.map(({ part }) => Number(part));
  return request.order === "oldest" ? parts : parts.reverse();
}

async function partOf(sql: Sql, id: string): Promise<readonly number[]> {
  const rows = await query(sql<{ part: bigint }[]>`
    select number >> ${PART_BITS}::int as part from request_log where id = ${textId(id)}
  `);
  return rows.map(({ part }) => Number(part));
}

/** Returns matches in some parts, in the order of the page. Without `missing` of them there are no more. */
async function hitsIn(
  sql: Sql,
  parts: readonly number[],
  { request, range, missing }: {
    readonly request: RequestQuery;
    readonly range: NumberRange;
    readonly missing: number;
  },
): Promise<readonly Hit[]> {
  const order = request.order === "oldest" ? sql`asc` : sql`desc`;
  let { from = 0, below = Number.MAX_SAFE_INTEGER } = range;
  const hits: Hit[] = [];
  for (;;) {
    const rows = await query(sql<{ number: bigint; line: string }[]>`
      select r.number, r.line from unnest(${parts}::bigint[]) as p(part) cross join lateral (
        select number, line from request_log
        where number >= p.part * ${PART_ROWS} and number < (p.part + 1) * ${PART_ROWS}
          and number >= ${from} and number < ${below} ${conditions(sql, request)}
        order by number ${order} limit ${missing}
      ) r order by r.number ${order} limit ${missing}
    `);
    for (const { number, line } of rows) {
      const record = decodeRecord(line);
      if (matches(record, request)) hits.push({ number: Number(number), record });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < missing || hits.length >= missing) return hits;
    // Some of the rows had only the look of matches: hashed ids.
    if (request.order === "oldest") from = Number(last.number) + 1;
    else below = Number(last.number);
  }
}

/** Returns conditions that all matches meet, and few other rows. */
function conditions(sql: Sql, request: RequestQuery) {
  const { id, requestId, keyId, walletId, task, text, minCharged, sinceMs, untilMs } = request;
  const facets = facetsFor(request);
  return [
    sql`and true`,
    ...id === undefined ? [] : [sql`and id = ${textId(id)}`],
    ...requestId === undefined ? [] : [sql`and request_id = ${textId(requestId)}`],
    ...keyId === undefined ? [] : [sql`and key_id = ${textId(keyId)}`],
    ...walletId === undefined ? [] : [sql`and wallet_id = ${textId(walletId)}`],
    ...facets.length === 0 ? [] : [sql`and facets @> ${facets}`],
    ...sinceMs === undefined ? [] : [sql`and at_ms >= ${timeOf(sinceMs)}`],
    ...untilMs === undefined ? [] : [sql`and at_ms <= ${timeOf(untilMs)}`],
    ...minCharged === undefined ? [] : [sql`and charged >= ${amountOf(minCharged)}`],
    // Hashed ids begin with a number sign: their rows are compared afterwards.
    ...task === undefined || !isPlain(task)
      ? []
      : [sql`and (starts_with(task, ${task}) or starts_with(task, '#'))`],
    ...text === undefined || !isPlain(text) ? [] : [sql`and (strpos(id, ${text}) > 0
        or strpos(request_id, ${text}) > 0 or starts_with(id, '#') or starts_with(request_id, '#'))`],
  ];
}

function hasIndex({ id, requestId, keyId, walletId }: RequestQuery): boolean {
  return [id, requestId, keyId, walletId].some((one) => one !== undefined);
}

/** True for a text that PostgreSQL can take. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Returns a time as a 64-bit integer, rounded down as those of rows are. */
function timeOf(ms: number): number {
  const max = Number.MAX_SAFE_INTEGER;
  return Math.floor(Math.min(max, Math.max(-max, ms)));
}

function amountOf(amount = -MAX_BIGINT): bigint {
  return amount > MAX_BIGINT ? MAX_BIGINT : amount;
}
