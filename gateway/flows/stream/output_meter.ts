import { writtenTokens } from "../../domain/requests/written_tokens.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";

/** The part of an answer that tells its length. */
export type MeasuredAnswer = Pick<
  AnswerRelay,
  "delivered" | "deliveredChars" | "finished" | "usedUpBy"
>;

/** Minimum characters between two counts. */
const STEP_MIN_CHARS = 64;
/** Maximum counts of an answer that approaches its limit. */
const COUNTS_MAX = 16;

/**
 * Detects when a streamed answer has certainly passed the output tokens that its hold pays for. An
 * answer is not counted before it can be near the limit: each token has at least one character.
 */
export class OutputMeter {
  readonly #heldTokens: number;
  #nextCountChars: number;
  #countedChars = 0;
  #tokens = 0;
  /** Length of the answer at its finish, in characters. */
  #finishedChars: number | undefined;

  constructor(heldTokens: number) {
    this.#heldTokens = heldTokens;
    this.#nextCountChars = this.#stepFrom(0);
  }

  /** True when the answer has passed the limit and continues. */
  isPassedBy(answer: MeasuredAnswer): boolean {
    const chars = answer.deliveredChars;
    // An answer that continues after its finish has not ended.
    this.#finishedChars = answer.finished ? this.#finishedChars ?? chars : undefined;
    const isOver = chars === this.#finishedChars;
    if (answer.usedUpBy !== undefined) return !answer.finished;
    if (chars < this.#nextCountChars || isOver) return false;
    const text = answer.delivered.join("");
    // Its first characters may complete a token that has been counted.
    const fresh = writtenTokens(text.slice(this.#countedChars));
    this.#tokens += this.#countedChars === 0 ? fresh : Math.max(0, fresh - 1);
    this.#countedChars = text.length;
    this.#nextCountChars = chars + this.#stepFrom(this.#tokens);
    return this.#tokens > this.#heldTokens;
  }

  #stepFrom(tokens: number): number {
    const held = this.#heldTokens;
    return Math.max(STEP_MIN_CHARS, Math.ceil(held / COUNTS_MAX), held - tokens);
  }
}
