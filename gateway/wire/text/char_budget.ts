import { UpstreamCut } from "../../ports/upstream.ts";

/**
 * Maximum length of an answer that is kept whole, to be repeated at its end, in UTF-16 code units:
 * a million tokens. No model's output is as long.
 */
export const ANSWER_MAX_CHARS = 4 * 1024 * 1024;

/** Minimum size of an item, a part, a call or a citation besides its text, in UTF-16 code units. */
export const ITEM_CHARS = 256;

/** Counts the kept characters of an answer: its text, and all members beside it. */
export class CharBudget {
  #remaining = ANSWER_MAX_CHARS;

  /** Number of characters that are kept. */
  get used(): number {
    return ANSWER_MAX_CHARS - this.#remaining;
  }

  /** Reserves room for characters. Throws an {@linkcode UpstreamCut} when there is none. */
  add(chars: number): void {
    this.#remaining -= chars;
    if (this.#remaining >= 0) return;
    throw new UpstreamCut("malformed", `The answer exceeds ${ANSWER_MAX_CHARS} characters`);
  }
}
