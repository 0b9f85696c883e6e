import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Catalog, Model } from "../domain/catalog/catalog.ts";
import { InvariantError } from "../domain/invariant.ts";
import { DEFAULT_LIMITS, type ServiceLimits } from "../domain/limits/service_limits.ts";
import { UpstreamPool } from "./pool.ts";
import { catalogOf, modelOf, upstreamOf } from "./pool_fixture.ts";
import type { LeaseOffer } from "../ports/lease_pool.ts";

const NEVER = new AbortController().signal;
const LONG_MS = 60_000;

const [A, B] = [modelOf("a"), modelOf("b")];

function catalog(limits: Partial<ServiceLimits> = {}, maxInFlight = 1): Catalog {
  return {
    ...catalogOf([upstreamOf("a", { maxInFlight }), upstreamOf("b", { maxInFlight })], [A, B]),
    limits: { ...DEFAULT_LIMITS, ...limits },
  };
}

function poolOf(content: Catalog): UpstreamPool {
  return new UpstreamPool(content, {
    clock: { nowMs: () => 1_000_000, monotonicMs: () => 1_000_000 },
    create: ({ id }) => ({
      id,
      call: () => Promise.reject(new Error("Nobody calls")),
      models: () => Promise.resolve([]),
      close: () => {},
    }),
    onOperatorTrouble: () => {},
  });
}

function acquire(pool: UpstreamPool, wanted: Model) {
  const lease = pool.acquire(wanted);
  assert(lease !== undefined, `Expected a lease of ${wanted.id}`);
  return lease;
}

/** A request that waits, and what came of it as soon as that is known. */
function waits(
  pool: UpstreamPool,
  wanted: { owner?: string; models?: readonly Model[]; waitMs?: number; signal?: AbortSignal } = {},
) {
  const { owner = "key", models = [A], waitMs = LONG_MS, signal = NEVER } = wanted;
  const outcome: { ended: boolean; turn: LeaseOffer | undefined } = {
    ended: false,
    turn: undefined,
  };
  const over = pool.waitForLease({ models, owner, waitMs }, signal).then((turn) => {
    Object.assign(outcome, { ended: true, turn });
    return turn;
  });
  return { outcome, over };
}

/** Lets promises that are settled be heard. */
const heard = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("a returned lease goes to a waiting call, and not to a newcomer", async () => {
  const pool = poolOf(catalog());
  const lease = acquire(pool, A);
  const waiter = waits(pool);
  await heard();
  assert(!waiter.outcome.ended);
  lease.release();
  const turn = await waiter.over;
  assert(turn !== undefined);
  assertEquals(pool.acquire(A), undefined, "the place is kept");
  assertEquals(pool.states(0).get("a")?.busy, true);
  const taken = turn.use(() => {
    assertEquals(pool.states(0).get("a")?.available, true);
    return acquire(pool, A);
  });
  assertEquals(pool.acquire(A), undefined);
  assertThrows(() => turn.use(() => {}), InvariantError, "twice");
  turn[Symbol.dispose]();
  taken.release();
  acquire(pool, A).release();
  assertEquals(pool.inFlight().get("a"), 0);
});

Deno.test("an unused turn passes to the next waiter, for any sequence", async () => {
  const pool = poolOf(catalog());
  const lease = acquire(pool, A);
  const [first, second, third] = [waits(pool), waits(pool), waits(pool)];
  lease.release();
  {
    using turn = await first.over;
    assert(turn !== undefined);
  }
  const failing = await second.over;
  assertThrows(() =>
    failing?.use(() => {
      throw new TypeError("no plan");
    }), TypeError);
  (await third.over)?.use(() => acquire(pool, A)).release();
  assertEquals(pool.inFlight().get("a"), 0);
});

Deno.test("keys take turns: a flood of one waits behind the only request of another", async () => {
  const pool = poolOf(catalog());
  let lease = acquire(pool, A);
  const order: string[] = [];
  const flood = Array.from({ length: 20 }, () => waits(pool, { owner: "flood" }));
  const one = waits(pool, { owner: "one" });
  for (const { over } of flood) void over.then(() => order.push("flood"));
  void one.over.then(() => order.push("one"));
  for (let turns = 0; turns < 2; turns++) {
    lease.release();
    await heard();
    const turn = [...flood, one].find(({ outcome }) => outcome.turn !== undefined)?.outcome;
    lease = turn?.turn?.use(() => acquire(pool, A)) ?? lease;
    if (turn !== undefined) turn.turn = undefined;
  }
  assertEquals(order, ["flood", "one"]);
  pool.close();
  assertEquals(
    await Promise.all(flood.slice(1).map(({ over }) => over)),
    Array(19).fill(undefined),
  );
  lease.release();
});

Deno.test("a call for another upstream does not block the queue, and the service's own cap counts all", async () => {
  const pool = poolOf(catalog({ maxInFlight: 3 }, 3));
  const leases = [A, A, B].map((wanted) => acquire(pool, wanted));
  assertEquals(pool.acquire(B), undefined);
  const { reason, busy } = pool.states(0).get("b") ?? {};
  assertEquals([reason, busy], ["the service has 3 requests in flight, its limit", true]);
  const [first, second] = [waits(pool, { models: [A] }), waits(pool, { models: [B] })];
  leases[0]?.release();
  const turn = await first.over;
  await heard();
  assert(!second.outcome.ended);
  leases[2]?.release();
  const other = await second.over;
  for (const [mine, wanted] of [[turn, A], [other, B]] as const) {
    mine?.use(() => acquire(pool, wanted)).release();
  }
  leases[1]?.release();
  assertEquals([...pool.inFlight().values()], [0, 0]);
});

Deno.test("waiting ends: in time, when the caller leaves, and when too many wait", async () => {
  const pool = poolOf(catalog({ queueLength: 2 }));
  const lease = acquire(pool, A);
  assertEquals(await waits(pool, { waitMs: 0 }).over, undefined);
  assertEquals(await waits(pool, { waitMs: 5 }).over, undefined);
  const leaving = new AbortController();
  const { signal } = leaving;
  const aborted = waits(pool, { signal });
  leaving.abort();
  assertEquals(await aborted.over, undefined);
  assertEquals(await waits(pool, { signal }).over, undefined);
  const [first, second] = [waits(pool), waits(pool)];
  assertEquals(await waits(pool).over, undefined, "the line is full of its own");
  const other = waits(pool, { owner: "other" });
  assertEquals(await second.over, undefined, "it makes room for another key");
  lease.release();
  (await first.over)?.use(() => {});
  (await other.over)?.use(() => {});
  assertEquals(pool.inFlight().get("a"), 0);
});

Deno.test("ten thousand wait; all leave but the last, whose turn it is", async () => {
  const pool = poolOf(catalog({ queueLength: 20_000 }));
  const lease = acquire(pool, A);
  const leaving = new AbortController();
  const { signal } = leaving;
  const aborted = Array.from(
    { length: 10_000 },
    (_, at) => waits(pool, { owner: `${at % 7}`, signal }),
  );
  const last = waits(pool, { owner: "0" });
  leaving.abort();
  assert((await Promise.all(aborted.map(({ over }) => over))).every((turn) => turn === undefined));
  lease.release();
  (await last.over)?.use(() => acquire(pool, A)).release();
  assertEquals(pool.inFlight().get("a"), 0);
});

Deno.test("a new catalog wakes all waiting calls: their upstream may be removed", async () => {
  const pool = poolOf(catalog());
  const lease = acquire(pool, A);
  const waiter = waits(pool);
  pool.apply({ ...catalog(), upstreams: [upstreamOf("b", { maxInFlight: 1 })], models: [B] });
  const turn = await waiter.over;
  assertEquals(turn?.use(() => pool.acquire(A)), undefined);
  turn?.use(() => acquire(pool, B)).release();
  const gone = waits(pool);
  pool.apply(catalog());
  assert(await gone.over !== undefined, "what is gone may come back");
  lease.release();
});

Deno.test("a turn at an upstream that is gone by then is given back to it", async () => {
  const pool = poolOf(catalog());
  const lease = acquire(pool, A);
  const waiter = waits(pool);
  lease.release();
  using turn = await waiter.over;
  pool.apply({ ...catalog(), upstreams: [upstreamOf("b", { maxInFlight: 1 })], models: [B] });
  assertEquals(turn?.use(() => pool.acquire(A)), undefined);
  acquire(pool, B).release();
});
