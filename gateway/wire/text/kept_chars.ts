import { UpstreamCut } from "../../ports/upstream.ts";

/**
 * Longest answer of which everything is kept, to be said again at its end, in UTF-16 code units: a
 * million tokens. No model's output is as long.
 */
export const KEPT_MAX_CHARS = 4 * 1024 * 1024;

/** What an item, a part, a call or a citation takes beside its text, at least. */
export const ITEM_CHARS = 256;

/** Counts what is kept of an answer: its text, and all that comes beside it. */
export class KeptChars {
  #left = KEPT_MAX_CHARS;

  /** What has been taken. */
  get taken(): number {
    return KEPT_MAX_CHARS - this.#left;
  }

  /** Takes room for so many characters. Throws an {@linkcode UpstreamCut} where there is none. */
  take(chars: number): void {
    this.#left -= chars;
    if (this.#left >= 0) return;
    throw new UpstreamCut("malformed", `The answer exceeds ${KEPT_MAX_CHARS} characters`);
  }
}
