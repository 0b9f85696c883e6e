import { writtenTokens } from "../../domain/requests/written_tokens.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";

/** As much of an answer as says how long it is. */
export type MeasuredAnswer = Pick<
  AnswerRelay,
  "delivered" | "deliveredChars" | "finished" | "usedUpBy"
>;

/** Characters from one look to the next, at the least. */
const STEP_MIN_CHARS = 64;
/** Looks that an answer close to its limit takes at the most, to come to it. */
const LOOKS = 16;

/**
 * Tells when a streamed answer has certainly passed the output tokens that its hold pays for. An answer
 * is not looked at before it can have come near: it has at least a character for each token.
 */
export class OutputMeter {
  readonly #heldTokens: number;
  #nextLookChars: number;
  #countedChars = 0;
  #tokens = 0;
  /** Characters that it had with its finish. */
  #finishedChars: number | undefined;

  constructor(heldTokens: number) {
    this.#heldTokens = heldTokens;
    this.#nextLookChars = this.#stepFrom(0);
  }

  /** True when it has, and goes on. */
  isPassedBy(answer: MeasuredAnswer): boolean {
    const chars = answer.deliveredChars;
    // What goes on after its finish has not ended.
    this.#finishedChars = answer.finished ? this.#finishedChars ?? chars : undefined;
    const isOver = chars === this.#finishedChars;
    if (answer.usedUpBy !== undefined) return !answer.finished;
    if (chars < this.#nextLookChars || isOver) return false;
    const text = answer.delivered.join("");
    // Its first piece may be the end of a token that has been counted.
    const fresh = writtenTokens(text.slice(this.#countedChars));
    this.#tokens += this.#countedChars === 0 ? fresh : Math.max(0, fresh - 1);
    this.#countedChars = text.length;
    this.#nextLookChars = chars + this.#stepFrom(this.#tokens);
    return this.#tokens > this.#heldTokens;
  }

  #stepFrom(tokens: number): number {
    const held = this.#heldTokens;
    return Math.max(STEP_MIN_CHARS, Math.ceil(held / LOOKS), held - tokens);
  }
}
