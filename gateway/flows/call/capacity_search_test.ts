import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { catalogOf, inputWith, modelWith } from "../../domain/routing/route_fixture_test.ts";
import { route } from "../../domain/routing/route.ts";
import { StoreError } from "../../ports/store_error.ts";
import { systemClock } from "../../system/clock.ts";
import { createSystemRng } from "../../system/rng.ts";
import { CallerDisconnected } from "./caller_disconnected.ts";
import type { GatewayContext, Turn } from "../context.ts";
import { InFlight } from "../admit/in_flight.ts";
import { CapacitySearch } from "./capacity_search.ts";
import { RequestTrace } from "../request_trace.ts";

const KEY: KeyRecord = {
  ...{ id: "key_1", name: "n", walletId: "w", status: "active", hint: "", createdAtMs: 0 },
  policy: {},
};

const INPUT = inputWith({ catalog: catalogOf([modelWith({ id: "a" })]) });

/** What a test makes of the gateway's parts. */
interface Parts {
  /** Whether there is a place at the upstream. */
  readonly hasPlace: () => boolean;
  /** Whether a hold can be had; `waitMs` above 0: after a wait. */
  readonly hasMoney?: (waitMs: number) => boolean;
  readonly key?: () => Promise<KeyRecord | undefined>;
  /** Whether a turn comes. */
  readonly turns?: () => boolean;
  readonly signal?: AbortSignal;
}

type Note = (event: string) => void;

/** A turn that notes when it is over. */
function turnNoting(note: Note): Turn {
  let isUsed = false;
  const end = () => {
    if (!isUsed) note("turn over");
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

/** The pool of one upstream; its only model is busy wherever there is no place. */
function poolNoting({ hasPlace, turns = () => true }: Parts, note: Note) {
  const lease = () => {
    note("lease");
    return { upstream: {}, report: () => {}, release: () => note("release") };
  };
  return {
    states: () => new Map([["a", { available: false, busy: true }]]),
    acquire: () => hasPlace() ? lease() : undefined,
    turn: () => {
      note("wait for a place");
      return Promise.resolve(turns() ? turnNoting(note) : undefined);
    },
  };
}

/** The books of one wallet. */
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
    release: () => {
      note("void");
      return Promise.resolve({ ok: true, value: { released: 0n } });
    },
  };
}

/** A search for places at one model; what it took and gave back. */
function search(parts: Parts) {
  const plan = route(INPUT);
  assert(plan.ok);
  const noted: string[] = [];
  const note = (event: string) => void noted.push(event);
  const gateway = {
    clock: systemClock,
    rng: createSystemRng(systemClock),
    inFlight: new InFlight(),
    catalogs: { current: () => INPUT.catalog },
    conversations: new Map(),
    keys: { get: parts.key ?? (() => Promise.resolve(KEY)) },
    pool: poolNoting(parts, note),
    ledger: ledgerNoting(parts, note),
    settlementRetries: { add: () => {} },
  } as unknown as GatewayContext;
  const trace = new RequestTrace({
    ...{ key: KEY, requestId: "r", logId: "l", endpoint: "chat", stream: false },
    signal: parts.signal ?? new AbortController().signal,
    dialect: "service",
    onSettled: () => {},
  }, systemClock);
  const places = new CapacitySearch(gateway, { trace, plan, features: INPUT.features });
  const count = (event: string) => noted.filter((one) => one === event).length;
  /** Nothing that was taken is left. */
  const assertClean = () => {
    assertEquals([count("lease"), count("hold")], [count("release"), count("void")], noted.join());
  };
  return { places, noted, count, assertClean, inFlight: gateway.inFlight };
}

Deno.test("a place and its hold are found at once where both are free", async () => {
  const { places, noted } = search({ hasPlace: () => true });
  assertEquals((await places.next())?.candidate.model.id, "a");
  assertEquals(noted, ["lease", "hold"]);
  assertEquals([await places.next(), places.refusal], [undefined, undefined], "each is tried once");
});

Deno.test("a place is waited for without a hold, a hold without a place", async () => {
  let free = false;
  const waiting = search({ hasPlace: () => free, turns: () => free = true });
  assert(await waiting.places.next() !== undefined);
  assertEquals(waiting.noted, ["wait for a place", "turn over", "lease", "hold"]);
  const poor = search({ hasPlace: () => true, hasMoney: (waitMs) => waitMs > 0 });
  assert(await poor.places.next() !== undefined);
  assertEquals(poor.noted, ["lease", "release", "wait for a hold", "hold", "lease"]);
});

Deno.test("a store that cannot say whether the key is still good leaves nothing open", async () => {
  const key = () => Promise.reject(new StoreError("no disk"));
  const forPlace = search({ hasPlace: () => false, key });
  await assertRejects(() => forPlace.places.next(), StoreError);
  assertEquals(forPlace.noted, ["wait for a place", "turn over"]);
  const forMoney = search({ hasPlace: () => true, hasMoney: (waitMs) => waitMs > 0, key });
  await assertRejects(() => forMoney.places.next(), StoreError);
  forMoney.assertClean();
});

Deno.test("a key that is gone, disabled or expired after the wait gets nothing", async () => {
  const expiresAt = "2020-01-01T00:00:00Z";
  const keys = [undefined, { ...KEY, status: "disabled" }, {
    ...KEY,
    policy: { expiresAt },
  }] as const;
  for (const present of keys) {
    const key = () => Promise.resolve(present);
    for (const hasMoney of [() => true, (waitMs: number) => waitMs > 0]) {
      const hasPlace = () => hasMoney(0) ? false : true;
      const { places, assertClean } = search({ hasPlace, hasMoney, key });
      const fault = await assertRejects(() => places.next(), ServiceFault);
      assertEquals(fault.code, "invalid_api_key");
      assertClean();
    }
  }
});

Deno.test("a hold that was given back begins nothing: the key is looked at after the next wait too", async () => {
  for (const waitsForMoney of [false, true]) {
    let asked = 0;
    let waits = 0;
    const { places, assertClean, count } = search({
      // The first hold comes after a wait, when the place is gone; then a place in its turn.
      hasPlace: () => [true, false, waitsForMoney, true][asked++] ?? true,
      hasMoney: (waitMs) => waitMs > 0 ? ++waits > 0 : !waitsForMoney && waits > 0,
      key: () => Promise.resolve(asked < 2 ? KEY : undefined),
    });
    const fault = await assertRejects(() => places.next(), ServiceFault);
    assertEquals(fault.code, "invalid_api_key");
    assertEquals(count("wait for a hold"), waitsForMoney ? 2 : 1);
    assertClean();
  }
});

Deno.test("a policy that was narrowed while money was waited for begins nothing", async () => {
  const { places, assertClean } = search({
    hasPlace: () => true,
    hasMoney: (waitMs) => waitMs > 0,
    key: () => Promise.resolve({ ...KEY, policy: { models: [] } }),
  });
  const fault = await assertRejects(() => places.next(), ServiceFault);
  assertEquals(fault.code, "conflict");
  assertClean();
});

Deno.test("a turn whose plan is refused is passed on, and the refusal told", async () => {
  const { places, noted } = search({
    hasPlace: () => false,
    key: () => Promise.resolve({ ...KEY, policy: { endpoints: [] } }),
  });
  assertEquals(await places.next(), undefined);
  assertEquals(places.refusal?.code, "policy_denied");
  assertEquals(noted, ["wait for a place", "turn over"]);
});

Deno.test("a turn that does not come is 503 with a time to come back", async () => {
  const { places } = search({ hasPlace: () => false, turns: () => false });
  assertEquals(await places.next(), undefined);
  assertEquals([places.refusal?.code, places.refusal?.retryAfterMs], ["no_model_available", 1_000]);
});

Deno.test("who is always too late for the one while waiting for the other gives up in the end", async () => {
  let places = 0;
  const { places: found, assertClean, count } = search({
    // A place only where there is no money, and money only after its place was given back.
    hasPlace: () => places++ % 2 === 0,
    hasMoney: (waitMs) => waitMs > 0,
  });
  assertEquals(await found.next(), undefined);
  assert(found.refusal !== undefined);
  assertClean();
  assert(count("wait for a hold") > 1 && count("wait for a hold") <= 16);
});

Deno.test("a caller who leaves, and the end of the service, leave nothing open", async () => {
  for (const how of ["left", "shutdown"] as const) {
    for (const isPoor of [true, false]) {
      const leaving = new AbortController();
      const leave = () => how === "left" ? leaving.abort() : at.inFlight.abortAll();
      const at = search({
        hasPlace: () => isPoor,
        hasMoney: (waitMs) => {
          if (waitMs > 0) leave();
          return waitMs > 0 || !isPoor;
        },
        turns: () => {
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
