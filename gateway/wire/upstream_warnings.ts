/**
 * Parts of a request that an upstream reports as ignored, a line each: `upstream_warnings` of its
 * answer.
 *
 * @module
 */

/** Maximum number of lines, and of characters of each: the request log stores them as well. */
const LINES_MAX = 32;
const LINE_MAX_CHARS = 256;
const RARE = /[\p{Cc}\p{Cs}]/gu;
const MORE = "more was left out than is listed here";

/** Returns the lines of a complete answer or of a chunk. */
export function upstreamWarnings(answer: Readonly<Record<string, unknown>>): readonly string[] {
  const { upstream_warnings: lines } = answer;
  if (!Array.isArray(lines)) return [];
  return listed(lines.filter((line) => typeof line === "string"));
}

/** The lines of an answer of several turns, without repetitions. */
export class UpstreamWarnings {
  readonly #ended: string[] = [];
  #turn: readonly string[] = [];

  /** All lines so far. */
  get lines(): readonly string[] {
    return listed([...this.#ended, ...this.#turn]);
  }

  /** Adds the lines of a chunk. */
  add(chunk: Readonly<Record<string, unknown>>): void {
    this.addLines(upstreamWarnings(chunk));
  }

  /** Adds lines of the service to those of the turn. */
  addLines(lines: readonly string[]): void {
    if (lines.length > 0) this.#turn = listed([...this.#turn, ...lines]);
  }

  /** Begins another turn. */
  beginTurn(): void {
    this.#ended.splice(0, Infinity, ...this.lines);
    this.#turn = [];
  }
}

/**
 * Returns the lines without repetitions, with long ones cut and not too many. Characters that JSON
 * escapes at length, as callers can have them in names of members, become question marks.
 */
export function listed(lines: readonly string[]): readonly string[] {
  const once = [...new Set(lines.map((line) => line.slice(0, LINE_MAX_CHARS).replace(RARE, "?")))];
  if (once.length <= LINES_MAX) return once;
  return [...once.filter((line) => line !== MORE).slice(0, LINES_MAX - 1), MORE];
}
