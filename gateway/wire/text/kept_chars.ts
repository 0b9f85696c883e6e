import { UpstreamCut } from "../../ports/upstream.ts";

/**
 * Maximum length of an answer that is kept whole, to be repeated at its end, in UTF-16 code units:
 * a million tokens. No model's output is as long.
 */
export const KEPT_MAX_CHARS = 4 * 1024 * 1024;

/** Minimum size of an item, a part, a call or a citation besides its text, in UTF-16 code units. */
export const ITEM_CHARS = 256;

/** Counts the kept characters of an answer: its text, and all members beside it. */
export class KeptChars {
  #left = KEPT_MAX_CHARS;

  /** Number of characters that are kept. */
  get taken(): number {
    return KEPT_MAX_CHARS - this.#left;
  }

  /** Reserves room for characters. Throws an {@linkcode UpstreamCut} when there is none. */
  take(chars: number): void {
    this.#left -= chars;
    if (this.#left >= 0) return;
    throw new UpstreamCut("malformed", `The answer exceeds ${KEPT_MAX_CHARS} characters`);
  }
}
