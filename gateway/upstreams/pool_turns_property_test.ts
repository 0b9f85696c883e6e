/**
 * Invariants of a pool under any sequence of calls: limits hold, no request waits while capacity is
 * free, and at the end every lease is returned.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Catalog, Model } from "../domain/catalog/catalog.ts";
import { DEFAULT_LIMITS } from "../domain/limits/service_limits.ts";
import { UpstreamPool } from "./pool.ts";
import { catalogOf, modelOf, upstreamOf } from "./pool_fixture.ts";
import type { Lease, LeaseOffer } from "../ports/lease_pool.ts";

const IDS = ["a", "b"] as const;
const GLOBAL_MAX = 4;
const UPSTREAM_MAX = 3;
const LONG_MS = 600_000;

const MODELS = IDS.map((id) => modelOf(id));
const CATALOG: Catalog = {
  ...catalogOf(IDS.map((id) => upstreamOf(id, { maxInFlight: UPSTREAM_MAX })), MODELS),
  limits: { ...DEFAULT_LIMITS, maxInFlight: GLOBAL_MAX, queueLength: 5 },
};

/** One who waits, or has waited. */
interface Waiter {
  readonly wanted: readonly Model[];
  readonly leaving: AbortController;
  isOver: boolean;
  turn: LeaseOffer | undefined;
}

/** A pool, and everybody who has something of it. */
class Callers {
  readonly pool = new UpstreamPool(CATALOG, {
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    create: ({ id }) => ({
      id,
      call: () => Promise.reject(new Error("Nobody calls")),
      models: () => Promise.resolve([]),
      close: () => {},
    }),
    onOperatorTrouble: () => {},
  });
  readonly leases: Lease[] = [];
  readonly waiters: Waiter[] = [];

  take(wanted: Model): void {
    const lease = this.pool.acquire(wanted);
    if (lease !== undefined) this.leases.push(lease);
  }

  giveBack(at: number): void {
    this.leases.splice(at % Math.max(1, this.leases.length), 1).forEach((one) => one.release());
  }

  wait(owner: string, wanted: readonly Model[]): void {
    const leaving = new AbortController();
    const waiter: Waiter = { wanted, leaving, isOver: false, turn: undefined };
    this.waiters.push(waiter);
    void this.pool.waitForLease({ models: wanted, owner, waitMs: LONG_MS }, leaving.signal).then(
      (turn) => {
        Object.assign(waiter, { isOver: true, turn });
      },
    );
  }

  leave(at: number): void {
    this.waiters[at % Math.max(1, this.waiters.length)]?.leaving.abort();
  }

  /** A turn that has come is used for a place, or not. */
  use(at: number, wanted: Model | undefined): void {
    const turns = this.waiters.filter(({ turn }) => turn !== undefined);
    const waiter = turns[at % Math.max(1, turns.length)];
    if (waiter?.turn === undefined) return;
    if (wanted === undefined) waiter.turn[Symbol.dispose]();
    else waiter.turn.use(() => this.take(wanted));
    waiter.turn = undefined;
  }

  assertFair(): void {
    const inFlight = this.pool.inFlight();
    const all = [...inFlight.values()].reduce((sum, count) => sum + count, 0);
    assert(all <= GLOBAL_MAX && [...inFlight.values()].every((count) => count <= UPSTREAM_MAX));
    for (const { isOver, wanted } of this.waiters) {
      const hasRoom = all < GLOBAL_MAX &&
        wanted.some(({ id }) => (inFlight.get(id) ?? 0) < UPSTREAM_MAX);
      assert(isOver || !hasRoom, `a place is free, and somebody waits for it`);
    }
    assert(this.waiters.filter(({ isOver }) => !isOver).length <= 5);
  }

  async end(): Promise<void> {
    for (const { leaving } of this.waiters) leaving.abort();
    await settled();
    for (const { turn } of this.waiters) turn?.[Symbol.dispose]();
    for (const lease of this.leases) lease.release();
    assertEquals([...this.pool.inFlight().values()], [0, 0]);
  }
}

/** Resolves after settled promises have had effect; no case needs more than a few of them. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

const wanted = fc.constantFrom(...MODELS);
const step = fc.oneof(
  fc.record({ take: wanted }),
  fc.record({ giveBack: fc.nat() }),
  fc.record({
    owner: fc.constantFrom("x", "y", "z"),
    wanted: fc.subarray(MODELS, { minLength: 1 }),
  }),
  fc.record({ leave: fc.nat() }),
  fc.record({ use: fc.nat(), wanted: fc.option(wanted, { nil: undefined }) }),
  fc.constant({ apply: CATALOG }),
);

Deno.test("no cap is exceeded, no free lease stays unused, and every lease returns", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const callers = new Callers();
      for (const one of steps) {
        if ("take" in one) callers.take(one.take);
        else if ("giveBack" in one) callers.giveBack(one.giveBack);
        else if ("owner" in one) callers.wait(one.owner, one.wanted);
        else if ("leave" in one) callers.leave(one.leave);
        else if ("use" in one) callers.use(one.use, one.wanted);
        else callers.pool.apply(one.apply);
        await settled();
        callers.assertFair();
      }
      await callers.end();
    }),
    { numRuns: 300 },
  );
});
