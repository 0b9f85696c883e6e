import { fewestTokens } from "../../domain/requests/token_floor.ts";
import { CollectedText } from "./collected_text.ts";

/**
 * Length of text that is counted at once, in UTF-16 code units, which takes a millisecond. Of
 * larger pieces no more is counted.
 */
const BLOCK_CHARS = 32 * 1024;
/** Maximum length of a token of `o200k_base`, in UTF-16 code units: one of spaces. */
const TOKEN_MAX_CHARS = 128;

/**
 * Delivered text of a model, kept to be counted where no usage is reported. Once it certainly has
 * as many tokens as its hold pays for, the charge is the whole hold in any case: from there on no
 * text is kept.
 */
export class DeliveredText {
  readonly #maxTokens: number;
  #text = new CollectedText();
  /** Text that has not been counted yet. */
  #block = new CollectedText();
  #fewest = 0;
  #hasEnded = false;
  /** Minimum number of its tokens, once they use up the hold. */
  usedUpBy: number | undefined;

  /** `maxTokens`: tokens that the hold pays for. @default {no limit} */
  constructor(maxTokens = Infinity) {
    this.#maxTokens = maxTokens;
  }

  /** Length of the kept text, in UTF-16 code units. */
  get length(): number {
    return this.#text.length + this.#block.length;
  }

  /** Adds a piece; `sourceLength` is the length of the text that it may be a slice of. */
  push(piece: string, sourceLength: number = piece.length): void {
    if (this.#hasEnded) return;
    this.#block.push(piece, sourceLength);
    if (this.#block.length >= BLOCK_CHARS) this.#count();
  }

  /** Ignores all later pieces. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Returns the text in pieces: none where it is empty, or has used up its hold. */
  pieces(): readonly string[] {
    return [...this.#text.pieces(), ...this.#block.pieces()];
  }

  #count(): void {
    const block = this.#block.text();
    this.#block = new CollectedText();
    this.#text.push(block);
    this.#fewest += fewestOf(block.slice(0, BLOCK_CHARS)) + bySize(block.slice(BLOCK_CHARS));
    if (this.#fewest < this.#maxTokens) return;
    this.usedUpBy = this.#fewest;
    this.#text = new CollectedText();
    this.end();
  }
}

function fewestOf(text: string): number {
  // Its first piece may be the end of a token that began before.
  return Math.max(fewestTokens(text, { maxChars: BLOCK_CHARS }) - 1, bySize(text));
}

function bySize({ length }: string): number {
  return Math.floor(length / TOKEN_MAX_CHARS);
}
