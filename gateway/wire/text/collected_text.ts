import { GrowingText } from "./growing_text.ts";

/** Maximum number of pieces, and of characters of the texts that they were cut from. */
const PIECES_MAX = 256;
const KEPT_MAX = 64 * 1024;

/**
 * Text that is read at the end, if at all. A piece is often a slice, which keeps the whole text
 * alive that it was cut from; so pieces are few, and earlier ones are bytes.
 */
export class CollectedText {
  readonly #text = new GrowingText();
  #pieces: string[] = [];
  #sourceChars = 0;
  #isFolded = false;
  /** Number of characters. */
  length = 0;

  /** Adds a piece; `sourceLength` is the length of the text that it may be a slice of. */
  push(piece: string, sourceLength: number = piece.length): void {
    if (piece === "") return;
    this.length += piece.length;
    this.#sourceChars += sourceLength;
    if (this.#pieces.push(piece) >= PIECES_MAX || this.#sourceChars >= KEPT_MAX) this.#fold();
  }

  /** Returns the text in pieces. */
  pieces(): readonly string[] {
    return this.#isFolded ? [this.#text.text(), ...this.#pieces] : [...this.#pieces];
  }

  /** Returns the whole text. */
  text(): string {
    return this.pieces().join("");
  }

  #fold(): void {
    this.#text.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#sourceChars = 0;
    this.#isFolded = true;
  }
}
