import { isJsonObject } from "@svc/sdk/protocol";
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
} from "../ports/lease_pool.ts";
import type { Upstream } from "../ports/upstream.ts";
import { traitsOf } from "./providers/provider_kinds.ts";
import { RecentAttempts, type RecentCounts } from "./recent_attempts.ts";
import { WaitingCalls } from "./waiting_calls.ts";

/** Something that only the operator can put right. */
export interface OperatorTrouble {
  /** The gateway's credentials are refused (with a 403: for one use), or its account is empty. */
  readonly kind: "refused_credentials";
  /** Id of the upstream. */
  readonly upstream: string;
  /** Id of the model that was asked for. */
  readonly model: string;
}

/** An attempt as it was reported. */
export interface PoolAttempt extends Pick<Observation, "outcome" | "status" | "ms"> {
  /** Id of the upstream. */
  readonly upstream: string;
  /** Id of the model. */
  readonly model: string;
  /** Its answer had begun, and has broken off. */
  readonly hadBegun: boolean;
}

/** What a pool needs of its surroundings. */
export interface UpstreamPoolDeps {
  /** Cooldowns are measured with it. */
  readonly clock: Clock;
  /** Makes an upstream. */
  readonly create: (config: UpstreamConfig) => Upstream;
  /** Names what an upstream lacks to be called at all. @default {none lacks anything} */
  readonly lacks?: ((config: UpstreamConfig) => string | undefined) | undefined;
  /** Called each time an upstream begins to refuse the gateway, and for each 403. */
  readonly onOperatorTrouble: (event: OperatorTrouble) => void;
  /** Called once for each attempt, and again where its answer breaks off. @default {nobody is told} */
  readonly onAttempt?: ((attempt: PoolAttempt) => void) | undefined;
}

/** An upstream with its calls. */
interface Slot {
  readonly config: UpstreamConfig;
  readonly upstream: Upstream;
  /** Why it cannot be called, as of the last catalog that was applied. */
  lacks: string | undefined;
  inFlight: number;
  /** Not in the catalog any more: closed with its last call. */
  retired: boolean;
}

/** A model at its upstream. */
interface Target {
  readonly id: string;
  readonly upstreamModel: string;
  readonly slot: Slot;
  health: Health;
}

/** Upstreams of the current catalog, their health, their calls under way and those that wait. */
export class UpstreamPool implements LeasePool {
  readonly #deps: UpstreamPoolDeps;
  #slots: ReadonlyMap<string, Slot> = new Map();
  #targets: ReadonlyMap<string, Target> = new Map();
  readonly #states = new Map<string, TargetState>();
  /** Those whose state changes by itself as time goes by. */
  readonly #waiting = new Set<Target>();
  readonly #calls = new WaitingCalls();
  readonly #recent: RecentAttempts;
  #inFlight = 0;
  /** Most calls under way at all upstreams together. */
  #maxInFlight = 0;

  /** Makes the catalog's upstreams. */
  constructor(catalog: Catalog, deps: UpstreamPoolDeps) {
    this.#deps = deps;
    this.#recent = new RecentAttempts(deps.clock);
    this.apply(catalog);
  }

  /**
   * State of every model, by its id. A live view that the pool goes on writing to: read it before
   * the next `await`.
   */
  states(nowMs: number): ReadonlyMap<string, TargetState> {
    for (const target of this.#waiting) this.#refresh(target, nowMs);
    return this.#states;
  }

  /** A place at the model's upstream; `undefined` where it is full, cooling down or gone. */
  acquire(model: Model): Lease | undefined {
    const slot = this.#slots.get(model.upstream);
    if (slot === undefined || slot.lacks !== undefined || this.#isFull(slot)) return undefined;
    const nowMs = this.#deps.clock.nowMs();
    // A request may still hold a catalog in which the model was served elsewhere.
    const known = this.#targets.get(model.id);
    const target = known?.slot === slot ? known : undefined;
    if (target !== undefined) {
      if (!availability(target.health, nowMs).available) return undefined;
      this.#learn(target, beginAttempt(target.health, nowMs), nowMs);
    }
    this.#count(slot, 1);
    return this.#lease(slot, target);
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
    return this.#calls.wait({ owner, upstreams, waitMs }, signal);
  }

  /**
   * Takes a new catalog over. Upstreams whose configuration is unchanged stay, with what is known of
   * their models; those no longer in it are closed once their last call has ended. Where one cannot
   * be made it throws, and nothing has changed.
   */
  apply(catalog: Catalog): void {
    const slots = this.#slotsOf(catalog.upstreams);
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
    // What they wait for may be gone, and may have been replaced: all plan anew.
    this.#calls.wakeAll(() => EMPTY_OFFER);
  }

  /** Calls under way, by upstream id. */
  inFlight(): ReadonlyMap<string, number> {
    return new Map([...this.#slots].map(([id, slot]) => [id, slot.inFlight]));
  }

  /** What the attempts of the last minutes at an upstream came to. */
  recent(upstream: string): RecentCounts {
    return this.#recent.of(upstream);
  }

  /** True where any upstream has all that it needs to be called. */
  get isUsable(): boolean {
    return [...this.#slots.values()].some(({ lacks }) => lacks === undefined);
  }

  /** Requests that wait for a place. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** An upstream of the current catalog, to be asked about itself. */
  upstream(id: string): Pick<Upstream, "models"> | undefined {
    return this.#slots.get(id)?.upstream;
  }

  /** Closes every upstream once its last call has ended; nothing can be acquired any more. */
  close(): void {
    const slots = this.#slots;
    this.#slots = new Map();
    slots.forEach(retire);
    this.#calls.wakeAll(() => undefined);
  }

  #slotsOf(configs: readonly UpstreamConfig[]): Map<string, Slot> {
    const slots = new Map<string, Slot>();
    const made: Slot[] = [];
    try {
      for (const config of configs) {
        const old = this.#slots.get(config.id);
        if (old !== undefined && isSame(old.config, config)) {
          old.lacks = this.#deps.lacks?.(config);
          slots.set(config.id, old);
          continue;
        }
        const upstream = this.#deps.create(config);
        const lacks = this.#deps.lacks?.(config);
        const slot = { config, upstream, lacks, inFlight: 0, retired: false };
        made.push(slot);
        slots.set(config.id, slot);
      }
    } catch (error) {
      made.forEach(retire);
      throw error;
    }
    return slots;
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
      if (released) {
        throw new InvariantError(`Cannot release a lease of "${slot.config.id}" twice`);
      }
      released = true;
      // An attempt that nobody has told about must not keep others waiting for its probe.
      if (!reported) report({ outcome: "cancelled", ms: 0 });
      const wasFull = this.#inFlight >= this.#maxInFlight;
      this.#leave(slot);
      // With room for all, only those who want this upstream have waited for it.
      if (wasFull || this.#calls.isWanted(slot.config.id)) this.#serve();
    };
    const failedOver = () => this.#recent.failedOver(slot.config.id);
    return { upstream: slot.upstream, report, failedOver, release };
  }

  /** Gives places that are free to those who wait for them. */
  #serve(): void {
    this.#calls.serve((upstreams) => this.#offerAt(upstreams));
  }

  /** Keeps a free place at one of the upstreams for somebody whose turn it is. */
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

  #observe(target: Target, told: Observation): void {
    const nowMs = this.#deps.clock.nowMs();
    const { slot } = target;
    const observation = traitsOf(slot.config.kind).isSimulated === true ? asOrdinary(told) : told;
    const news = availability(target.health, nowMs).available || target.health.probing;
    // The key is the whole upstream's.
    const concerned = refusesAccount(observation) ? this.#targetsOf(slot) : [target];
    for (const one of concerned) this.#learn(one, observe(one.health, observation, nowMs), nowMs);
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
      throw new InvariantError(`Calls under way at "${slot.config.id}" fell below none`);
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

  /** Writes the target's state down, unless a newer catalog has replaced the target. */
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
      ? `"${config.id}" has ${config.maxInFlight} requests under way, its limit`
      : `the service has ${this.#maxInFlight} requests under way, its limit`;
    return { available: false, busy: true, reason, retryAfterMs: BUSY_RETRY_MS, latencyMs };
  }
}

/** Callers can ask the simulator for any failure: none of them counts for more than one failure. */
function asOrdinary(observation: Observation): Observation {
  const { outcome, ms } = observation;
  const harsh = outcome === "refused_credentials" || outcome === "rate_limited";
  if (!harsh && observation.retryAfterMs === undefined) return observation;
  return { outcome: harsh ? "server_error" : outcome, ms };
}

function retire(slot: Slot): void {
  slot.retired = true;
  if (slot.inFlight === 0) slot.upstream.close();
}

/** Whether two configurations are equal, whatever the order of their members. */
function isSame(a: UpstreamConfig, b: UpstreamConfig): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  const sorted = (_: string, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort()) : part;
  return JSON.stringify(value, sorted);
}
