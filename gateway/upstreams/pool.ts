import type { Catalog, Model, UpstreamConfig } from "../domain/catalog/catalog.ts";
import {
  availability,
  beginAttempt,
  type Health,
  type Observation,
  observe,
  refusesAccount,
  UNOBSERVED,
} from "../domain/routing/health.ts";
import { InvariantError } from "../domain/invariant.ts";
import type { TargetState } from "../domain/routing/plan.ts";
import { limitsInForce } from "../domain/limits/service_limits.ts";
import type { Clock } from "../ports/clock.ts";
import {
  BUSY_RETRY_MS,
  EMPTY_OFFER,
  type Lease,
  type LeaseOffer,
  type LeasePool,
  type LeaseWait,
  type SpareLease,
} from "../ports/lease_pool.ts";
import type { Upstream } from "../ports/upstream.ts";
import { traitsOf } from "./providers/provider_kinds.ts";
import { RecentAttempts, type RecentCounts } from "./recent_attempts.ts";
import { retire, type Slot, slotsOf } from "./upstream_slots.ts";
import { WaitingCalls } from "./waiting_calls.ts";

/** A problem that only the operator can correct. */
export interface OperatorTrouble {
  /**
   * The provider refuses the gateway's credentials (a 403 may concern one model only), or the
   * account has no balance.
   */
  readonly kind: "refused_credentials";
  /** Id of the upstream. */
  readonly upstream: string;
  /** Id of the requested model. */
  readonly model: string;
}

/** A reported attempt. */
export interface PoolAttempt extends Pick<Observation, "outcome" | "status" | "ms"> {
  /** Id of the upstream. */
  readonly upstream: string;
  /** Id of the model. */
  readonly model: string;
  /** True when the answer had started before it broke off. */
  readonly hadBegun: boolean;
}

/** Dependencies of a pool. */
export interface UpstreamPoolDeps {
  /** Measures cooldowns. */
  readonly clock: Clock;
  /** Creates an upstream. */
  readonly create: (config: UpstreamConfig) => Upstream;
  /**
   * Returns the name of a missing setting without which an upstream cannot be called.
   *
   * @default {none is missing}
   */
  readonly lacks?: ((config: UpstreamConfig) => string | undefined) | undefined;
  /** Called each time an upstream starts to refuse the gateway, and for each 403. */
  readonly onOperatorTrouble: (event: OperatorTrouble) => void;
  /** Called once for each attempt, and again if its answer breaks off. @default {ignored} */
  readonly onAttempt?: ((attempt: PoolAttempt) => void) | undefined;
}

/** A model at its upstream. */
interface Target {
  readonly id: string;
  readonly upstreamModel: string;
  readonly slot: Slot;
  health: Health;
}

/** The upstreams of the current catalog, with their health and calls in flight, and waiting requests. */
export class UpstreamPool implements LeasePool {
  readonly #deps: UpstreamPoolDeps;
  #slots: ReadonlyMap<string, Slot> = new Map();
  #targets: ReadonlyMap<string, Target> = new Map();
  readonly #states = new Map<string, TargetState>();
  /** Targets whose state changes with time. */
  readonly #waiting = new Set<Target>();
  readonly #calls = new WaitingCalls();
  readonly #recent: RecentAttempts;
  /** Leases in use that give way to waiting requests. */
  readonly #spare = new Map<SpareLease, Slot>();
  #inFlight = 0;
  /** Maximum number of calls in flight at all upstreams together. */
  #maxInFlight = 0;

  /** Creates the catalog's upstreams. */
  constructor(catalog: Catalog, deps: UpstreamPoolDeps) {
    this.#deps = deps;
    this.#recent = new RecentAttempts(deps.clock);
    this.apply(catalog);
  }

  /**
   * Returns the state of every model, by its id. The pool keeps writing to the map: read it before
   * the next `await`.
   */
  states(nowMs: number): ReadonlyMap<string, TargetState> {
    for (const target of this.#waiting) this.#refresh(target, nowMs);
    return this.#states;
  }

  /**
   * Returns a lease for the model's upstream; `undefined` where it is full, cooling down or gone.
   */
  acquire(model: Model, spare?: SpareLease): Lease | undefined {
    const slot = this.#slots.get(model.upstream);
    if (slot === undefined || slot.lacks !== undefined || this.#isFull(slot)) return undefined;
    if (spare !== undefined && !this.#isHalfFree(slot)) return undefined;
    const nowMs = this.#deps.clock.nowMs();
    // The request may use an older catalog, in which another upstream served the model.
    const known = this.#targets.get(model.id);
    const target = known?.slot === slot ? known : undefined;
    if (target !== undefined) {
      if (!availability(target.health, nowMs).available) return undefined;
      this.#learn(target, beginAttempt(target.health, nowMs), nowMs);
    }
    this.#count(slot, 1);
    if (spare === undefined) return this.#lease(slot, target);
    this.#spare.set(spare, slot);
    const lease = this.#lease(slot, target);
    const release = () => {
      this.#spare.delete(spare);
      lease.release();
    };
    return { ...lease, release };
  }

  /** Waits for capacity. See {@linkcode LeasePool.waitForLease}. */
  waitForLease(
    { models, owner, waitMs }: LeaseWait,
    signal: AbortSignal,
  ): Promise<LeaseOffer | undefined> {
    const upstreams = new Set(models.map((model) => model.upstream));
    // Capacity may have become free since the pool was read.
    const offer = this.#offerAt(upstreams);
    if (offer !== undefined) return Promise.resolve(offer);
    const isFull = this.#inFlight >= this.#maxInFlight;
    const waiting = this.#calls.wait({ owner, upstreams, waitMs }, signal);
    for (const [{ giveWay }, { config }] of [...this.#spare]) {
      if (isFull || upstreams.has(config.id)) giveWay();
    }
    return waiting;
  }

  /**
   * Applies a new catalog. Upstreams with unchanged configuration stay, with the health of their
   * models; removed ones close after their last call. Throws where one cannot be created; then
   * nothing has changed.
   */
  apply(catalog: Catalog): void {
    const slots = slotsOf(catalog.upstreams, { ...this.#deps, current: this.#slots });
    const targets = new Map<string, Target>();
    for (const model of catalog.models) {
      const slot = slots.get(model.upstream);
      if (slot === undefined) continue;
      const { id, upstreamModel } = model;
      const old = this.#targets.get(id);
      const same = old?.slot === slot && old.upstreamModel === upstreamModel;
      targets.set(id, same ? old : { id, upstreamModel, slot, health: UNOBSERVED });
    }
    const retired = [...this.#slots.values()].filter((slot) => slots.get(slot.config.id) !== slot);
    this.#slots = slots;
    this.#targets = targets;
    const limits = limitsInForce(catalog);
    this.#maxInFlight = limits.maxInFlight;
    this.#calls.lengthMax = limits.queueLength;
    this.#states.clear();
    this.#waiting.clear();
    this.#refreshAll(targets.values());
    retired.forEach(retire);
    // The upstreams may be gone or replaced: all requests plan anew.
    this.#calls.wakeAll(() => EMPTY_OFFER);
  }

  /** Returns the number of calls in flight, by upstream id. */
  inFlight(): ReadonlyMap<string, number> {
    return new Map([...this.#slots].map(([id, slot]) => [id, slot.inFlight]));
  }

  /** Returns the counts of an upstream's attempts in the last minutes. */
  recent(upstream: string): RecentCounts {
    return this.#recent.of(upstream);
  }

  /** True when some upstream has all settings to be called. */
  get isUsable(): boolean {
    return [...this.#slots.values()].some(({ lacks }) => lacks === undefined);
  }

  /** Number of requests that wait for a lease. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** Returns an upstream of the current catalog, for requests about itself. */
  upstream(id: string): Pick<Upstream, "models"> | undefined {
    return this.#slots.get(id)?.upstream;
  }

  /** Closes every upstream after its last call; leases are no longer granted. */
  close(): void {
    const slots = this.#slots;
    this.#slots = new Map();
    slots.forEach(retire);
    this.#calls.wakeAll(() => undefined);
  }

  #lease(slot: Slot, target: Target | undefined): Lease {
    let reported = false;
    let released = false;
    const report = (observation: Observation) => {
      const { outcome, status, ms } = observation;
      if (target !== undefined && (!reported || outcome !== "ok")) {
        const [upstream, model] = [slot.config.id, target.id];
        const attempt = { upstream, model, outcome, status, ms, hadBegun: reported };
        this.#recent.note(attempt);
        this.#deps.onAttempt?.(attempt);
      }
      reported = true;
      if (target !== undefined) this.#observe(target, observation);
    };
    const release = () => {
      if (released) throw new InvariantError(`Cannot release a lease of "${slot.config.id}" twice`);
      released = true;
      // An attempt without a report must not keep others waiting for its probe.
      if (!reported) report({ outcome: "cancelled", ms: 0 });
      const wasFull = this.#inFlight >= this.#maxInFlight;
      this.#leave(slot);
      // With free capacity, only requests for this upstream have waited for it.
      if (wasFull || this.#calls.isWanted(slot.config.id)) this.#serve();
    };
    const failedOver = () => this.#recent.failedOver(slot.config.id);
    return { upstream: slot.upstream, report, failedOver, release };
  }

  /** Grants free leases to waiting requests. */
  #serve(): void {
    this.#calls.serve((upstreams) => this.#offerAt(upstreams));
  }

  /** Reserves free capacity at one of the upstreams for the next request in line. */
  #offerAt(upstreams: ReadonlySet<string>): LeaseOffer | undefined {
    for (const id of upstreams) {
      const slot = this.#slots.get(id);
      if (slot === undefined || this.#isFull(slot)) continue;
      this.#count(slot, 1);
      let isKept = true;
      const use = <T>(take: () => T): T => {
        if (!isKept) throw new InvariantError(`Cannot use an offer at "${id}" twice`);
        isKept = false;
        this.#leave(slot);
        try {
          return take();
        } finally {
          this.#serve();
        }
      };
      return {
        use,
        [Symbol.dispose]: () => {
          if (isKept) use(() => {});
        },
      };
    }
    return undefined;
  }

  #leave(slot: Slot): void {
    this.#count(slot, -1);
    if (slot.retired && slot.inFlight === 0) slot.upstream.close();
  }

  #isFull({ inFlight, config }: Slot): boolean {
    return this.#inFlight >= this.#maxInFlight || inFlight >= config.maxInFlight;
  }

  /** True when a further call leaves half of the capacity free, and no request waits for it. */
  #isHalfFree({ inFlight, config }: Slot): boolean {
    return this.#calls.size === 0 && 2 * (inFlight + 1) <= config.maxInFlight &&
      2 * (this.#inFlight + 1) <= this.#maxInFlight;
  }

  #observe(target: Target, reported: Observation): void {
    const nowMs = this.#deps.clock.nowMs();
    const { slot } = target;
    const observation = traitsOf(slot.config.kind).isSimulated === true
      ? asOrdinary(reported)
      : reported;
    const news = availability(target.health, nowMs).available || target.health.probing;
    // The key belongs to the whole upstream.
    const concerned = refusesAccount(observation) ? this.#targetsOf(slot) : [target];
    for (const target of concerned) {
      this.#learn(target, observe(target.health, observation, nowMs), nowMs);
    }
    if (observation.outcome !== "refused_credentials" || !news || slot.retired) return;
    const upstream = slot.config.id;
    this.#deps.onOperatorTrouble({ kind: "refused_credentials", upstream, model: target.id });
  }

  #learn(target: Target, health: Health, nowMs: number): void {
    if (health === target.health) return;
    target.health = health;
    this.#refresh(target, nowMs);
  }

  #count(slot: Slot, change: 1 | -1): void {
    const { maxInFlight } = slot.config;
    const wasFull = slot.inFlight >= maxInFlight;
    const allWereFull = this.#inFlight >= this.#maxInFlight;
    slot.inFlight += change;
    this.#inFlight += change;
    if (slot.inFlight < 0) {
      throw new InvariantError(`Calls in flight at "${slot.config.id}" fell below zero`);
    }
    if (allWereFull !== (this.#inFlight >= this.#maxInFlight)) {
      this.#refreshAll(this.#targets.values());
    } else if (wasFull !== (slot.inFlight >= maxInFlight)) {
      this.#refreshAll(this.#targetsOf(slot));
    }
  }

  #refreshAll(targets: Iterable<Target>): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const target of targets) this.#refresh(target, nowMs);
  }

  #targetsOf(slot: Slot): Target[] {
    return [...this.#targets.values()].filter((target) => target.slot === slot);
  }

  /** Writes the target's state, unless a newer catalog has replaced the target. */
  #refresh(target: Target, nowMs: number): void {
    const { id, slot } = target;
    if (this.#targets.get(id) !== target) return;
    const { lacks: reason } = slot;
    if (reason !== undefined) return void this.#states.set(id, { available: false, reason });
    const state = availability(target.health, nowMs);
    if (state.available) this.#waiting.delete(target);
    else this.#waiting.add(target);
    const full = state.available && this.#isFull(slot);
    this.#states.set(id, full ? this.#busy(slot, state) : state);
  }

  #busy({ config, inFlight }: Slot, { latencyMs }: TargetState): TargetState {
    const reason = inFlight >= config.maxInFlight
      ? `"${config.id}" has ${config.maxInFlight} requests in flight, its limit`
      : `the service has ${this.#maxInFlight} requests in flight, its limit`;
    return { available: false, busy: true, reason, retryAfterMs: BUSY_RETRY_MS, latencyMs };
  }
}

/**
 * Limits a failure of the simulator to an ordinary one, because callers can request any failure
 * from it.
 */
function asOrdinary(observation: Observation): Observation {
  const { outcome, ms } = observation;
  const harsh = outcome === "refused_credentials" || outcome === "rate_limited";
  if (!harsh && observation.retryAfterMs === undefined) return observation;
  return { outcome: harsh ? "server_error" : outcome, ms };
}
