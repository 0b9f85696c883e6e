/**
 * A request's place: at an upstream, and in the books.
 *
 * The place at an upstream is taken first, and its hold after it. Where either must be waited for, the
 * other is not kept meanwhile: who waits for a place holds no money, and who waits for money keeps
 * nobody from an upstream. So no two requests can wait for each other.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import { serves } from "../../domain/policy/key.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { limitsInForce } from "../../domain/limits/service_limits.ts";
import type { AttemptRequest } from "./attempt.ts";
import { holdForCall, type OpenHold } from "./call_hold.ts";
import { CallerDisconnected } from "./caller_disconnected.ts";
import type { GatewayContext, Lease, Turn } from "../context.ts";
import { HOLD_WAIT_MS, letGo } from "./take_hold.ts";
import { type OpenPlan, prepareRoute } from "../plan/route_plan.ts";

/** Most times that a request waits for a place or for a hold, whichever it lacks. */
const WAITS_MAX = 16;
/** When to ask again where all are busy, in milliseconds: nobody knows when a call ends. */
const BUSY_RETRY_MS = 1_000;

/** A turn of somebody who waited for nothing. */
const EMPTY_TURN: Turn = { use: (take) => take(), [Symbol.dispose]: () => {} };

/** A place at an upstream with the hold that pays for it. */
export interface Place {
  readonly candidate: Candidate;
  readonly lease: Lease;
  readonly hold: OpenHold;
}

type Leased = Omit<Place, "hold">;

/** What is needed of an attempt to find its places. */
export type PlaceRequest = Pick<
  AttemptRequest<unknown>,
  "trace" | "plan" | "features" | "passable" | "signal" | "fees"
>;

/** Finds one request its places: one at a time, at each candidate once. */
export class CapacitySearch {
  readonly #gateway: GatewayContext;
  readonly #request: PlaceRequest;
  readonly #signal: AbortSignal;
  /** Ids of models that were tried, or could not be paid for. */
  readonly #done = new Set<string>();
  #candidates: readonly Candidate[];
  #refusal: ServiceFault | undefined;
  #waits = 0;
  #placeWaitedMs = 0;
  #holdWaitedMs = 0;

  constructor(gateway: GatewayContext, request: PlaceRequest) {
    this.#gateway = gateway;
    this.#request = request;
    this.#signal = request.signal ?? request.trace.caller.signal;
    this.#candidates = this.#passable(request.plan);
  }

  /** Why no place was found, where it is not for want of candidates. */
  get refusal(): ServiceFault | undefined {
    return this.#refusal;
  }

  /**
   * The next place, in its turn where it must be waited for; `undefined` where there is none. Throws
   * where the caller leaves, the service ends, or the key may not be used any more.
   */
  async next(): Promise<Place | undefined> {
    let leased: Leased | undefined;
    for (;;) {
      const found = await this.#takeNow(leased) ?? await this.#takeInTurn();
      if (found === undefined) return undefined;
      if ("hold" in found) {
        this.#done.add(found.candidate.model.id);
        this.#request.trace.hasBegun = true;
        return found;
      }
      leased = found.leased;
    }
  }

  get #mayWaitForHold(): boolean {
    return this.#waits < WAITS_MAX && this.#holdWaitedMs < HOLD_WAIT_MS;
  }

  get #left(): readonly Candidate[] {
    if (this.#done.size === 0) return this.#candidates;
    return this.#candidates.filter(({ model }) => !this.#done.has(model.id));
  }

  /** What can be had at once: of candidates in their order, but first where a lease is at hand. */
  async #takeNow(leased: Leased | undefined): Promise<Place | { leased?: Leased } | undefined> {
    let short: Candidate | undefined;
    const candidates = leased === undefined
      ? this.#left
      : [leased.candidate, ...this.#left.filter((one) => one !== leased.candidate)];
    for (const candidate of candidates) {
      const lease = candidate === leased?.candidate
        ? leased.lease
        : this.#gateway.pool.acquire(candidate.model);
      if (lease === undefined) continue;
      const hold = await this.#holdUnder(lease, candidate);
      if (!(hold instanceof ServiceFault)) return { candidate, lease, hold };
      // Only the first that is short of money is worth a wait: the others are worse.
      if (this.#refusal === undefined && this.#mayWaitForHold) short ??= candidate;
      else this.#giveUp(candidate, hold);
    }
    return short === undefined ? undefined : await this.#waitForHold(short);
  }

  /** A hold for a place that is taken; the place is given back where there is no hold. */
  async #holdUnder(lease: Lease, candidate: Candidate): Promise<OpenHold | ServiceFault> {
    let hold: OpenHold | ServiceFault;
    try {
      hold = await holdForCall(this.#gateway, this.#request, { candidate, waitMs: 0 });
    } catch (error) {
      lease.release();
      throw error;
    }
    if (hold instanceof ServiceFault) lease.release();
    else if (this.#signal.aborted) {
      lease.release();
      letGo(this.#gateway, hold.id, "the caller left");
      throw new CallerDisconnected("The caller left before the answer");
    }
    return hold;
  }

  #giveUp({ model }: Candidate, refusal: ServiceFault): void {
    this.#done.add(model.id);
    this.#refusal ??= refusal;
  }

  /** Waits for money, and then looks whether there is still a place; nothing is kept where not. */
  async #waitForHold(candidate: Candidate): Promise<Place | { leased?: Leased }> {
    const { trace } = this.#request;
    const startedMs = trace.elapsedMs;
    const waitMs = HOLD_WAIT_MS - this.#holdWaitedMs;
    this.#waits += 1;
    const back = (hold: OpenHold | ServiceFault) => {
      if (!(hold instanceof ServiceFault)) letGo(this.#gateway, hold.id, "nobody waits for it");
    };
    const hold = await this.#wait(
      (signal) => holdForCall(this.#gateway, this.#request, { candidate, waitMs, signal }),
      back,
    );
    this.#holdWaitedMs += trace.elapsedMs - startedMs;
    if (hold instanceof ServiceFault) {
      this.#giveUp(candidate, hold);
      return {};
    }
    const lease = this.#gateway.pool.acquire(candidate.model);
    if (lease !== undefined) return { candidate, lease, hold };
    back(hold);
    return {};
  }

  /** Waits for a place; the route is decided anew when its turn comes. */
  async #takeInTurn(): Promise<{ leased?: Leased } | undefined> {
    const { trace } = this.#request;
    const { catalogs, clock, pool } = this.#gateway;
    const states = pool.states(clock.nowMs());
    const models = this.#left.map(({ model }) => model).filter(({ id }) => {
      // One that the pool does not know is of a catalog that is going, or that is coming.
      const { available, busy = available } = states.get(id) ?? { available: true };
      return busy;
    });
    if (models.length === 0) return undefined;
    if (this.#waits >= WAITS_MAX) return this.#tooBusy();
    this.#waits += 1;
    if (this.#left.some(({ price }) => price.version !== catalogs.current().version)) {
      return await this.#planAnew(EMPTY_TURN);
    }
    const startedMs = trace.elapsedMs;
    const { queueMs } = limitsInForce(catalogs.current());
    const waitMs = queueMs - this.#placeWaitedMs;
    const owner = trace.caller.key.id;
    using turn = await this.#wait(
      (signal) => pool.turn({ models, owner, waitMs }, signal),
      (unused) => unused?.[Symbol.dispose](),
    );
    this.#placeWaitedMs += trace.elapsedMs - startedMs;
    if (turn === undefined) return this.#tooBusy();
    await this.#lookAtKey();
    return await this.#planAnew(turn);
  }

  /** Decides the route again, and takes the place that it was waited for; the best, where it can. */
  async #planAnew(turn: Turn): Promise<{ leased?: Leased } | undefined> {
    try {
      const decide = await this.#prepare();
      return turn.use(() => {
        this.#candidates = this.#passable(decide());
        return this.#leaseFirst();
      });
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      this.#refusal ??= error;
      return undefined;
    }
  }

  #tooBusy(): undefined {
    this.#refusal ??= new ServiceFault("no_model_available", {
      message: "Every model that could serve this request is busy; its turn did not come in time",
      retryAfterMs: BUSY_RETRY_MS,
    });
  }

  #leaseFirst(): { leased?: Leased } {
    for (const candidate of this.#left) {
      const lease = this.#gateway.pool.acquire(candidate.model);
      if (lease !== undefined) return { leased: { candidate, lease } };
    }
    return {};
  }

  #prepare(): Promise<() => OpenPlan> {
    const { trace, features } = this.#request;
    return prepareRoute(this.#gateway, trace, features);
  }

  #passable(plan: OpenPlan): readonly Candidate[] {
    return this.#request.passable?.(plan.candidates) ?? plan.candidates;
  }

  /** Waits until the caller leaves or the service ends; what came all the same is given back then. */
  async #wait<T>(
    wait: (signal: AbortSignal) => Promise<T>,
    giveBack: (got: T) => void,
  ): Promise<T> {
    const abort = new AbortController();
    const leave = () => abort.abort("left");
    if (this.#signal.aborted) leave();
    this.#signal.addEventListener("abort", leave, { once: true });
    const unwatch = this.#gateway.inFlight.watch(abort);
    let got: T;
    try {
      got = await wait(abort.signal);
    } finally {
      unwatch();
      this.#signal.removeEventListener("abort", leave);
    }
    if (!abort.signal.aborted) return got;
    giveBack(got);
    if (abort.signal.reason === "shutdown") throw new ServiceFault("shutting_down");
    throw new CallerDisconnected("The caller left before the answer");
  }

  /** A request that has begun nothing yet goes on with its key as it is by now, or not at all. */
  async #lookAtKey(): Promise<void> {
    const { trace } = this.#request;
    if (trace.hasBegun) return;
    const { clock, keys } = this.#gateway;
    const key = await keys.get(trace.caller.key.id);
    if (key === undefined || !serves(key, clock.nowMs())) throw new ServiceFault("invalid_api_key");
    trace.keyIsNow(key);
  }
}
