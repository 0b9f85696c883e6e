import { GrowingText } from "./growing_text.ts";

/** What may lie in pieces: how many, and how many characters of the texts that they were cut from. */
const PIECES_MAX = 256;
const KEPT_MAX = 64 * 1024;

/**
 * Text that is read at the end, if at all. A piece is often a slice, and a slice keeps the text alive
 * that it was cut from; so pieces are few, and what came before them is bytes.
 */
export class CollectedText {
  readonly #text = new GrowingText();
  #pieces: string[] = [];
  #kept = 0;
  #isFolded = false;
  /** Characters that are there. */
  length = 0;

  /** Adds a piece; `kept` is the length of the text that it may be a slice of. */
  push(piece: string, kept: number = piece.length): void {
    if (piece === "") return;
    this.length += piece.length;
    this.#kept += kept;
    if (this.#pieces.push(piece) >= PIECES_MAX || this.#kept >= KEPT_MAX) this.#fold();
  }

  /** All of it, in pieces: none where there is none. */
  pieces(): readonly string[] {
    return this.#isFolded ? [this.#text.text(), ...this.#pieces] : [...this.#pieces];
  }

  /** All of it. */
  text(): string {
    return this.pieces().join("");
  }

  #fold(): void {
    this.#text.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#kept = 0;
    this.#isFolded = true;
  }
}
