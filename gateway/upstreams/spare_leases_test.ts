import { assert, assertEquals } from "@std/assert";
import type { Upstream } from "../ports/upstream.ts";
import { UpstreamPool } from "./pool.ts";
import { catalogOf, modelOf, upstreamOf } from "./pool_fixture.ts";

const MODEL = modelOf("a1", "a");
const OTHER = modelOf("b1", "b");

function poolWith(maxInFlight: number): UpstreamPool {
  const upstream = (id: string): Upstream => ({
    id,
    call: () => Promise.reject(new Error("No call is made")),
    models: () => Promise.resolve([]),
    close: () => {},
  });
  const upstreams = [upstreamOf("a", { maxInFlight }), upstreamOf("b", { maxInFlight })];
  return new UpstreamPool(catalogOf(upstreams, [MODEL, OTHER]), {
    clock: { nowMs: () => 1, monotonicMs: () => 1 },
    create: ({ id }) => upstream(id),
    onOperatorTrouble: () => {},
  });
}

const WAIT = { models: [MODEL], owner: "key", waitMs: 60_000 };

Deno.test("a spare lease leaves half of the capacity free", () => {
  const spare = { giveWay: () => {} };
  assertEquals(poolWith(1).acquire(MODEL, spare), undefined);
  const pool = poolWith(4);
  const leases = [pool.acquire(MODEL, spare), pool.acquire(MODEL, { giveWay: () => {} })];
  assertEquals(pool.acquire(MODEL, { giveWay: () => {} }), undefined);
  const ordinary = [pool.acquire(MODEL), pool.acquire(MODEL)];
  for (const lease of [...leases, ...ordinary]) {
    assert(lease !== undefined);
    lease.release();
  }
  assertEquals(pool.inFlight().get("a"), 0);
});

Deno.test("a spare lease gives way to a request that must wait at its upstream", async () => {
  const pool = poolWith(2);
  const signals: string[] = [];
  const lease = pool.acquire(MODEL, {
    giveWay: () => {
      signals.push("a");
      lease?.release();
    },
  });
  const other = pool.acquire(OTHER, { giveWay: () => signals.push("b") });
  const ordinary = pool.acquire(MODEL);
  assert(lease !== undefined && other !== undefined && ordinary !== undefined);
  using offer = await pool.waitForLease(WAIT, new AbortController().signal);
  assertEquals(signals, ["a"]);
  assert(offer !== undefined);
  const granted = offer.use(() => pool.acquire(MODEL));
  assert(granted !== undefined);
  for (const held of [granted, other, ordinary]) held.release();
});

Deno.test("a spare lease that was released gives way no more", async () => {
  const pool = poolWith(2);
  let count = 0;
  pool.acquire(MODEL, { giveWay: () => count++ })?.release();
  const leases = [pool.acquire(MODEL), pool.acquire(MODEL)];
  const leaving = new AbortController();
  const wait = pool.waitForLease(WAIT, leaving.signal);
  leaving.abort();
  assertEquals(await wait, undefined);
  assertEquals(count, 0);
  leases.forEach((lease) => lease?.release());
});
