import type { Piece } from "./answer_stream.ts";

/** The last events of an answer, one at a time: the next is made when the one before was taken. */
export class LastPieces {
  readonly #pieces: Iterator<string>;
  readonly #onLast: (() => Promise<void>) | undefined;
  #upcoming: IteratorResult<string>;
  #isOver = false;
  /** The piece that is being made ready to be given out. */
  #taking: Promise<Piece> | undefined;

  /** `onLast` is called once, when the last of them has been made and before it is given out. */
  constructor(pieces: Iterable<string>, onLast?: () => Promise<void>) {
    this.#pieces = pieces[Symbol.iterator]();
    this.#onLast = onLast;
    this.#upcoming = this.#pieces.next();
  }

  /** The next one; empty text from when all were taken. */
  async next(): Promise<Piece> {
    const taking = this.#taking = this.#take();
    try {
      return await taking;
    } finally {
      this.#taking = undefined;
    }
  }

  /**
   * All that are left, with the one that is on its way: who asks for the rest stands in for whoever
   * was waiting for it.
   */
  async drain(): Promise<string> {
    let text = (await this.#taking)?.text ?? "";
    while (!this.#isOver) text += (await this.next()).text;
    return text;
  }

  async #take(): Promise<Piece> {
    const text = this.#upcoming.done ? "" : this.#upcoming.value;
    if (!this.#upcoming.done) this.#upcoming = this.#pieces.next();
    const last = this.#upcoming.done === true;
    if (last && !this.#isOver) {
      this.#isOver = true;
      await this.#onLast?.();
    }
    return { text, last };
  }
}
