import type { ProblemList } from "../../../domain/ledger/replay.ts";
import type { SegmentRow } from "../chain.ts";
import { decodeSegment, type Segment, sha256 } from "../segment.ts";
import type { Tail } from "../rows.ts";

const RESTORE = "restore the store from a backup made before";

/** Verifies the journal's chain of hashes, segment by segment. */
export class ChainCheck {
  readonly #problems: ProblemList;
  #segment = 0;
  /** Hash of the last segment; `undefined` when unknown. */
  #hash: string | undefined = "";
  /** Entries up to the end of the last segment; `undefined` when unknown. */
  #total: number | undefined = 0;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  /** Number of the last segment. */
  get segment(): number {
    return this.#segment;
  }

  /** Entries up to the end of the last segment, as the journal states. */
  get total(): number {
    return this.#total ?? 0;
  }

  /** Verifies the next row. Returns its lines, none when it is unreadable. */
  next({ number, value }: SegmentRow): readonly string[] {
    if (typeof number !== "number" || !Number.isSafeInteger(number) || number <= this.#segment) {
      this.#problems.push(`The journal has a row ${String(number)} that is no segment: ${RESTORE}`);
      return [];
    }
    this.#passTo(number);
    const segment = readable(value);
    if (segment === undefined) {
      this.#problems.push(`Journal segment ${number} cannot be read: ${RESTORE}`);
      this.#hash = value instanceof Uint8Array ? sha256(value) : undefined;
      this.#total = undefined;
      return [];
    }
    this.#compare(segment);
    this.#hash = segment.hash();
    this.#total = segment.header.total;
    return segment.lines;
  }

  /** Compares the end of the chain with the store's head. */
  end(head: Tail): void {
    this.#passTo(head.segment + 1);
    if (this.#hash !== undefined && this.#hash !== head.hash) {
      this.#problems.push(
        `Journal segment ${head.segment} was changed after it was written, the store's head names ` +
          `another hash: ${RESTORE}`,
      );
    } else if (this.#total !== undefined && this.#total !== head.total) {
      this.#problems.push(
        `The journal has ${this.#total} entries, the store's head says ${head.total}: ${RESTORE}`,
      );
    }
  }

  /** Reports the segments missing before this one. */
  #passTo(number: number): void {
    const from = this.#segment + 1;
    this.#segment = number;
    if (number === from) return;
    const which = number - from === 1
      ? `segment ${from} is`
      : `segments ${from} to ${number - 1} are`;
    this.#problems.push(`Journal ${which} missing: ${RESTORE}`);
    this.#hash = undefined;
    this.#total = undefined;
  }

  #compare({ header, lines }: Segment): void {
    const number = this.#segment;
    if (header.segment !== number) {
      this.#problems.push(
        `Journal segment ${number} says that it is segment ${header.segment}: ${RESTORE}`,
      );
    }
    if (this.#hash !== undefined && header.hash !== this.#hash) {
      const changed = number === 1 ? 1 : number - 1;
      this.#problems.push(
        `Journal segment ${changed} was changed after it was written, segment ${number} names ` +
          `another hash: ${RESTORE}`,
      );
    }
    if (this.#total !== undefined && header.total !== this.#total + lines.length) {
      this.#problems.push(
        `Journal segment ${number} says that it ends with entry ${header.total}, it ends with ` +
          `entry ${this.#total + lines.length}: ${RESTORE}`,
      );
    }
  }
}

/** Returns the segment of a value; `undefined` when its header is unreadable. */
function readable(value: unknown): Segment | undefined {
  if (!(value instanceof Uint8Array)) return undefined;
  try {
    const segment = decodeSegment(value);
    const { segment: number, total, hash } = segment.header;
    const whole = Number.isSafeInteger(number) && Number.isSafeInteger(total);
    return whole && typeof hash === "string" ? segment : undefined;
  } catch {
    return undefined;
  }
}
