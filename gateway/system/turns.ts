import { FairQueue } from "./fair_queue.ts";

/** Limits of {@linkcode Turns}. */
export interface TurnLimits {
  /** Maximum number of an owner's tasks that wait. */
  readonly ofOne: number;
  /** Maximum number of tasks that wait. */
  readonly ofAll: number;
  /** Returns the reason of a refusal. */
  readonly refusal: () => Error;
}

/** A task that waits. */
interface Waiting {
  readonly begin: () => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * Runs one task at a time. Owners take turns: however many tasks one has waiting, another waits for
 * one task of each at most. Where no more may wait, the last task of the owner with the most makes
 * room for an owner with fewer.
 */
export class Turns {
  readonly #queue = new FairQueue<Waiting>();
  readonly #limits: TurnLimits | undefined;
  /** Waiting tasks by owner. */
  readonly #counts = new Map<string, number>();
  #isBusy = false;

  /** @default limits {any number may wait} */
  constructor(limits?: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Runs a task when its owner's turn comes. Rejects with the reason of a refusal if too many wait,
   * and with that of the signal if it is aborted before the turn.
   */
  async run<T>(
    owner: string,
    task: () => Promise<T>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    if (this.#isBusy) await this.#wait(owner, signal);
    this.#isBusy = true;
    try {
      return await task();
    } finally {
      const next = this.#queue.take(() => true);
      // Busy until the next one runs: none may come between.
      this.#isBusy = next !== undefined;
      next?.begin();
    }
  }

  async #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    const own = this.#counts.get(owner) ?? 0;
    if (this.#limits !== undefined) this.#makeRoom({ owner, own }, this.#limits);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { begin: resolve, refuse: reject };
    const leave = () => {
      // One whose turn has come goes on.
      if (this.#queue.delete(owner, waiting)) reject(signal?.reason);
    };
    this.#queue.add(owner, waiting);
    this.#counts.set(owner, own + 1);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", leave);
      const remaining = (this.#counts.get(owner) ?? 1) - 1;
      if (remaining === 0) this.#counts.delete(owner);
      else this.#counts.set(owner, remaining);
    }
  }

  #makeRoom(
    { owner, own }: { readonly owner: string; readonly own: number },
    { ofAll, ofOne, refusal }: TurnLimits,
  ): void {
    if (own >= ofOne) throw refusal();
    if (this.#queue.size < ofAll) return;
    const last = this.#queue.makeRoom(owner);
    if (last === undefined) throw refusal();
    last.refuse(refusal());
  }
}
