/**
 * The search for capacity: a lease at an upstream together with a hold that pays for the call.
 *
 * The lease is taken first, and the hold after it. A request that must wait for one of the two keeps
 * nothing of the other meanwhile: a wait for a lease holds no credits, and a wait for credits occupies
 * no upstream. So no two requests can wait for each other.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import { serves } from "../../domain/policy/key.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { limitsInForce } from "../../domain/limits/service_limits.ts";
import {
  BUSY_RETRY_MS,
  EMPTY_OFFER,
  type Lease,
  type LeaseOffer,
  type LeasePool,
} from "../../ports/lease_pool.ts";
import type { InFlight } from "../admit/in_flight.ts";
import { type OpenPlan, type PlanDeps, prepareRoute } from "../plan/route_plan.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { holdForCall, type HoldRequest, type OpenHold } from "./call_hold.ts";
import { HOLD_WAIT_MS, type HoldDeps, voidHold } from "./take_hold.ts";

/** Maximum waits of a request, for leases and for holds together. */
const WAITS_MAX = 16;

/** Parts of the service that the search uses. */
export type CapacityDeps = PlanDeps & HoldDeps & {
  readonly inFlight: Pick<InFlight, "watch" | "endFault">;
  readonly pool: LeasePool;
};

/** A lease at the upstream of a candidate with the hold that pays for the call. */
export interface Capacity {
  readonly candidate: Candidate;
  readonly lease: Lease;
  readonly hold: OpenHold;
}

type Leased = Omit<Capacity, "hold">;

/** A request that needs capacity for its attempts. */
export interface CapacityRequest extends HoldRequest {
  readonly plan: OpenPlan;
  /** Leaves out candidates of a plan that cannot serve the request. @default {leaves out none} */
  passable?(candidates: readonly Candidate[]): readonly Candidate[];
  /**
   * Aborted when the answer is no longer needed, with the reason `timeout` if its time is over.
   * @default {the signal of the active request}
   */
  readonly signal?: AbortSignal | undefined;
}

/** Finds capacity for the attempts of one request: at each candidate at most once. */
export class CapacitySearch {
  readonly #deps: CapacityDeps;
  readonly #request: CapacityRequest;
  readonly #signal: AbortSignal;
  /** Ids of models that were tried or could not be paid for. */
  readonly #done = new Set<string>();
  #candidates: readonly Candidate[];
  #refusal: ServiceFault | undefined;
  #waits = 0;
  #leaseWaitedMs = 0;
  #holdWaitedMs = 0;

  constructor(deps: CapacityDeps, request: CapacityRequest) {
    this.#deps = deps;
    this.#request = request;
    this.#signal = request.signal ?? request.active.signal;
    this.#candidates = this.#passable(request.plan);
  }

  /** Reason why the search ended without capacity, if candidates remained. */
  get refusal(): ServiceFault | undefined {
    return this.#refusal;
  }

  /**
   * Returns the next capacity, after a wait if necessary; `undefined` if there is none. Throws if the
   * caller disconnects, if the service stops, and if the key may no longer be used.
   */
  async next(): Promise<Capacity | undefined> {
    let leased: Leased | undefined;
    for (;;) {
      const result = await this.#takeNow(leased) ?? await this.#takeAfterWait();
      if (result === undefined) return undefined;
      if ("hold" in result) {
        this.#done.add(result.candidate.model.id);
        this.#request.active.begin();
        return result;
      }
      leased = result.leased;
    }
  }

  get #mayWaitForHold(): boolean {
    return this.#waits < WAITS_MAX && this.#holdWaitedMs < HOLD_WAIT_MS;
  }

  get #remaining(): readonly Candidate[] {
    if (this.#done.size === 0) return this.#candidates;
    return this.#candidates.filter(({ model }) => !this.#done.has(model.id));
  }

  /** Takes capacity that is free now: the candidate with a lease first, then the others in order. */
  async #takeNow(leased: Leased | undefined): Promise<Capacity | { leased?: Leased } | undefined> {
    let short: Candidate | undefined;
    const candidates = leased === undefined
      ? this.#remaining
      : [leased.candidate, ...this.#remaining.filter((one) => one !== leased.candidate)];
    for (const candidate of candidates) {
      const lease = candidate === leased?.candidate
        ? leased.lease
        : this.#deps.pool.acquire(candidate.model);
      if (lease === undefined) continue;
      let hold: OpenHold | ServiceFault;
      try {
        hold = await holdForCall(this.#deps, this.#request, { candidate, waitMs: 0 });
      } catch (error) {
        lease.release();
        throw error;
      }
      if (!(hold instanceof ServiceFault)) {
        if (this.#signal.aborted) this.#leave(lease, hold);
        return { candidate, lease, hold };
      }
      lease.release();
      // Only the first candidate that the wallet cannot pay is worth a wait: the others are worse.
      if (this.#refusal === undefined && this.#mayWaitForHold) short ??= candidate;
      else this.#giveUp(candidate, hold);
    }
    return short === undefined ? undefined : await this.#waitForHold(short);
  }

  /** Gives capacity back because the caller has left, and throws. */
  #leave(lease: Lease, hold: OpenHold): never {
    lease.release();
    voidHold(this.#deps, hold.id, "the caller left");
    throw new CallerDisconnected("The caller disconnected before the answer");
  }

  #giveUp({ model }: Candidate, refusal: ServiceFault): void {
    this.#done.add(model.id);
    this.#refusal ??= refusal;
  }

  /** Waits for credits, and then needs a lease at once; without a lease the hold is voided. */
  async #waitForHold(candidate: Candidate): Promise<Capacity | { leased?: Leased }> {
    const { active } = this.#request;
    const startedMs = active.elapsedMs;
    const waitMs = HOLD_WAIT_MS - this.#holdWaitedMs;
    this.#waits += 1;
    const giveBack = (hold: OpenHold | ServiceFault) => {
      if (!(hold instanceof ServiceFault)) {
        voidHold(this.#deps, hold.id, "the request no longer waits for it");
      }
    };
    const hold = await this.#wait(
      (signal) => holdForCall(this.#deps, this.#request, { candidate, waitMs, signal }),
      giveBack,
    );
    this.#holdWaitedMs += active.elapsedMs - startedMs;
    if (hold instanceof ServiceFault) {
      this.#giveUp(candidate, hold);
      return {};
    }
    const lease = this.#deps.pool.acquire(candidate.model);
    if (lease !== undefined) return { candidate, lease, hold };
    giveBack(hold);
    return {};
  }

  /** Waits for a lease, and plans the route again when one is offered. */
  async #takeAfterWait(): Promise<{ leased?: Leased } | undefined> {
    const { active } = this.#request;
    const { catalogs, clock, pool } = this.#deps;
    const states = pool.states(clock.nowMs());
    const models = this.#remaining.map(({ model }) => model).filter(({ id }) => {
      // The pool may lack a model while the catalog is replaced.
      const { available, busy = available } = states.get(id) ?? { available: true };
      return busy;
    });
    if (models.length === 0) return undefined;
    if (this.#waits >= WAITS_MAX) return this.#refuseAsBusy();
    this.#waits += 1;
    if (this.#remaining.some(({ price }) => price.version !== catalogs.current().version)) {
      return await this.#planAgain(EMPTY_OFFER);
    }
    const startedMs = active.elapsedMs;
    const { queueMs } = limitsInForce(catalogs.current());
    const waitMs = queueMs - this.#leaseWaitedMs;
    const owner = active.identity.key.id;
    using offer = await this.#wait(
      (signal) => pool.waitForLease({ models, owner, waitMs }, signal),
      (unused) => unused?.[Symbol.dispose](),
    );
    this.#leaseWaitedMs += active.elapsedMs - startedMs;
    if (offer === undefined) return this.#refuseAsBusy();
    await this.#renewKey();
    return await this.#planAgain(offer);
  }

  /** Plans the route again and takes the best lease that can be had, the offered one included. */
  async #planAgain(offer: LeaseOffer): Promise<{ leased?: Leased } | undefined> {
    try {
      const decide = await this.#prepare();
      return offer.use(() => {
        this.#candidates = this.#passable(decide());
        return this.#leaseFirst();
      });
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      this.#refusal ??= error;
      return undefined;
    }
  }

  #refuseAsBusy(): undefined {
    this.#refusal ??= new ServiceFault("no_model_available", {
      message: "Every model that could serve this request is busy; no capacity became free in time",
      retryAfterMs: BUSY_RETRY_MS,
    });
  }

  #leaseFirst(): { leased?: Leased } {
    for (const candidate of this.#remaining) {
      const lease = this.#deps.pool.acquire(candidate.model);
      if (lease !== undefined) return { leased: { candidate, lease } };
    }
    return {};
  }

  #prepare(): Promise<() => OpenPlan> {
    const { active, features } = this.#request;
    return prepareRoute(this.#deps, active, features);
  }

  #passable(plan: OpenPlan): readonly Candidate[] {
    return this.#request.passable?.(plan.candidates) ?? plan.candidates;
  }

  /** Waits unless the caller disconnects or the service stops: then a late result is given back. */
  async #wait<T>(
    wait: (signal: AbortSignal) => Promise<T>,
    giveBack: (result: T) => void,
  ): Promise<T> {
    const abort = new AbortController();
    const leave = () => abort.abort("left");
    if (this.#signal.aborted) leave();
    this.#signal.addEventListener("abort", leave, { once: true });
    const unwatch = this.#deps.inFlight.watch(abort);
    let result: T;
    try {
      result = await wait(abort.signal);
    } finally {
      unwatch();
      this.#signal.removeEventListener("abort", leave);
    }
    if (!abort.signal.aborted) return result;
    giveBack(result);
    if (abort.signal.reason === "shutdown") throw this.#deps.inFlight.endFault();
    throw new CallerDisconnected("The caller disconnected before the answer");
  }

  /** Reads the key again for a request that has begun nothing. Throws if it may no longer be used. */
  async #renewKey(): Promise<void> {
    const { active } = this.#request;
    if (active.hasBegun) return;
    const { clock, keys } = this.#deps;
    const key = await keys.get(active.identity.key.id);
    if (key === undefined || !serves(key, clock.nowMs())) throw new ServiceFault("invalid_api_key");
    active.renewKey(key);
  }
}
