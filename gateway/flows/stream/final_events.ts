/** Text to send. */
interface FinalPiece {
  readonly text: string;
  /** Nothing follows. */
  readonly last: boolean;
}

/** Stores an answer; resolves to its last event as it is to be sent. */
export type StoreAnswer = (lastEvent: string) => Promise<string>;

/** The final events of an answer: each is made when the one before it was taken. */
export class FinalEvents {
  readonly #pieces: Iterator<string>;
  readonly #store: StoreAnswer | undefined;
  #upcoming: IteratorResult<string>;
  #isOver = false;
  /** The piece that is being prepared. */
  #pending: Promise<FinalPiece> | undefined;

  /** `store` is called once, with the last event and before it is returned. */
  constructor(pieces: Iterable<string>, store?: StoreAnswer) {
    this.#pieces = pieces[Symbol.iterator]();
    this.#store = store;
    this.#upcoming = this.#pieces.next();
  }

  /** Returns the next event; empty text once all were taken. */
  async next(): Promise<FinalPiece> {
    const pending = this.#pending = this.#take();
    try {
      return await pending;
    } finally {
      this.#pending = undefined;
    }
  }

  /**
   * Returns all remaining events as one text, the one in preparation included: the caller of this
   * method replaces the earlier reader.
   */
  async drain(): Promise<string> {
    let text = (await this.#pending)?.text ?? "";
    while (!this.#isOver) text += (await this.next()).text;
    return text;
  }

  async #take(): Promise<FinalPiece> {
    let text = this.#upcoming.done ? "" : this.#upcoming.value;
    if (!this.#upcoming.done) this.#upcoming = this.#pieces.next();
    const last = this.#upcoming.done === true;
    if (last && !this.#isOver) {
      this.#isOver = true;
      text = await this.#store?.(text) ?? text;
    }
    return { text, last };
  }
}
