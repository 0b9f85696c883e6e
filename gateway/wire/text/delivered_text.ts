import { fewestTokens } from "../../domain/requests/token_floor.ts";
import { CollectedText } from "./collected_text.ts";

/** Text that is looked at together, in UTF-16 code units: a millisecond. Of larger pieces no more. */
const BLOCK_CHARS = 32 * 1024;
/** Longest token of `o200k_base`, in UTF-16 code units: one of spaces. */
const TOKEN_MAX_CHARS = 128;

/**
 * What a caller was sent of a model's text, kept to be counted where no usage is reported. Once it
 * certainly has as many tokens as its hold pays for, its charge is the hold, whatever follows: from
 * there on nothing is kept of it.
 */
export class DeliveredText {
  readonly #maxTokens: number;
  #text = new CollectedText();
  /** What has not been looked at yet. */
  #block = new CollectedText();
  #fewest = 0;
  #hasEnded = false;
  /** Tokens that it has at least, where they use its hold up. */
  usedUpBy: number | undefined;

  /** `maxTokens`: what the hold pays for. @default {no limit} */
  constructor(maxTokens = Infinity) {
    this.#maxTokens = maxTokens;
  }

  /** What is kept, in UTF-16 code units. */
  get length(): number {
    return this.#text.length + this.#block.length;
  }

  /** Adds a piece; `kept` is the length of the text that it may be a slice of. */
  push(piece: string, kept: number = piece.length): void {
    if (this.#hasEnded) return;
    this.#block.push(piece, kept);
    if (this.#block.length >= BLOCK_CHARS) this.#look();
  }

  /** Nothing is delivered any more. */
  end(): void {
    this.#hasEnded = true;
  }

  /** All of it, in pieces: none where there is none, or where it has used up its hold. */
  pieces(): readonly string[] {
    return [...this.#text.pieces(), ...this.#block.pieces()];
  }

  #look(): void {
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
  // Its first piece may be the end of one that began before.
  return Math.max(fewestTokens(text, { maxChars: BLOCK_CHARS }) - 1, bySize(text));
}

function bySize({ length }: string): number {
  return Math.floor(length / TOKEN_MAX_CHARS);
}
