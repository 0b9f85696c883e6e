import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { catalogOf, inputWith, modelWith } from "../../domain/routing/route_fixture_test.ts";
import { route } from "../../domain/routing/route.ts";
import { StoreError } from "../../ports/store_error.ts";
import { systemClock } from "../../system/clock.ts";
import { createSystemRng } from "../../system/rng.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import type { LeaseOffer } from "../../ports/lease_pool.ts";
import { EMPTY_SNAPSHOT } from "../../domain/learning/snapshot.ts";
import { InFlight } from "../admit/in_flight.ts";
import { type CapacityDeps, CapacitySearch } from "./capacity_search.ts";
import { ActiveRequest } from "../request/active_request.ts";

const KEY: KeyRecord = {
  ...{ id: "key_1", name: "n", walletId: "w", status: "active", hint: "", createdAtMs: 0 },
  policy: {},
};

const INPUT = inputWith({ catalog: catalogOf([modelWith({ id: "a" })]) });

/** Behaviour of the gateway's parts in a test. */
interface Parts {
  /** True when a lease can be acquired. */
  readonly hasLease: () => boolean;
  /** True when a hold can be taken; `waitMs` above 0: after a wait. */
  readonly hasMoney?: (waitMs: number) => boolean;
  readonly key?: () => Promise<KeyRecord | undefined>;
  /** True when a lease is offered. */
  readonly offers?: () => boolean;
  readonly signal?: AbortSignal;
}

type Note = (event: string) => void;

/** An offer that notes its end. */
function offerNoting(note: Note): LeaseOffer {
  let isUsed = false;
  const end = () => {
    if (!isUsed) note("offer over");
    isUsed = true;
  };
  return {
    use: (take) => {
      end();
      return take();
    },
    [Symbol.dispose]: end,
  };
}

/** The pool of one upstream; its only model is busy whenever no lease can be acquired. */
function poolNoting({ hasLease, offers = () => true }: Parts, note: Note) {
  const lease = () => {
    note("lease");
    return { upstream: {}, report: () => {}, release: () => note("release") };
  };
  return {
    states: () => new Map([["a", { available: false, busy: true }]]),
    acquire: () => hasLease() ? lease() : undefined,
    waitForLease: () => {
      note("wait for a lease");
      return Promise.resolve(offers() ? offerNoting(note) : undefined);
    },
  };
}

/** The ledger of one wallet. */
function ledgerNoting({ hasMoney = () => true }: Parts, note: Note) {
  return {
    wallet: () => Promise.resolve(INPUT.wallet),
    keySpend: () => Promise.resolve(undefined),
    hold: (_: unknown, { waitMs }: { waitMs: number }) => {
      if (waitMs > 0) note("wait for a hold");
      if (!hasMoney(waitMs)) return Promise.resolve({ ok: false, refusal: "insufficient_balance" });
      note("hold");
      return Promise.resolve({ ok: true, value: { held: 10n ** 12n } });
    },
    voidHold: () => {
      note("void");
      return Promise.resolve({ ok: true, value: { released: 0n } });
    },
  };
}

/** A search for capacity at one model, with a record of what it took and gave back. */
function search(parts: Parts) {
  const plan = route(INPUT);
  assert(plan.ok);
  const noted: string[] = [];
  const note = (event: string) => void noted.push(event);
  const inFlight = new InFlight();
  const deps = {
    clock: systemClock,
    rng: createSystemRng(systemClock),
    inFlight,
    catalogs: { current: () => INPUT.catalog },
    conversations: new Map(),
    learning: { snapshot: () => EMPTY_SNAPSHOT, taskOf: () => "task", seedOf: () => 0.5 },
    keys: { get: parts.key ?? (() => Promise.resolve(KEY)) },
    pool: poolNoting(parts, note),
    ledger: ledgerNoting(parts, note),
    settlementRetries: { add: () => {} },
  } as unknown as CapacityDeps;
  const active = new ActiveRequest(
    {
      ...{ key: KEY, requestId: "r", logId: "l", endpoint: "chat", stream: false },
      dialect: "service",
    },
    { signal: parts.signal ?? new AbortController().signal },
    systemClock,
  );
  const places = new CapacitySearch(deps, { active, plan, features: INPUT.features });
  const count = (event: string) => noted.filter((one) => one === event).length;
  /** Asserts that everything taken was given back. */
  const assertClean = () => {
    assertEquals([count("lease"), count("hold")], [count("release"), count("void")], noted.join());
  };
  return { places, noted, count, assertClean, inFlight };
}

Deno.test("a lease and its hold are taken at once if both are free", async () => {
  const { places, noted } = search({ hasLease: () => true });
  assertEquals((await places.next())?.candidate.model.id, "a");
  assertEquals(noted, ["lease", "hold"]);
  assertEquals([await places.next(), places.refusal], [undefined, undefined], "each is tried once");
});

Deno.test("a lease is waited for without a hold, a hold without a lease", async () => {
  let free = false;
  const waiting = search({ hasLease: () => free, offers: () => free = true });
  assert(await waiting.places.next() !== undefined);
  assertEquals(waiting.noted, ["wait for a lease", "offer over", "lease", "hold"]);
  const poor = search({ hasLease: () => true, hasMoney: (waitMs) => waitMs > 0 });
  assert(await poor.places.next() !== undefined);
  assertEquals(poor.noted, ["lease", "release", "wait for a hold", "hold", "lease"]);
});

Deno.test("a store that fails to read the key leaves nothing open", async () => {
  const key = () => Promise.reject(new StoreError("no disk"));
  const forPlace = search({ hasLease: () => false, key });
  await assertRejects(() => forPlace.places.next(), StoreError);
  assertEquals(forPlace.noted, ["wait for a lease", "offer over"]);
  const forMoney = search({ hasLease: () => true, hasMoney: (waitMs) => waitMs > 0, key });
  await assertRejects(() => forMoney.places.next(), StoreError);
  forMoney.assertClean();
});

Deno.test("a key that is gone, disabled or expired after the wait is refused", async () => {
  const expiresAt = "2020-01-01T00:00:00Z";
  const keys = [undefined, { ...KEY, status: "disabled" }, {
    ...KEY,
    policy: { expiresAt },
  }] as const;
  for (const present of keys) {
    const key = () => Promise.resolve(present);
    for (const hasMoney of [() => true, (waitMs: number) => waitMs > 0]) {
      const hasLease = () => hasMoney(0) ? false : true;
      const { places, assertClean } = search({ hasLease, hasMoney, key });
      const fault = await assertRejects(() => places.next(), ServiceFault);
      assertEquals(fault.code, "invalid_api_key");
      assertClean();
    }
  }
});

Deno.test("a voided hold begins nothing: the key is read again after the next wait", async () => {
  for (const waitsForMoney of [false, true]) {
    let acquired = 0;
    let waits = 0;
    const { places, assertClean, count } = search({
      // The first hold comes after a wait, when the place is gone; then a place in its turn.
      hasLease: () => [true, false, waitsForMoney, true][acquired++] ?? true,
      hasMoney: (waitMs) => waitMs > 0 ? ++waits > 0 : !waitsForMoney && waits > 0,
      key: () => Promise.resolve(acquired < 2 ? KEY : undefined),
    });
    const fault = await assertRejects(() => places.next(), ServiceFault);
    assertEquals(fault.code, "invalid_api_key");
    assertEquals(count("wait for a hold"), waitsForMoney ? 2 : 1);
    assertClean();
  }
});

Deno.test("a policy that was narrowed during a wait for credits begins nothing", async () => {
  const { places, assertClean } = search({
    hasLease: () => true,
    hasMoney: (waitMs) => waitMs > 0,
    key: () => Promise.resolve({ ...KEY, policy: { models: [] } }),
  });
  const fault = await assertRejects(() => places.next(), ServiceFault);
  assertEquals(fault.code, "conflict");
  assertClean();
});

Deno.test("an offer whose plan is refused is passed on, and the refusal is reported", async () => {
  const { places, noted } = search({
    hasLease: () => false,
    key: () => Promise.resolve({ ...KEY, policy: { endpoints: [] } }),
  });
  assertEquals(await places.next(), undefined);
  assertEquals(places.refusal?.code, "policy_denied");
  assertEquals(noted, ["wait for a lease", "offer over"]);
});

Deno.test("a wait without an offer is 503 with a time to retry", async () => {
  const { places } = search({ hasLease: () => false, offers: () => false });
  assertEquals(await places.next(), undefined);
  assertEquals([places.refusal?.code, places.refusal?.retryAfterMs], ["no_model_available", 1_000]);
});

Deno.test("a request that always lacks one while it waits for the other gives up in the end", async () => {
  let places = 0;
  const { places: hopeless, assertClean, count } = search({
    // A place only where there is no money, and money only after its place was given back.
    hasLease: () => places++ % 2 === 0,
    hasMoney: (waitMs) => waitMs > 0,
  });
  assertEquals(await hopeless.next(), undefined);
  assert(hopeless.refusal !== undefined);
  assertClean();
  assert(count("wait for a hold") > 1 && count("wait for a hold") <= 16);
});

Deno.test("a caller that disconnects, and a shutdown, leave nothing open", async () => {
  for (const how of ["left", "shutdown"] as const) {
    for (const isPoor of [true, false]) {
      const leaving = new AbortController();
      const leave = () => how === "left" ? leaving.abort() : at.inFlight.abortAll();
      const at = search({
        hasLease: () => isPoor,
        hasMoney: (waitMs) => {
          if (waitMs > 0) leave();
          return waitMs > 0 || !isPoor;
        },
        offers: () => {
          leave();
          return true;
        },
        signal: leaving.signal,
      });
      const error = await assertRejects(() => at.places.next(), Error);
      if (how === "left") assert(error instanceof CallerDisconnected);
      else assertEquals(error instanceof ServiceFault && error.code, "shutting_down");
      at.assertClean();
    }
  }
});
