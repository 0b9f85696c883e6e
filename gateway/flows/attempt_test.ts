import { assert, assertEquals, assertRejects } from "@std/assert";
import { catalogOf, inputWith, modelWith } from "../domain/routing_fixture_test.ts";
import { route } from "../domain/routing.ts";
import { StoreError } from "../ports/store_error.ts";
import { systemClock } from "../system/clock.ts";
import { createSystemRng } from "../system/rng.ts";
import { attempt } from "./attempt.ts";
import type { GatewayContext, Lease } from "./context.ts";
import { RequestTrace } from "./request_trace.ts";

Deno.test("a hold that fails with the store gives the place at the upstream back, and is voided later", async () => {
  const plan = route(inputWith({ catalog: catalogOf([modelWith({ id: "m" })]) }));
  assert(plan.ok);
  const events: string[] = [];
  const lease: Lease = {
    upstream: {
      id: "u",
      call: () => Promise.reject(new Error("not called")),
      models: () => Promise.resolve([]),
      close: () => {},
    },
    report: () => events.push("report"),
    release: () => events.push("release"),
  };
  const gateway = {
    clock: systemClock,
    rng: createSystemRng(systemClock),
    pool: { acquire: () => lease },
    ledger: { hold: () => Promise.reject(new StoreError("disk full")) },
    lateEndings: { add: ({ kind }: { kind: string }) => events.push(kind) },
  } as unknown as GatewayContext;
  const trace = new RequestTrace({
    key: {
      id: "key_1",
      name: "n",
      walletId: "w",
      status: "active",
      policy: {},
      hint: "",
      createdAtMs: 0,
    },
    requestId: "r",
    logId: "l",
    endpoint: "chat",
    stream: false,
    signal: new AbortController().signal,
    onSettled: () => {},
  }, systemClock);
  const body = { text: "{}", value: {} };
  await assertRejects(
    () => attempt(gateway, { trace, plan, body, choices: 1, open: () => Promise.resolve(1) }),
    StoreError,
  );
  assertEquals(events, ["void", "release"]);
});
