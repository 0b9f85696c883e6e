import { afterMs } from "../system/deadlines.ts";
import type { LeaseOffer } from "../ports/lease_pool.ts";
import { FairQueue } from "../system/fair_queue.ts";

/** What a request waits for. */
export interface Wanted {
  /** Whose request it is: those of one owner take turns with those of others. */
  readonly owner: string;
  /** Ids of upstreams: a place at any of them will do. */
  readonly upstreams: ReadonlySet<string>;
  /** In milliseconds. */
  readonly waitMs: number;
}

interface Waiter extends Wanted {
  readonly end: (offer: LeaseOffer | undefined) => void;
}

/** Requests that wait for a place at an upstream, in the order of their turns. */
export class WaitingCalls {
  readonly #line = new FairQueue<Waiter>();
  /** How many want each upstream: most that are given back are wanted by nobody. */
  readonly #wanted = new Map<string, number>();
  #lengthMax = 0;

  /** How many wait. */
  get size(): number {
    return this.#line.size;
  }

  /** Most that may wait; where they are more already, they are not sent away. */
  set lengthMax(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /**
   * Resolves with the request's turn; with `undefined` where it did not come in time, where the signal
   * was aborted, and where too many wait: then those go first whose owner has the most waiting.
   */
  wait(wanted: Wanted, signal: AbortSignal): Promise<LeaseOffer | undefined> {
    if (signal.aborted || wanted.waitMs <= 0 || !this.#hasRoomFor(wanted.owner)) {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      const end = (offer: LeaseOffer | undefined) => {
        this.#line.delete(wanted.owner, waiter);
        this.#want(wanted, -1);
        callOff();
        signal.removeEventListener("abort", leave);
        resolve(offer);
      };
      const leave = () => end(undefined);
      const waiter: Waiter = { ...wanted, end };
      const callOff = afterMs(wanted.waitMs, leave);
      signal.addEventListener("abort", leave, { once: true });
      this.#line.add(wanted.owner, waiter);
      this.#want(wanted, 1);
    });
  }

  /** Whether anybody waits for a place at an upstream. */
  isWanted(upstream: string): boolean {
    return this.#wanted.has(upstream);
  }

  /** Gives turns, one after another, for as long as `offerAt` makes one for who is next. */
  serve(offerAt: (upstreams: ReadonlySet<string>) => LeaseOffer | undefined): void {
    while (this.#line.size > 0) {
      let offer: LeaseOffer | undefined;
      const next = this.#line.take(({ upstreams }) => (offer = offerAt(upstreams)) !== undefined);
      if (next === undefined) return;
      next.end(offer);
    }
  }

  /** Ends all waiting, in the order of the turns. */
  wakeAll(offer: () => LeaseOffer | undefined): void {
    for (const { end } of this.#line.takeAll()) end(offer());
  }

  #want({ upstreams }: Wanted, change: 1 | -1): void {
    for (const id of upstreams) {
      const count = (this.#wanted.get(id) ?? 0) + change;
      if (count === 0) this.#wanted.delete(id);
      else this.#wanted.set(id, count);
    }
  }

  #hasRoomFor(owner: string): boolean {
    if (this.#line.size < this.#lengthMax) return true;
    const evicted = this.#lengthMax === 0 ? undefined : this.#line.makeRoom(owner);
    evicted?.end(undefined);
    return evicted !== undefined;
  }
}
