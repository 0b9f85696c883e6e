import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { Model, UpstreamConfig } from "../domain/catalog/catalog.ts";
import { InvariantError } from "../domain/invariant.ts";
import type { Upstream } from "../ports/upstream.ts";
import { BUSY_RETRY_MS, type Lease } from "../ports/lease_pool.ts";
import { type OperatorTrouble, UpstreamPool } from "./pool.ts";
import { catalogOf, modelOf, upstreamOf } from "./pool_fixture.ts";

const A1 = modelOf("a1", "a");
const A2 = modelOf("a2", "a");
const B1 = modelOf("b1", "b");

const BOTH = catalogOf([upstreamOf("a"), upstreamOf("b")], [A1, A2, B1]);

/** A pool with a clock in the test's hand, upstreams that note their end, and the troubles told. */
function setUp(content = BOTH, lacks?: (config: UpstreamConfig) => string | undefined) {
  let nowMs = 1_000_000;
  const closed: string[] = [];
  const made: string[] = [];
  const troubles: OperatorTrouble[] = [];
  const create = ({ id, apiKey }: UpstreamConfig): Upstream => {
    if (apiKey === "broken") throw new TypeError(`Cannot create upstream "${id}"`);
    made.push(id);
    return {
      id,
      call: () => Promise.reject(new Error("Nobody calls")),
      models: () => Promise.resolve([]),
      close: () => closed.push(id),
    };
  };
  const pool = new UpstreamPool(content, {
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    create,
    lacks,
    onOperatorTrouble: (event) => troubles.push(event),
  });
  const available = () =>
    [...pool.states(nowMs)].filter(([, state]) => state.available).map(([id]) => id);
  const pass = (ms: number) => nowMs += ms;
  return { pool, closed, made, troubles, available, pass, now: () => nowMs };
}

function acquire(pool: UpstreamPool, wanted: Model): Lease {
  const lease = pool.acquire(wanted);
  assert(lease !== undefined, `Expected a lease of ${wanted.id}`);
  return lease;
}

/** One attempt from beginning to end. */
function attempt(
  pool: UpstreamPool,
  wanted: Model,
  outcome: "ok" | "server_error" | "rate_limited",
) {
  const lease = acquire(pool, wanted);
  lease.report({ outcome, ms: 10, ...(outcome === "rate_limited" ? { retryAfterMs: 5_000 } : {}) });
  lease.release();
}

Deno.test("an upstream that lacks something is never called, until another takes its place", () => {
  const lacks = ({ id, apiKeyEnv }: UpstreamConfig) =>
    id === "a" && apiKeyEnv === undefined ? "has no credentials" : undefined;
  const { pool, available, now } = setUp(BOTH, lacks);
  assertEquals(available(), ["b1"]);
  assertEquals(pool.states(now()).get("a1"), { available: false, reason: "has no credentials" });
  assertEquals([pool.acquire(A1), pool.isUsable], [undefined, true]);
  pool.apply(catalogOf([upstreamOf("a")], [A1]));
  assertEquals(pool.isUsable, false);
  pool.apply(catalogOf([upstreamOf("a", { apiKeyEnv: "SET" })], [A1]));
  assertEquals([pool.isUsable, available()], [true, ["a1"]]);
  acquire(pool, A1).release();
});

Deno.test("an upstream is looked at again with each catalog, also where it has not changed", () => {
  let isReadable = true;
  const { pool, available } = setUp(BOTH, () => isReadable ? undefined : "has no credentials");
  assertEquals(pool.isUsable, true);
  isReadable = false;
  pool.apply(BOTH);
  assertEquals([pool.isUsable, available()], [false, []]);
});

Deno.test("all models are available at first, and latency is learnt", () => {
  const { pool, available, now } = setUp();
  assertEquals(available(), ["a1", "a2", "b1"]);
  assertEquals(pool.states(now()).get("a1")?.latencyMs, undefined);
  attempt(pool, A1, "ok");
  assertEquals(pool.states(now()).get("a1")?.latencyMs, 10);
  assertEquals(pool.states(now()).get("a2")?.latencyMs, undefined);
});

Deno.test("a full upstream gives no lease until one is released", () => {
  const { pool, available, now } = setUp();
  const first = acquire(pool, A1);
  const second = acquire(pool, A2);
  assertEquals(pool.acquire(A1), undefined);
  assertEquals(available(), ["b1"]);
  const state = pool.states(now()).get("a1");
  assertEquals(state?.retryAfterMs, BUSY_RETRY_MS);
  assertEquals(state?.reason, '"a" has 2 requests in flight, its limit');
  assertEquals(pool.inFlight(), new Map([["a", 2], ["b", 0]]));
  first.release();
  assertEquals(available(), ["a1", "a2", "b1"]);
  second.release();
  assertEquals(pool.inFlight(), new Map([["a", 0], ["b", 0]]));
});

Deno.test("a lease is released once, and takes reports of a beginning and of a break", () => {
  const { pool, available } = setUp();
  const lease = acquire(pool, A1);
  lease.report({ outcome: "ok", ms: 1 });
  lease.report({ outcome: "rate_limited", ms: 5, retryAfterMs: 5_000 });
  assertEquals(available(), ["a2", "b1"]);
  lease.release();
  assertThrows(() => lease.release(), InvariantError, "twice");
  assertEquals(pool.inFlight().get("a"), 0);
});

Deno.test("a rate limit cools one model down for as long as was asked, then one probe goes", () => {
  const { pool, available, pass, now } = setUp();
  attempt(pool, A1, "rate_limited");
  assertEquals(available(), ["a2", "b1"]);
  assertEquals(pool.states(now()).get("a1")?.retryAfterMs, 5_000);
  assertEquals(pool.acquire(A1), undefined);
  pass(4_000);
  assertEquals(pool.states(now()).get("a1")?.retryAfterMs, 1_000);
  pass(1_000);
  assertEquals(available(), ["a1", "a2", "b1"]);
  const probe = acquire(pool, A1);
  assertEquals(available(), ["a2", "b1"]);
  assertEquals(pool.acquire(A1), undefined);
  probe.report({ outcome: "ok", ms: 1 });
  assertEquals(available(), ["a1", "a2", "b1"]);
  probe.release();
});

Deno.test("a lease that is released without a report admits the next probe", () => {
  const { pool, available, pass } = setUp();
  attempt(pool, A1, "rate_limited");
  pass(5_000);
  acquire(pool, A1).release();
  assertEquals(available(), ["a1", "a2", "b1"]);
  acquire(pool, A1).release();
});

Deno.test("refused credentials cool the whole upstream down and are reported once", () => {
  const { pool, available, troubles } = setUp();
  const [one, two] = [acquire(pool, A1), acquire(pool, A2)];
  one.report({ outcome: "refused_credentials", ms: 1 });
  two.report({ outcome: "refused_credentials", ms: 1 });
  assertEquals(available(), ["b1"]);
  assertEquals(troubles, [{ kind: "refused_credentials", upstream: "a", model: "a1" }]);
  one.release();
  two.release();
  assertEquals(available(), ["b1"]);
});

Deno.test("a 403 is reported, and is one failure of its model alone", () => {
  const { pool, available, troubles } = setUp();
  for (let failures = 1; failures <= 3; failures++) {
    assertEquals(available(), ["a1", "a2", "b1"]);
    const lease = acquire(pool, A1);
    lease.report({ outcome: "refused_credentials", ms: 1, status: 403 });
    lease.release();
    assertEquals(troubles.length, failures);
  }
  assertEquals(available(), ["a2", "b1"]);
});

for (const outcome of ["refused_credentials", "rate_limited", "server_error"] as const) {
  Deno.test(`a simulator failure that callers request is one failure: ${outcome}`, () => {
    const simulators = catalogOf([upstreamOf("a", { kind: "simulator" }), upstreamOf("b")], [
      A1,
      A2,
      B1,
    ]);
    const { pool, available, troubles, pass } = setUp(simulators);
    for (let failures = 1; failures <= 3; failures++) {
      assertEquals(available(), ["a1", "a2", "b1"]);
      const lease = acquire(pool, A1);
      lease.report({ outcome, ms: 1, retryAfterMs: 60_000, status: 401 });
      lease.release();
    }
    assertEquals(available(), ["a2", "b1"]);
    pass(1_000);
    assertEquals(available(), ["a1", "a2", "b1"]);
    assertEquals(troubles, []);
  });
}

Deno.test("refused credentials are reported again after each cooldown", () => {
  const { pool, troubles, pass } = setUp();
  for (let round = 1; round <= 3; round++) {
    const lease = acquire(pool, A1);
    lease.report({ outcome: "refused_credentials", ms: 1 });
    lease.release();
    assertEquals(troubles.length, round);
    pass(3_600_000);
  }
});

Deno.test("apply() keeps unchanged upstreams, for any order of their members", () => {
  const { pool, made, closed, available } = setUp();
  attempt(pool, A1, "rate_limited");
  const same = Object.fromEntries(
    Object.entries(upstreamOf("a")).reverse(),
  ) as unknown as UpstreamConfig;
  pool.apply(catalogOf([same, upstreamOf("b", { maxInFlight: 3 })], [A1, A2, B1]));
  assertEquals(made, ["a", "b", "b"]);
  assertEquals(closed, ["b"]);
  assertEquals(available(), ["a2", "b1"]);
});

Deno.test("apply() forgets the health of a model that is another one now", () => {
  const { pool, available } = setUp();
  attempt(pool, A1, "rate_limited");
  pool.apply(
    catalogOf([upstreamOf("a"), upstreamOf("b")], [
      modelOf("a1", "a", "newer"),
      modelOf("a2", "b"),
    ]),
  );
  assertEquals(available(), ["a1", "a2"]);
});

Deno.test("an upstream that is gone is closed with its last call, which still counts", () => {
  const { pool, closed, available, troubles } = setUp();
  const [one, two] = [acquire(pool, A1), acquire(pool, A2)];
  pool.apply(catalogOf([upstreamOf("b")], [B1]));
  assertEquals(closed, []);
  assertEquals(pool.acquire(A1), undefined);
  assertEquals(available(), ["b1"]);
  one.report({ outcome: "refused_credentials", ms: 1 });
  one.release();
  assertEquals(closed, []);
  two.release();
  assertEquals(closed, ["a"]);
  assertEquals(troubles, []);
});

Deno.test("the result of a probe counts although the catalog was applied meanwhile", () => {
  const { pool, available, pass } = setUp();
  attempt(pool, A1, "rate_limited");
  pass(5_000);
  const probe = acquire(pool, A1);
  pool.apply(BOTH);
  assertEquals(available(), ["a2", "b1"]);
  probe.report({ outcome: "ok", ms: 1 });
  probe.release();
  assertEquals(available(), ["a1", "a2", "b1"]);
});

Deno.test("a request with an older catalog may still call what has moved since", () => {
  const { pool, available } = setUp();
  pool.apply(catalogOf([upstreamOf("a"), upstreamOf("b")], [modelOf("a1", "b"), A2, B1]));
  const lease = acquire(pool, A1);
  assertEquals(lease.upstream.id, "a");
  lease.report({ outcome: "rate_limited", ms: 1, retryAfterMs: 9_000 });
  lease.release();
  assertEquals(available(), ["a1", "a2", "b1"]);
});

Deno.test("apply() that cannot make an upstream changes nothing", () => {
  const { pool, made, closed, available } = setUp();
  const bad = catalogOf([upstreamOf("c"), upstreamOf("d", { apiKey: "broken" })], []);
  assertThrows(() => pool.apply(bad), TypeError, '"d"');
  assertEquals(made, ["a", "b", "c"]);
  assertEquals(closed, ["c"]);
  assertEquals(available(), ["a1", "a2", "b1"]);
  acquire(pool, A1).release();
});

Deno.test("a model without an upstream is not in the pool", () => {
  const { pool, available } = setUp(catalogOf([upstreamOf("a")], [A1, B1]));
  assertEquals(available(), ["a1"]);
  assertEquals(pool.acquire(B1), undefined);
});

Deno.test("close() closes what is idle now and the rest with its last call", () => {
  const { pool, closed } = setUp();
  const lease = acquire(pool, A1);
  pool.close();
  assertEquals(closed, ["b"]);
  assertEquals(pool.acquire(B1), undefined);
  lease.release();
  assertEquals(closed, ["b", "a"]);
});

Deno.test("for any sequence: no upstream above its limit, none closed twice or in use", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("get", "end", "apply", "pass"), fc.nat(9)));
  fc.assert(fc.property(steps, (list) => {
    const { pool, closed, pass } = setUp();
    const leases: { lease: Lease; closedBefore: number }[] = [];
    for (const [step, which] of list) {
      if (step === "get") {
        const lease = pool.acquire([A1, A2, B1][which % 3] ?? A1);
        if (lease !== undefined) leases.push({ lease, closedBefore: closed.length });
      } else if (step === "end") {
        const [taken] = leases.splice(which % Math.max(1, leases.length), 1);
        if (which % 2 === 0) taken?.lease.report({ outcome: "server_error", ms: 1 });
        taken?.lease.release();
      } else if (step === "apply") {
        pool.apply(
          catalogOf([upstreamOf("a", { maxInFlight: which % 3 }), upstreamOf("b")], [A1, A2, B1]),
        );
      } else pass(which * 1_000);
      assert((pool.inFlight().get("b") ?? 0) <= 2);
    }
    for (const { lease } of leases) lease.release();
    assertEquals([...pool.inFlight().values()], [0, 0]);
    pool.close();
  }));
});
