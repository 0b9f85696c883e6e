/** Difference of two clocks above which it is reported, in milliseconds. */
const APART_MS = 5_000;

/** Options of {@linkcode ClockDifference}. */
export interface ClockDifferenceOptions {
  /** This machine's clock, in Unix milliseconds. @default {that of the system} */
  readonly nowMs?: (() => number) | undefined;
  /** Receives a difference of more than 5 s, once until it is smaller. @default {no call} */
  readonly onApart?: ((aheadMs: number) => void) | undefined;
}

/** Compares this machine's clock with the database's, by questions that the database answers. */
export class ClockDifference {
  readonly #options: ClockDifferenceOptions;
  #aheadMs = 0;
  #isApart = false;

  constructor(options: ClockDifferenceOptions = {}) {
    this.#options = options;
  }

  /** Time by which this machine's clock was ahead at the last answer, in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Returns this machine's time, in Unix milliseconds. */
  nowMs(): number {
    return (this.#options.nowMs ?? Date.now)();
  }

  /** Notes an answer of now to a question that was sent at `sentMs`, by this machine's clock. */
  answered(databaseMs: number, sentMs: number): void {
    // The database's clock was read about half way.
    this.#aheadMs = Math.round((sentMs + this.nowMs()) / 2 - databaseMs);
    const isApart = Math.abs(this.#aheadMs) > APART_MS;
    if (isApart && !this.#isApart) this.#options.onApart?.(this.#aheadMs);
    this.#isApart = isApart;
  }
}
