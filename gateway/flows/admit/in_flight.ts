import { ServiceFault } from "../../domain/fault.ts";
import { Roster } from "../../system/roster.ts";

/**
 * The requests in flight: a shutdown waits for them and finally aborts them. The reason `shutdown` of
 * an abort says that the service ends the call.
 */
export class InFlight {
  readonly #aborts = new Roster<AbortController>();
  readonly #waiting: (() => void)[] = [];
  #count = 0;
  #isOver = false;

  /** Number of requests that have not been settled. */
  get count(): number {
    return this.#count;
  }

  /**
   * Counts a request. The returned function ends it and calls `onLeave`; further calls do nothing.
   */
  enter(onLeave: () => void): () => void {
    this.#count += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#count -= 1;
      onLeave();
      if (this.#count === 0) { for (const wake of this.#waiting.splice(0)) wake(); }
    };
  }

  /** Registers an upstream call. The returned function removes it. */
  watch(abort: AbortController): () => void {
    if (this.#isOver) abort.abort("shutdown");
    return this.#aborts.join(abort);
  }

  /** Aborts every upstream call in flight, and every one that is registered afterwards. */
  abortAll(): void {
    this.#isOver = true;
    for (const abort of this.#aborts) abort.abort("shutdown");
  }

  /** Aborts every upstream call in flight: another gateway has ended their holds. */
  cutAll(): void {
    for (const abort of this.#aborts) abort.abort("shutdown");
  }

  /** Returns the fault of a call that the service has ended. */
  endFault(): ServiceFault {
    if (this.#isOver) return new ServiceFault("shutting_down");
    return new ServiceFault("store_unavailable", {
      message: "The gateway was cut off from its store, and the call was ended: " +
        "send the request again",
    });
  }

  /** Resolves when no request is in flight. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
