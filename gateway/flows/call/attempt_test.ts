import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { catalogOf, inputWith, modelWith } from "../../domain/routing/route_fixture_test.ts";
import { route } from "../../domain/routing/route.ts";
import { StoreError } from "../../ports/store_error.ts";
import type { UpstreamFailure } from "../../ports/upstream.ts";
import { systemClock } from "../../system/clock.ts";
import { createSystemRng } from "../../system/rng.ts";
import { attempt, ATTEMPTS_BUDGET_MS, ATTEMPTS_MAX, type CallDeps } from "./attempt.ts";
import { InFlight } from "../admit/in_flight.ts";
import { ActiveRequest } from "../request/active_request.ts";

const FAILURE: UpstreamFailure = { kind: "failure", outcome: "server_error", message: "down" };

const KEY = {
  id: "key_1",
  name: "n",
  walletId: "w",
  status: "active",
  policy: {},
  hint: "",
  createdAtMs: 0,
} as const;

/** Attempts over six models of an upstream that fails, or of a store that does. */
async function attemptSix(
  options: { readonly hold?: () => Promise<unknown>; readonly msPerCall?: number } = {},
) {
  const models = ["a", "b", "c", "d", "e", "f"].map((id) => modelWith({ id }));
  const input = inputWith({ catalog: catalogOf(models) });
  const { features } = input;
  const plan = route(input);
  assert(plan.ok);
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const call = () => {
    note("call");
    nowMs += options.msPerCall ?? 0;
    return Promise.resolve(FAILURE);
  };
  const lease = {
    upstream: { id: "u", call, models: () => Promise.resolve([]), close: () => {} },
    report: () => {},
    failedOver: () => {},
    release: () => note("release"),
  };
  const hold = options.hold ?? (() => Promise.resolve({ ok: true, value: { held: 10n ** 12n } }));
  const deps = {
    clock,
    rng: createSystemRng(systemClock),
    keys: { get: () => Promise.resolve(KEY) },
    inFlight: new InFlight(),
    pool: { acquire: () => lease },
    ledger: {
      hold,
      voidHold: () => {
        note("void");
        return Promise.resolve({ ok: true, value: { released: 0n } });
      },
    },
    failedAttempts: { note: () => {} },
    settlementRetries: { add: ({ kind }: { kind: string }) => note(`late ${kind}`) },
  } as unknown as CallDeps;
  const active = new ActiveRequest(
    {
      ...{ key: KEY, requestId: "r", logId: "l", dialect: "service" },
      ...{ endpoint: "chat", stream: false },
    },
    { signal: new AbortController().signal },
    clock,
  );
  const body = { text: "{}", value: {} };
  const open = () => Promise.resolve(1);
  const error = await assertRejects(
    () => attempt(deps, { active, plan, features, ask: () => ({ endpoint: "chat", body }), open }),
    Error,
  );
  const count = (event: string) => events.filter((seen) => seen === event).length;
  return { error, events, count };
}

for (
  const [failure, events] of [
    [{ inDoubt: true }, ["late void", "release"]],
    [{ inDoubt: true, untried: true }, ["release"]],
    [{}, ["release"]],
  ] as const
) {
  Deno.test(`a hold that fails with the store releases its lease, and is voided if it may have landed: ${JSON.stringify(failure)}`, async () => {
    const attempted = await attemptSix({
      hold: () => Promise.reject(new StoreError("disk full", failure)),
    });
    assert(attempted.error instanceof StoreError);
    assertEquals(attempted.events, [...events]);
  });
}

Deno.test("failing candidates are tried up to the limit; each hold ends and each lease is released", async () => {
  const { error, count } = await attemptSix();
  assert(error instanceof ServiceFault);
  assertEquals(error.code, "upstream_error");
  const each = ["call", "void", "release"].map(count);
  assertEquals(each, [ATTEMPTS_MAX, ATTEMPTS_MAX, ATTEMPTS_MAX]);
});

Deno.test("no further candidate is tried once the time for the request is over", async () => {
  const { count } = await attemptSix({ msPerCall: ATTEMPTS_BUDGET_MS / 2 });
  assertEquals(count("call"), 2);
});
