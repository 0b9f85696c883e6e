/**
 * Streams under way, looked at now and then, so that how far they have come becomes durable. All that
 * are due at one look are written in one commit, which other operations of that moment join.
 *
 * @module
 */

import { setImmediate } from "node:timers/promises";
import { afterMs } from "../../system/deadlines.ts";

/** Time between two looks, in milliseconds. */
export const LOOK_MS = 500;
/** Streams that are counted before others have their turn: they take some 100 µs each. */
export const COUNTED_AT_ONCE = 20;

/** A stream that may be due. */
export interface Checkpointed {
  /** Writes down how far it has come, where that is due; says whether it had to count. Never throws. */
  look(): boolean;
}

/** The streams under way. Costs a timer while there are any. */
export class Checkpoints {
  readonly #streams = new Set<Checkpointed>();
  readonly #lookMs: number;
  #callOff: () => void = () => {};

  /** `lookMs`: time between two looks. @default {LOOK_MS} */
  constructor({ lookMs = LOOK_MS }: { readonly lookMs?: number } = {}) {
    this.#lookMs = lookMs;
  }

  /** Streams that are looked at. */
  get size(): number {
    return this.#streams.size;
  }

  /** A stream begins; the function returned ends it, and does nothing when called again. */
  enter(stream: Checkpointed): () => void {
    if (this.#streams.size === 0) this.#arm();
    this.#streams.add(stream);
    return () => {
      if (this.#streams.delete(stream) && this.#streams.size === 0) this.#callOff();
    };
  }

  #arm(): void {
    this.#callOff = afterMs(this.#lookMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#arm();
    let counted = 0;
    for (const stream of [...this.#streams]) {
      if (stream.look() && ++counted % COUNTED_AT_ONCE === 0) await setImmediate();
    }
  }
}
