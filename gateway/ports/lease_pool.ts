import type { Model } from "../domain/catalog/catalog.ts";
import type { Observation } from "../domain/routing/health.ts";
import type { TargetState } from "../domain/routing/plan.ts";
import type { Upstream } from "./upstream.ts";

/** Time after which a caller may try again when every upstream is full, in milliseconds. */
export const BUSY_RETRY_MS = 1_000;

/** The right to run one call at an upstream. */
export interface Lease {
  /** The upstream to call. */
  readonly upstream: Upstream;
  /** Reports the outcome of the attempt: when its answer begins, and again if it breaks off later. */
  report(observation: Observation): void;
  /** Reports that the attempt failed and that the request goes to another model. */
  failedOver(): void;
  /** Returns the lease to the pool. Call it exactly once, when the answer has ended. */
  release(): void;
}

/**
 * Capacity that the pool keeps free for one waiting request. Disposing of an offer that was not used
 * passes the capacity on.
 */
export interface LeaseOffer extends Disposable {
  /**
   * Runs `take`, during which the capacity can be acquired and no other request can take it. Capacity
   * that is still free afterwards goes to the next waiting request. Call it at most once.
   */
  use<T>(take: () => T): T;
}

/** An offer without capacity: the request plans again and competes with all others. */
export const EMPTY_OFFER: LeaseOffer = { use: (take) => take(), [Symbol.dispose]: () => {} };

/** A request that waits for a lease. */
export interface LeaseWait {
  /** Models of which any will do. */
  readonly models: readonly Model[];
  /** Id of the key: waiting requests of different owners are served in rotation. */
  readonly owner: string;
  /** Longest wait, in milliseconds. */
  readonly waitMs: number;
}

/** A lease that callers do not need: it is granted while at least half of the capacity stays free. */
export interface SpareLease {
  /** Called when a request must wait for the capacity: the call should end at once. */
  readonly giveWay: () => void;
}

/** The upstreams of the catalog in force, with their health and their free capacity. */
export interface LeasePool {
  /**
   * Returns the state of every model, by its id: a live view that the pool keeps writing to. Read it
   * before the next `await`.
   */
  states(nowMs: number): ReadonlyMap<string, TargetState>;
  /**
   * Returns a lease at the model's upstream; `undefined` if that is full, cooling down or gone.
   * `spare`: @default {the lease is as good as any other}
   */
  acquire(model: Model, spare?: SpareLease): Lease | undefined;
  /**
   * Waits for capacity at the upstream of one of the models. Resolves to `undefined` if there was none
   * in time, if the signal was aborted, and if too many requests wait already. An offer promises no
   * lease: plan the route again before using it. A new catalog ends all waits with {@linkcode EMPTY_OFFER}.
   */
  waitForLease(wait: LeaseWait, signal: AbortSignal): Promise<LeaseOffer | undefined>;
}
