/** Text to send. */
interface LastPiece {
  readonly text: string;
  /** Nothing follows. */
  readonly last: boolean;
}

/** Puts an answer by; resolves to its last event as it is to be sent. */
export type KeepAnswer = (lastEvent: string) => Promise<string>;

/** The last events of an answer, one at a time: the next is made when the one before was taken. */
export class FinalEvents {
  readonly #pieces: Iterator<string>;
  readonly #keep: KeepAnswer | undefined;
  #upcoming: IteratorResult<string>;
  #isOver = false;
  /** The piece that is being made ready to be given out. */
  #taking: Promise<LastPiece> | undefined;

  /** `keep` is called once, with the last of them and before it is given out. */
  constructor(pieces: Iterable<string>, keep?: KeepAnswer) {
    this.#pieces = pieces[Symbol.iterator]();
    this.#keep = keep;
    this.#upcoming = this.#pieces.next();
  }

  /** The next one; empty text from when all were taken. */
  async next(): Promise<LastPiece> {
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

  async #take(): Promise<LastPiece> {
    let text = this.#upcoming.done ? "" : this.#upcoming.value;
    if (!this.#upcoming.done) this.#upcoming = this.#pieces.next();
    const last = this.#upcoming.done === true;
    if (last && !this.#isOver) {
      this.#isOver = true;
      text = await this.#keep?.(text) ?? text;
    }
    return { text, last };
  }
}
