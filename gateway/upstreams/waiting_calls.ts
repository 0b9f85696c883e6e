import { afterMs } from "../system/deadlines.ts";
import { FairQueue } from "../system/fair_queue.ts";

/** The turn of a request that waited for a place. Given up where it is disposed of unused. */
export interface Turn extends Disposable {
  /**
   * Frees the place for as long as `take` runs, so that it can be acquired, and by nobody else. What
   * is left free then goes to the next in line. Once.
   */
  use<T>(take: () => T): T;
}

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
  readonly end: (turn: Turn | undefined) => void;
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
  wait(wanted: Wanted, signal: AbortSignal): Promise<Turn | undefined> {
    if (signal.aborted || wanted.waitMs <= 0 || !this.#hasRoomFor(wanted.owner)) {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      const end = (turn: Turn | undefined) => {
        this.#line.delete(wanted.owner, waiter);
        this.#want(wanted, -1);
        callOff();
        signal.removeEventListener("abort", leave);
        resolve(turn);
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

  /** Gives turns, one after another, for as long as `turnAt` makes one for who is next. */
  serve(turnAt: (upstreams: ReadonlySet<string>) => Turn | undefined): void {
    while (this.#line.size > 0) {
      let turn: Turn | undefined;
      const next = this.#line.take(({ upstreams }) => (turn = turnAt(upstreams)) !== undefined);
      if (next === undefined) return;
      next.end(turn);
    }
  }

  /** Ends all waiting, in the order of the turns. */
  wakeAll(turn: () => Turn | undefined): void {
    for (const { end } of this.#line.takeAll()) end(turn());
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
