import { afterMs } from "../system/deadlines.ts";
import type { LeaseOffer } from "../ports/lease_pool.ts";
import { FairQueue } from "../system/fair_queue.ts";

/** A request for a lease. */
export interface Wanted {
  /** Owner of the request: requests of one owner alternate with those of others. */
  readonly owner: string;
  /** Ids of upstreams, any of which can serve the request. */
  readonly upstreams: ReadonlySet<string>;
  /** In milliseconds. */
  readonly waitMs: number;
}

interface Waiter extends Wanted {
  readonly end: (offer: LeaseOffer | undefined) => void;
}

/** A fair queue of the requests that wait for a lease at an upstream. */
export class WaitingCalls {
  readonly #queue = new FairQueue<Waiter>();
  /** Number of waiting requests for each upstream; no request waits for most released leases. */
  readonly #wanted = new Map<string, number>();
  #lengthMax = 0;

  /** Number of waiting requests. */
  get size(): number {
    return this.#queue.size;
  }

  /** Maximum number of waiting requests. A lower value removes none that wait already. */
  set lengthMax(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /**
   * Resolves with the request's offer, or with `undefined` after `waitMs`, on abort, or if too many
   * requests wait. In the last case requests of the owner with the most waiting requests are
   * removed first.
   */
  wait(wanted: Wanted, signal: AbortSignal): Promise<LeaseOffer | undefined> {
    if (signal.aborted || wanted.waitMs <= 0 || !this.#hasRoomFor(wanted.owner)) {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      const end = (offer: LeaseOffer | undefined) => {
        this.#queue.delete(wanted.owner, waiter);
        this.#want(wanted, -1);
        callOff();
        signal.removeEventListener("abort", leave);
        resolve(offer);
      };
      const leave = () => end(undefined);
      const waiter: Waiter = { ...wanted, end };
      const callOff = afterMs(wanted.waitMs, leave);
      signal.addEventListener("abort", leave, { once: true });
      this.#queue.add(wanted.owner, waiter);
      this.#want(wanted, 1);
    });
  }

  /** True when a request waits for a lease at an upstream. */
  isWanted(upstream: string): boolean {
    return this.#wanted.has(upstream);
  }

  /** Offers leases in order, as long as `offerAt` returns one for the next request. */
  serve(offerAt: (upstreams: ReadonlySet<string>) => LeaseOffer | undefined): void {
    while (this.#queue.size > 0) {
      let offer: LeaseOffer | undefined;
      const next = this.#queue.take(({ upstreams }) => (offer = offerAt(upstreams)) !== undefined);
      if (next === undefined) return;
      next.end(offer);
    }
  }

  /** Resolves all waiting requests, in the order of the queue. */
  wakeAll(offer: () => LeaseOffer | undefined): void {
    for (const { end } of this.#queue.takeAll()) end(offer());
  }

  #want({ upstreams }: Wanted, change: 1 | -1): void {
    for (const id of upstreams) {
      const count = (this.#wanted.get(id) ?? 0) + change;
      if (count === 0) this.#wanted.delete(id);
      else this.#wanted.set(id, count);
    }
  }

  #hasRoomFor(owner: string): boolean {
    if (this.#queue.size < this.#lengthMax) return true;
    const evicted = this.#lengthMax === 0 ? undefined : this.#queue.makeRoom(owner);
    evicted?.end(undefined);
    return evicted !== undefined;
  }
}
