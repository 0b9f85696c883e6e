import { afterMs } from "./deadlines.ts";

/**
 * Pause between two batches, in milliseconds: less than the time between two frames of a screen.
 */
export const BATCH_PAUSE_MS = 12;
/**
 * Size after which a stream counts as long, and the pause between two full batches of such a
 * stream, in milliseconds. The pause limits it to some megabytes per second, more than any model
 * writes, so that memory is collected as fast as it is used.
 */
const LONG_SIZE = 1024 * 1024;
const LONG_PAUSE_MS = 2;
/**
 * Size that fills a batch: further reads wait until it is taken. For a stalled reader, the runtime
 * buffers sixteen batches, and this one waits behind them.
 */
const BATCH_MAX_SIZE = 8 * 1024;

/**
 * Decides when data that arrives in quick succession is passed on: after a silence at once, data
 * within {@linkcode BATCH_PAUSE_MS} after it together, or sooner if it fills a batch. So a fast
 * stream costs its readers a few large writes instead of many small ones, and a slow one is not
 * delayed. Its user keeps the data; sizes are in any unit of about a byte.
 */
export class BatchPace {
  /** Size of the data that waits. */
  #size = 0;
  /** Size of the data that was passed on. */
  #passed = 0;
  #hasEnded = false;
  /** Ends the pause; absent if there is none. */
  #pause: (() => void) | undefined;
  #wake: () => void = () => {};

  /** True when no more may be read before the batch is taken. */
  get isFull(): boolean {
    return this.#size >= BATCH_MAX_SIZE;
  }

  /** True once `end` was called. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Notes that data has arrived. */
  added(size: number): void {
    this.#size += size;
    if (this.#pause === undefined) this.#wake();
    else if (this.isFull) this.#hasten();
  }

  /** Resolves when there is a batch to take, or the data has ended. */
  async due(): Promise<void> {
    while (!this.#hasEnded && (this.#size === 0 || this.#pause !== undefined)) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  /** Notes that data was taken: by default everything that waited. */
  taken(size: number = this.#size): void {
    this.#passed += size;
    this.#size -= size;
  }

  /** Begins the pause after a batch, if one is due. Must not be called during one. */
  pause(): void {
    if (this.#hasEnded) return;
    const pauseMs = !this.isFull ? BATCH_PAUSE_MS : this.#passed > LONG_SIZE ? LONG_PAUSE_MS : 0;
    if (pauseMs > 0) this.#pause = afterMs(pauseMs, this.#onPauseOver);
  }

  /** Notes that no more data follows. */
  end(): void {
    this.#hasEnded = true;
    this.#pause?.();
    this.#pause = undefined;
    this.#wake();
  }

  /** Ends the pause early, because the batch is full. */
  #hasten(): void {
    this.#pause?.();
    if (this.#passed > LONG_SIZE) this.#pause = afterMs(LONG_PAUSE_MS, this.#onPauseOver);
    else this.#onPauseOver();
  }

  readonly #onPauseOver = (): void => {
    this.#pause = undefined;
    this.#wake();
  };
}
