import { afterMs } from "../../system/deadlines.ts";

/**
 * Pause between two batches, in milliseconds: less than the time between two frames of a screen.
 */
export const BATCH_PAUSE_MS = 12;
/**
 * Characters after which a stream counts as long, and the pause between two full batches of such a
 * stream, in milliseconds. The pause limits it to some megabytes per second, more than any model
 * writes, so that memory is collected as fast as it is used.
 */
const LONG_CHARS = 1024 * 1024;
const LONG_PAUSE_MS = 2;
/**
 * Characters that fill a batch: further reads wait until it is taken. For a stalled reader, the
 * runtime buffers sixteen batches, and this one waits behind them.
 */
const BATCH_MAX_CHARS = 8 * 1024;

/**
 * Joins events that arrive in quick succession: an event after a pause is passed on at once, events
 * within {@linkcode BATCH_PAUSE_MS} after it together, or sooner if they fill a batch. So a fast
 * stream costs its readers a few large writes instead of many small ones, and a slow one is not
 * delayed.
 */
export class EventBatcher implements AsyncIterator<readonly string[], undefined> {
  readonly #source: AsyncIterator<readonly string[]>;
  #batch: string[] = [];
  #chars = 0;
  /** Number of characters passed on. */
  #passed = 0;
  #reading = false;
  /** The end of the source, with its error if it failed. */
  #end: { readonly error?: unknown } | undefined;
  /** Ends the pause; absent if there is none. */
  #pause: (() => void) | undefined;
  #wake: () => void = () => {};

  constructor(source: AsyncIterator<readonly string[]>) {
    this.#source = source;
  }

  /** Returns the next batch. Events before an error are passed on before it is thrown. */
  async next(): Promise<IteratorResult<readonly string[], undefined>> {
    if (!this.#reading) void this.#read();
    while (this.#end === undefined && (this.#batch.length === 0 || this.#pause !== undefined)) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    if (this.#batch.length > 0) {
      const batch = this.takeWaiting();
      if (this.#end === undefined) this.#pause = afterMs(BATCH_PAUSE_MS, this.#onPauseOver);
      return { done: false, value: batch };
    }
    if (this.#end !== undefined && "error" in this.#end) throw this.#end.error;
    return { done: true, value: undefined };
  }

  /** Removes and returns the events that arrived and were not requested yet. */
  takeWaiting(): readonly string[] {
    const batch = this.#batch;
    this.#passed += this.#chars;
    this.#batch = [];
    this.#chars = 0;
    return batch;
  }

  /** Ends the iteration early: waiting events are dropped. */
  async return(): Promise<IteratorResult<readonly string[], undefined>> {
    this.takeWaiting();
    this.#finish({});
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      while (this.#end === undefined && this.#chars < BATCH_MAX_CHARS) {
        const next = await this.#source.next();
        if (next.done) return this.#finish({});
        if (this.#end !== undefined) return;
        for (const text of next.value) {
          this.#batch.push(text);
          this.#chars += text.length + 1;
        }
        if (this.#pause === undefined) this.#wake();
      }
      this.#hasten();
      this.#reading = false;
    } catch (error) {
      this.#finish({ error });
    }
  }

  /** Ends the pause early, because the batch is full. */
  #hasten(): void {
    if (this.#pause === undefined) return;
    this.#pause();
    if (this.#passed > LONG_CHARS) this.#pause = afterMs(LONG_PAUSE_MS, this.#onPauseOver);
    else this.#onPauseOver();
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    this.#pause?.();
    this.#pause = undefined;
    this.#wake();
  }

  readonly #onPauseOver = (): void => {
    this.#pause = undefined;
    this.#wake();
  };
}
