/**
 * Known times of stored index blocks, so that a search for a time skips others without reading
 * them. Learned while reading; rows of the log never change.
 *
 * @module
 */

import { BLOCK_TIMES_KEPT } from "../limits.ts";

/** A range of segments; both ends are inclusive. */
export interface SegmentRange {
  readonly first: number;
  readonly last: number;
}

/** Start times of the requests in some segments. */
export interface BlockTime extends SegmentRange {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** A bounded map of block times. */
export class BlockTimes {
  /** Times by last segment. */
  readonly #known = new Map<number, BlockTime>();

  /** Adds a block; beyond the maximum the oldest entry is dropped. */
  note(block: BlockTime): void {
    if (this.#known.has(block.last)) return;
    if (this.#known.size >= BLOCK_TIMES_KEPT) {
      for (const last of this.#known.keys()) {
        this.#known.delete(last);
        break;
      }
    }
    this.#known.set(block.last, block);
  }

  /** Yields the parts of a range that may contain a time, oldest first. */
  *rangesAt(
    range: SegmentRange,
    { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
  ): Generator<SegmentRange> {
    const outside = [...this.#known.values()]
      .filter((block) => block.untilMs < sinceMs || block.sinceMs > untilMs)
      .sort((one, other) => one.first - other.first);
    let first = range.first;
    for (const block of outside) {
      if (block.first > range.last) break;
      if (block.first > first) yield { first, last: block.first - 1 };
      first = Math.max(first, block.last + 1);
    }
    if (first <= range.last) yield { first, last: range.last };
  }
}
