/**
 * Reads a page of the request log through its index: blocks from either end, and only the rows that
 * may match. Rows without a block are read one by one.
 *
 * @module
 */

import { matches } from "../../../domain/requests/filter.ts";
import type { RequestPage, RequestQuery, RequestRecord } from "../../../ports/request_log.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { BLOCK_STEPS, READ_AHEAD_BLOCKS, SEARCH_MS, SEARCH_STEPS_MIN } from "../limits.ts";
import {
  decodeBlock,
  LOG_BLOCK_IDS,
  LOG_BLOCKS,
  type LogBlock,
  type LogPosition,
  mayHaveIds,
} from "./log_block.ts";
import type { SegmentRange } from "./log_block_times.ts";
import type { IndexView } from "./log_index.ts";
import { decodeRecord } from "./log_line.ts";
import { read } from "../read.ts";
import { textOf } from "../rows.ts";
import { firstSegment, readSegment, readSegments } from "../chain.ts";
import type { Tail } from "../rows.ts";

/** Positions in one block or segment that may match, in the order of the page. */
interface Found {
  readonly positions: readonly LogPosition[];
  /** Border between examined and unexamined rows. */
  readonly border: LogPosition;
  /** Cost of the step. */
  readonly steps: number;
}

/** The source of a search. */
export interface SearchSource {
  readonly kv: Deno.Kv;
  readonly view: IndexView;
  /** Maximum time, in milliseconds. @default {SEARCH_MS} */
  readonly maxMs?: number | undefined;
}

/**
 * Reads a page. Its work is bounded: a page may have few rows, or none, and still have a next one.
 * A malformed cursor reads as the end.
 */
export async function searchLog(source: SearchSource, query: RequestQuery): Promise<RequestPage> {
  const { limit } = query;
  const isNewest = query.order !== "oldest";
  const page: { record: RequestRecord; position: LogPosition }[] = [];
  const untilMs = performance.now() + (source.maxMs ?? SEARCH_MS);
  let takenSteps = 0;
  const isOver = () => takenSteps >= SEARCH_STEPS_MIN && performance.now() > untilMs;
  const end = (position: LogPosition | undefined): RequestPage => ({
    records: page.slice(0, limit).map(({ record }) => record),
    ...position === undefined ? {} : { cursor: cursorText(position) },
    ...page[0] === undefined ? {} : { start: cursorText(borderOf(page[0].position, isNewest)) },
  });
  for await (const { positions, border, steps } of candidates(source, query)) {
    takenSteps += steps;
    for (let from = 0; from < positions.length; from += limit + 1) {
      const some = positions.slice(from, from + limit + 1);
      for (const hit of await readRecords(source, some)) {
        if (!matches(hit.record, query)) continue;
        if (page.length === limit) return end(borderOf(hit.position, isNewest));
        page.push(hit);
        // An id has one row: the rest need not be examined.
        if (query.id !== undefined) return end(undefined);
      }
      const lastPlace = some.at(-1);
      takenSteps++;
      if (lastPlace !== undefined && isOver()) return end(borderOf(lastPlace, !isNewest));
    }
    if (isOver()) return end(border);
  }
  return end(undefined);
}

/** Returns the border before a row in the order of a page: above it for newest first. */
function borderOf({ segment, line }: LogPosition, isNewest: boolean): LogPosition {
  return isNewest ? { segment, line: line + 1 } : { segment, line };
}

async function* candidates(source: SearchSource, query: RequestQuery): AsyncGenerator<Found, void> {
  const isNewest = query.order !== "oldest";
  const border = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const isBeyond = ({ segment, line }: LogPosition) => {
    if (border === undefined) return true;
    const isAbove = segment > border.segment || segment === border.segment && line >= border.line;
    return isAbove !== isNewest;
  };
  if (!isNewest) yield* inBlocks(source, query, { border, isBeyond });
  yield* inRows(source, { isNewest, border, isBeyond });
  if (isNewest) yield* inBlocks(source, query, { border, isBeyond });
}

interface Range {
  readonly border: LogPosition | undefined;
  readonly isBeyond: (position: LogPosition) => boolean;
}

async function* inBlocks(
  source: SearchSource,
  query: RequestQuery,
  { border, isBeyond }: Range,
): AsyncGenerator<Found, void> {
  const isNewest = query.order !== "oldest";
  for await (const step of blocksOf(source, query, border)) {
    if ("last" in step) {
      yield { positions: [], border: { segment: step.last + 1, line: 0 }, steps: BLOCK_STEPS };
      continue;
    }
    const { block, ids } = step;
    const rows = block.find(query, ids);
    if (isNewest) rows.reverse();
    yield {
      positions: rows.map((row) => block.positionOf(row))
        // A waiting block may have grown since: later segments are read as rows.
        .filter((position) => position.segment <= source.view.to && isBeyond(position)),
      border: isNewest ? { segment: block.first, line: 0 } : { segment: block.last + 1, line: 0 },
      steps: BLOCK_STEPS,
    };
  }
}

/** Yields rows without a block, one segment at a time. */
async function* inRows(
  { kv, view }: SearchSource,
  { isNewest, border, isBeyond }: Range & { readonly isNewest: boolean },
): AsyncGenerator<Found, void> {
  const { log, log: { last } } = view;
  const from = Math.max(view.to + 1, isNewest ? 1 : border?.segment ?? 1);
  const to = Math.min(last, isNewest ? border?.segment ?? last : last);
  if (from > to) return;
  for await (const { header, lines } of readSegments(kv, log, { from, to, reverse: isNewest })) {
    const { segment } = header;
    const positions = lines.map((_, line) => ({ segment, line })).filter(isBeyond);
    if (isNewest) positions.reverse();
    yield { positions, border: { segment: isNewest ? segment : segment + 1, line: 0 }, steps: 1 };
  }
}

/** A block with the needed part of its ids, or the last segment of a missing one. */
type BlockRead = { readonly block: LogBlock; readonly ids?: string | undefined } | {
  readonly last: number;
};

/** Yields all blocks beyond a border, in the order of the page. */
async function* blocksOf(
  source: SearchSource,
  query: RequestQuery,
  border: LogPosition | undefined,
): AsyncGenerator<BlockRead, void> {
  const isNewest = query.order !== "oldest";
  const withIds = query.text !== undefined;
  const waiting = source.view.waiting.map((block) => ({
    block,
    ids: withIds ? block.ids : undefined,
  }));
  const [first] = waiting;
  // Waiting blocks may have been stored meanwhile: they are taken from memory only.
  const end = (first?.block.first ?? source.view.to + 1) - 1;
  if (isNewest) yield* waiting.reverse();
  const at = border?.segment;
  const from = isNewest ? 0 : at ?? 0;
  const to = isNewest && at !== undefined ? await blockWith(source.kv, at, end) : end;
  yield* storedBlocks(source, query, { first: from, last: to });
  if (!isNewest) yield* waiting;
}

/** Returns the last segment of the block that contains a segment. */
async function blockWith(kv: Deno.Kv, segment: number, end: number): Promise<number> {
  if (segment >= end) return end;
  const range = { start: [LOG_BLOCKS, segment], end: [LOG_BLOCKS, end + 1] };
  const [row] = await read(Array.fromAsync(kv.list(range, { limit: 1 })));
  return row === undefined ? end : Number(row.key[1]);
}

async function* storedBlocks(
  source: SearchSource,
  query: RequestQuery,
  range: SegmentRange,
): AsyncGenerator<BlockRead, void> {
  if (range.first > range.last) return;
  const ranges = await rangesOf(source, query, range);
  for (const one of ranges) yield* blocksWithin(source, query, one);
}

/** Returns the ranges of segments that may contain a time, in the order of the page. */
async function rangesOf(
  { kv, view }: SearchSource,
  { id, sinceMs, untilMs = Infinity, order }: RequestQuery,
  range: SegmentRange,
): Promise<readonly SegmentRange[]> {
  // A segment states the latest time and greatest id up to its end: everything before the first
  // segment that reaches the wanted one is older. The other end has no such bound, since a request
  // may be logged long after it began.
  const reaches = ({ atMs, maxId }: Tail) => atMs >= (sinceMs ?? -Infinity) && maxId >= (id ?? "");
  const isBounded = sinceMs !== undefined || id !== undefined;
  const reached = isBounded ? await firstSegment(kv, view.log, reaches) : 0;
  const first = Math.max(range.first, reached);
  const time = { sinceMs: sinceMs ?? -Infinity, untilMs };
  const ranges = [...view.times.rangesAt({ first, last: range.last }, time)];
  return order === "oldest" ? ranges : ranges.reverse();
}

async function* blocksWithin(
  { kv, view }: SearchSource,
  query: RequestQuery,
  { first, last: to }: SegmentRange,
): AsyncGenerator<BlockRead, void> {
  const { text } = query;
  const prefix = text === undefined ? LOG_BLOCKS : LOG_BLOCK_IDS;
  const rows = kv.list<Uint8Array>({ start: [prefix, first], end: [prefix, to + 1] }, {
    reverse: query.order !== "oldest",
    batchSize: READ_AHEAD_BLOCKS,
  });
  try {
    for await (const { key, value } of rows) {
      const last = Number(key[1]);
      if (text === undefined) {
        yield mayHaveIds(value, query) ? { block: learned(view, value) } : { last };
        continue;
      }
      // The engine searches text natively; bytes would need a loop in JavaScript.
      const ids = textOf(value);
      if (!ids.includes(text)) yield { last };
      else {
        const block = await kv.get<Uint8Array>([LOG_BLOCKS, last]);
        if (block.value === null) yield { last };
        else yield { block: learned(view, block.value), ids };
      }
    }
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError("Cannot read the index of the log", { cause });
  }
}

function learned({ times }: IndexView, value: Uint8Array): LogBlock {
  const block = decodeBlock(value);
  times.note(block.time);
  return block;
}

/** Reads the records at some positions, in order; those in deleted segments are omitted. */
async function readRecords(
  { kv, view: { log } }: SearchSource,
  positions: readonly LogPosition[],
): Promise<{ record: RequestRecord; position: LogPosition }[]> {
  const numbers = [...new Set(positions.map(({ segment }) => segment))];
  const segments = new Map(
    await Promise.all(numbers.map(async (segment) => {
      return [segment, await readSegment(kv, log, segment)] as const;
    })),
  );
  return positions.flatMap((position) => {
    const text = segments.get(position.segment)?.lines[position.line];
    return text === undefined ? [] : [{ record: decodeRecord(text), position }];
  });
}

function cursorText({ segment, line }: LogPosition): string {
  return `${segment}.${line}`;
}

function parseCursor(cursor: string): LogPosition {
  const match = /^(\d{1,15})\.(\d{1,9})$/.exec(cursor);
  return { segment: Number(match?.[1] ?? 0), line: Number(match?.[2] ?? 0) };
}
