/**
 * Counts the bytes that a process allocates on V8's heap, by its own trace of collections.
 *
 * @module
 */

/**
 * Flags of V8 that print a line for each collection, with the size of the heap before and after. The
 * lines leave the process in blocks of some twenty, so a small young generation makes the count exact
 * to some twenty megabytes.
 */
export const TRACE_FLAG = "--trace-gc,--max-semi-space-size=1";

/** A collection: the heap it is of, and megabytes before and after it. */
const COLLECTION = /^\[\d+:(\w+)\].*?: \D*?([\d.]+) \([\d.]+\) -> ([\d.]+) \([\d.]+\) MB/;
const MEGABYTE = 1_048_576;

/**
 * Adds up allocations from a trace: each heap's growth from the end of one collection to the begin of
 * the next.
 */
export class GarbageCount {
  /** Megabytes after the last collection, of each heap. */
  readonly #afterLast = new Map<string, number>();
  #megabytes = 0;

  /** Bytes allocated up to the last collection. */
  get bytes(): number {
    return this.#megabytes * MEGABYTE;
  }

  /** Takes a line of output; lines that are no collection are passed over. */
  take(line: string): void {
    const match = COLLECTION.exec(line);
    if (match === null) return;
    const [, heap = "", before = "", after = ""] = match;
    const last = this.#afterLast.get(heap);
    if (last !== undefined) this.#megabytes += Number(before) - last;
    this.#afterLast.set(heap, Number(after));
  }

  /** Takes all lines that come. */
  async follow(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) this.take(line);
  }
}
