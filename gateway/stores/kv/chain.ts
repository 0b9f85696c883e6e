/**
 * Journal and request log as readers see them: stored segments, and the open segments of the commits
 * that are not folded yet.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";
import { READ_AHEAD_SEGMENTS } from "./limits.ts";
import { read } from "./read.ts";
import type { Tail } from "./rows.ts";
import {
  appendLines,
  decodeSegment,
  type EncodedSegment,
  type Line,
  type PlacedLines,
  type Segment,
} from "./segment.ts";

/** A segment as a row has it; damage may have changed it to anything. */
export interface SegmentRow {
  /** The segment's number in the key. */
  readonly number: unknown;
  readonly value: unknown;
}

/** The open segments as rows would have them, and the end of the chain behind them. */
interface OpenSegments {
  readonly rows: readonly EncodedSegment[];
  readonly placed: readonly PlacedLines[];
  readonly end: Tail;
}

/** A chain of segments at one moment. Later commits do not change it. */
export class Chain {
  readonly name: string;
  /** End of the stored segments. */
  readonly stored: Tail;
  readonly #lines: readonly Line[];
  readonly #count: number;
  #open: OpenSegments | undefined;

  /** `lines` are those of the open segments, to which more may be appended later. */
  constructor(name: string, stored: Tail, lines: readonly Line[] = []) {
    this.name = name;
    this.stored = stored;
    this.#lines = lines;
    this.#count = lines.length;
  }

  /** Number of the last segment, open ones included; 0 for an empty chain. */
  get last(): number {
    return this.end.segment;
  }

  /** Lines in the chain, deleted ones included. */
  get total(): number {
    return this.stored.total + this.#count;
  }

  /** Lines of the open segments. */
  get openLines(): readonly Line[] {
    return this.#lines.slice(0, this.#count);
  }

  /** The same lines by segment. */
  get openPlaced(): readonly PlacedLines[] {
    return this.#sealed().placed;
  }

  /** The open segments of a range, inclusive, as their rows would be now. */
  open({ from, to }: { readonly from: number; readonly to: number }): readonly SegmentRow[] {
    const first = this.stored.segment + 1;
    if (to < first) return [];
    const { rows } = this.#sealed();
    return rows.slice(Math.max(0, from - first), to - first + 1).map(({ key, value }) => {
      return { number: key[1], value };
    });
  }

  /** End of the chain, as a fold would store it now. */
  get end(): Tail {
    return this.#sealed().end;
  }

  #sealed(): OpenSegments {
    if (this.#open === undefined) {
      const { tail: end, ...segments } = appendLines(this.stored, this.openLines, this.name);
      this.#open = { ...segments, end };
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
  const open = chain.open({ from, to });
  if (reverse) yield* open.toReversed();
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
  if (!reverse) yield* open;
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
    const [open] = chain.open({ from: segment, to: segment });
    return open === undefined ? undefined : decodeSegment(open.value as Uint8Array);
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
