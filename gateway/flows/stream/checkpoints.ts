/**
 * The streams in flight, checked at intervals so that their progress becomes durable. All
 * checkpoints that are due at the same time are written in one commit, together with other
 * operations of that moment.
 *
 * @module
 */

import { setImmediate } from "node:timers/promises";
import { afterMs } from "../../system/deadlines.ts";
import { Roster } from "../../system/roster.ts";

/** Time between two checks, in milliseconds. */
export const CHECK_MS = 500;
/** Streams whose tokens are counted before the loop yields: each takes about 100 µs. */
export const COUNTED_AT_ONCE = 20;

/** A stream whose checkpoint may be due. */
export interface Checkpointed {
  /** Writes a checkpoint if one is due. Returns true if it had to count tokens. Never throws. */
  writeIfDue(): boolean;
}

/** The streams in flight. Uses a timer only while there are any. */
export class Checkpoints {
  readonly #streams = new Roster<Checkpointed>();
  readonly #checkMs: number;
  #callOff: () => void = () => {};

  /** `checkMs`: time between two checks. @default {CHECK_MS} */
  constructor({ checkMs = CHECK_MS }: { readonly checkMs?: number } = {}) {
    this.#checkMs = checkMs;
  }

  /** Number of registered streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** Registers a stream. The returned function removes it; further calls do nothing. */
  enter(stream: Checkpointed): () => void {
    if (this.#streams.size === 0) this.#arm();
    const leave = this.#streams.join(stream);
    return () => {
      if (leave() && this.#streams.size === 0) this.#callOff();
    };
  }

  #arm(): void {
    this.#callOff = afterMs(this.#checkMs, () => void this.#checkAll());
  }

  async #checkAll(): Promise<void> {
    this.#arm();
    let counted = 0;
    for (const stream of this.#streams) {
      if (stream.writeIfDue() && ++counted % COUNTED_AT_ONCE === 0) await setImmediate();
    }
  }
}
