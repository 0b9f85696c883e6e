/**
 * What is known of the times that stored blocks of the log's index tell of, so that a search for a
 * time passes over the others without reading them. Learned by reading; rows of the log never change.
 *
 * @module
 */

import { BLOCK_TIMES_KEPT } from "../limits.ts";

/** Segments from the first to the last. */
export interface SegmentRange {
  readonly first: number;
  readonly last: number;
}

/** When the requests of some segments began. */
export interface BlockTime extends SegmentRange {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Remembers times of blocks. */
export class BlockTimes {
  /** By their last segment. */
  readonly #known = new Map<number, BlockTime>();

  /** Learns of a block; of too many the one that was learned first is forgotten. */
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

  /** What is left of some segments, oldest first, without those that are known to lie outside a time. */
  *left(
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
