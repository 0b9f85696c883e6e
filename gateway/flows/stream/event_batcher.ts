import type { PacedEvents } from "../../ports/upstream.ts";
import { BatchPace } from "../../system/batch_pace.ts";

/** Joins the events of a source that arrive in quick succession, see {@linkcode BatchPace}. */
export class EventBatcher implements PacedEvents {
  readonly #source: AsyncIterator<readonly string[]>;
  readonly #pace = new BatchPace();
  #batch: string[] = [];
  #isReading = false;
  /** The error that ended the source. */
  #failure: { readonly error: unknown } | undefined;

  constructor(source: AsyncIterator<readonly string[]>) {
    this.#source = source;
  }

  /** Does nothing: the events are paced from the first on. */
  pace(): void {}

  /** Returns the next batch. Events before an error are passed on before it is thrown. */
  async next(): Promise<IteratorResult<readonly string[], undefined>> {
    if (!this.#isReading) void this.#read();
    await this.#pace.due();
    if (this.#batch.length > 0) {
      const batch = this.takeWaiting();
      this.#pace.pause();
      return { done: false, value: batch };
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return { done: true, value: undefined };
  }

  /** Removes and returns the events that arrived and were not requested yet. */
  takeWaiting(): readonly string[] {
    const batch = this.#batch;
    this.#batch = [];
    this.#pace.taken();
    return batch;
  }

  /** Ends the iteration early: waiting events are dropped. */
  async return(): Promise<IteratorResult<readonly string[], undefined>> {
    this.takeWaiting();
    this.#pace.end();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (!this.#pace.hasEnded && !this.#pace.isFull) {
        const next = await this.#source.next();
        if (next.done) return this.#pace.end();
        if (this.#pace.hasEnded) return;
        let chars = 0;
        for (const text of next.value) {
          this.#batch.push(text);
          chars += text.length + 1;
        }
        this.#pace.added(chars);
      }
      this.#isReading = false;
    } catch (error) {
      if (!this.#pace.hasEnded) this.#failure = { error };
      this.#pace.end();
    }
  }
}
