import { afterMs } from "../../system/deadlines.ts";

/** Pause between two batches, in milliseconds: less than a screen takes from frame to frame. */
export const GATHER_MS = 12;
/**
 * Characters after which a stream is a long one, and the pause between two of its batches that are full.
 * It is held to some megabytes a second, more than any model says: so memory is collected as fast as
 * it is used.
 */
const LONG_CHARS = 1024 * 1024;
const LONG_PAUSE_MS = 2;
/**
 * Characters that fill a batch: reading on waits behind it. Where the reader of a connection stalls,
 * the runtime keeps sixteen batches for it, and this one waits behind them.
 */
const GATHERED_MAX_CHARS = 8 * 1024;

/**
 * Gathers texts that come in quick succession: one that comes after a pause is passed on at once,
 * those that follow it within {@linkcode GATHER_MS} together, or sooner where they are many. So a fast
 * stream costs its readers a few large writes in place of many small ones, and a slow one is not
 * delayed.
 */
export class EventBatcher implements AsyncIterator<readonly string[], undefined> {
  readonly #source: AsyncIterator<readonly string[]>;
  #batch: string[] = [];
  #chars = 0;
  /** Characters that were passed on. */
  #passed = 0;
  #reading = false;
  /** How the source ended. */
  #end: { readonly error?: unknown } | undefined;
  /** Ends the pause; absent where there is none. */
  #pause: (() => void) | undefined;
  #wake: () => void = () => {};

  constructor(source: AsyncIterator<readonly string[]>) {
    this.#source = source;
  }

  /** What has gathered; what came before an error is passed on before it. */
  async next(): Promise<IteratorResult<readonly string[], undefined>> {
    if (!this.#reading) void this.#read();
    while (this.#end === undefined && (this.#batch.length === 0 || this.#pause !== undefined)) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    if (this.#batch.length > 0) {
      const batch = this.takeWaiting();
      if (this.#end === undefined) this.#pause = afterMs(GATHER_MS, this.#onPauseOver);
      return { done: false, value: batch };
    }
    if (this.#end !== undefined && "error" in this.#end) throw this.#end.error;
    return { done: true, value: undefined };
  }

  /** What has come and was not asked for yet; it is not passed on any more. */
  takeWaiting(): readonly string[] {
    const batch = this.#batch;
    this.#passed += this.#chars;
    this.#batch = [];
    this.#chars = 0;
    return batch;
  }

  /** Leaves early: nothing that waits is passed on any more. */
  async return(): Promise<IteratorResult<readonly string[], undefined>> {
    this.takeWaiting();
    this.#finish({});
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      while (this.#end === undefined && this.#chars < GATHERED_MAX_CHARS) {
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

  /** The batch is full: nothing more comes together with it. */
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
