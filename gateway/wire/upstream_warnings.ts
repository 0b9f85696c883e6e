/**
 * What an upstream says it left out of a request, a line each: `upstream_warnings` of its answer.
 *
 * @module
 */

/** Most lines that are told, and characters of each: they go into the request log as well. */
const LINES_MAX = 32;
const LINE_MAX_CHARS = 256;
const RARE = /[\p{Cc}\p{Cs}]/gu;
const MORE = "more was left out than is listed here";

/** The lines of a complete answer, or of a chunk; none where it has none. */
export function upstreamWarnings(answer: Readonly<Record<string, unknown>>): readonly string[] {
  const { upstream_warnings: lines } = answer;
  if (!Array.isArray(lines)) return [];
  return listed(lines.filter((line) => typeof line === "string"));
}

/** The lines of an answer of several turns, each once. */
export class UpstreamWarnings {
  readonly #ended: string[] = [];
  #turn: readonly string[] = [];

  /** All lines so far. */
  get lines(): readonly string[] {
    return listed([...this.#ended, ...this.#turn]);
  }

  /** Adds those of a chunk. */
  add(chunk: Readonly<Record<string, unknown>>): void {
    this.addLines(upstreamWarnings(chunk));
  }

  /** Adds lines of our own to those of the turn. */
  addLines(lines: readonly string[]): void {
    if (lines.length > 0) this.#turn = listed([...this.#turn, ...lines]);
  }

  /** Another turn begins. */
  beginTurn(): void {
    this.#ended.splice(0, Infinity, ...this.lines);
    this.#turn = [];
  }
}

/**
 * The lines as they are told: each once, cut where it is long, and not too many. What JSON would
 * escape at length, as callers can have it in names of members, is a question mark.
 */
export function listed(lines: readonly string[]): readonly string[] {
  const once = [...new Set(lines.map((line) => line.slice(0, LINE_MAX_CHARS).replace(RARE, "?")))];
  if (once.length <= LINES_MAX) return once;
  return [...once.filter((line) => line !== MORE).slice(0, LINES_MAX - 1), MORE];
}
