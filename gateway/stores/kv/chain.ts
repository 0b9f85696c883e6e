/**
 * Journal and request log as readers see them: stored segments, and the open segment of the commits
 * that are not folded yet.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";
import { READ_AHEAD_SEGMENTS } from "./limits.ts";
import { read } from "./read.ts";
import type { Tail } from "./rows.ts";
import { appendLines, decodeSegment, type Line, type Segment } from "./segment.ts";

/** A segment as a row has it; damage may have changed it to anything. */
export interface SegmentRow {
  /** The segment's number in the key. */
  readonly number: unknown;
  readonly value: unknown;
}

/** The open segment as a row would have it, and the end of the chain behind it. */
interface OpenSegment {
  readonly value: Uint8Array;
  readonly end: Tail;
}

/** A chain of segments at one moment. Later commits do not change it. */
export class Chain {
  readonly name: string;
  /** End of the stored segments. */
  readonly stored: Tail;
  readonly #lines: readonly Line[];
  readonly #count: number;
  #open: OpenSegment | undefined;

  /** `lines` are those of the open segment, to which more may be appended later. */
  constructor(name: string, stored: Tail, lines: readonly Line[] = []) {
    this.name = name;
    this.stored = stored;
    this.#lines = lines;
    this.#count = lines.length;
  }

  /** Number of the last segment, the open one included; 0 for an empty chain. */
  get last(): number {
    return this.stored.segment + (this.#count === 0 ? 0 : 1);
  }

  /** Lines in the chain, deleted ones included. */
  get total(): number {
    return this.stored.total + this.#count;
  }

  /** Lines of the open segment. */
  get openLines(): readonly Line[] {
    return this.#lines.slice(0, this.#count);
  }

  /** The open segment as its row would be now; `undefined` without lines. */
  get open(): Uint8Array | undefined {
    return this.#sealed()?.value;
  }

  /** End of the chain, as a fold would store it now. */
  get end(): Tail {
    return this.#sealed()?.end ?? this.stored;
  }

  #sealed(): OpenSegment | undefined {
    if (this.#count === 0) return undefined;
    if (this.#open === undefined) {
      const { tail: end, rows: [row] } = appendLines(this.stored, this.openLines, this.name);
      if (row !== undefined) this.#open = { value: row.value, end };
    }
    return this.#open;
  }
}

/** Range of segments, inclusive. */
interface SegmentRange {
  readonly from: number;
  /** @default {the last} */
  readonly to?: number | undefined;
  readonly reverse?: boolean | undefined;
}

/** Yields the rows of segments, `batchSize` read at once. */
export async function* segmentRows(
  kv: Deno.Kv,
  chain: Chain,
  { from, to = chain.last, reverse = false, batchSize }: SegmentRange & {
    readonly batchSize: number;
  },
): AsyncGenerator<SegmentRow, void> {
  const { name, stored: { segment: last } } = chain;
  const hasOpen = from <= last + 1 && to > last && chain.last > last;
  if (hasOpen && reverse) yield { number: last + 1, value: chain.open };
  const selector = { start: [name, from], end: [name, Math.min(to, last) + 1] };
  try {
    if (from <= last) {
      for await (const { key, value } of kv.list(selector, { reverse, batchSize })) {
        yield { number: key[1], value };
      }
    }
  } catch (cause) {
    throw new StoreError(`Cannot read the ${name}`, { cause });
  }
  if (hasOpen && !reverse) yield { number: last + 1, value: chain.open };
}

/** Yields segments, in either direction. */
export async function* readSegments(
  kv: Deno.Kv,
  chain: Chain,
  range: SegmentRange,
): AsyncGenerator<Segment, void> {
  const rows = segmentRows(kv, chain, { ...range, batchSize: READ_AHEAD_SEGMENTS });
  for await (const { value } of rows) yield decodeSegment(value as Uint8Array);
}

/** Reads one segment. */
export async function readSegment(
  kv: Deno.Kv,
  chain: Chain,
  segment: number,
): Promise<Segment | undefined> {
  if (segment > chain.stored.segment) {
    const { open } = chain;
    return open === undefined || segment !== chain.last ? undefined : decodeSegment(open);
  }
  const { value } = await read(kv.get<Uint8Array>([chain.name, segment]));
  return value === null ? undefined : decodeSegment(value);
}

/** Returns the number of the oldest stored segment; 0 if none is stored. */
export async function oldestSegment(kv: Deno.Kv, name: string): Promise<number> {
  for await (const { key } of kv.list({ prefix: [name] }, { limit: 1 })) return Number(key[1]);
  return 0;
}

/**
 * Returns the number of the first segment whose header satisfies `reached`, by bisection: greatest
 * time and id never fall from one segment to the next. One beyond the last if none does.
 */
export async function firstSegment(
  kv: Deno.Kv,
  chain: Chain,
  reached: (header: Tail) => boolean,
): Promise<number> {
  let low = await oldestSegment(kv, chain.name) || chain.stored.segment + 1;
  let high = chain.last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const segment = await readSegment(kv, chain, middle);
    // A missing segment was deleted for its age meanwhile.
    if (segment !== undefined && reached(segment.header)) high = middle;
    else low = middle + 1;
  }
  return low;
}
