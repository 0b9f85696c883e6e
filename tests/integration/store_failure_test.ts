/**
 * The store fails: callers receive an error, no wallet pays for it, and the service recovers by itself.
 * `full_disk_test.ts` covers a full disk.
 *
 * @module
 */

import { assertEquals, assertGreater } from "@std/assert";
import { DOUBT_TRIES } from "../../gateway/stores/kv/limits.ts";
import { type Faults, faultyKv, withOpenKv } from "../contract/faulty_kv.ts";
import { readEvents } from "../fixtures/event_stream.ts";
import { FakeUpstream, json, LAST_CHUNK, sse, streamHead } from "../fixtures/fake_upstream.ts";
import {
  completion,
  INPUT_MICROS,
  labConfig,
  OUTPUT_MICROS,
  QUESTION,
  streamed,
  usage,
} from "../fixtures/lab.ts";
import { TestService, until } from "../fixtures/service.ts";

/** Leases of the upstream. */
const PLACES = 2;
/** Consecutive failing calls: more than leases, so that a leaked one would show. */
const FAILING = 5;
/** Usage of every response, and its charge. */
const USAGE = usage(10, 5);
const CALL_MICROS = 10n * INPUT_MICROS + 5n * OUTPUT_MICROS;

/** Starts a service with one model at an upstream with two leases. */
async function start(kvPath = ":memory:") {
  const upstream = new FakeUpstream();
  upstream.otherwise(json(completion({ usage: USAGE })));
  const { baseUrl } = upstream;
  const config = labConfig({ id: "only", baseUrl, upstream: { maxInFlight: PLACES } });
  const service = await TestService.start({ config, kvPath });
  return {
    upstream,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

type Setup = Awaited<ReturnType<typeof start>>;

/** Starts it with a store that can be made to fail. */
async function startFaulty(): Promise<Setup & { readonly faults: Faults }> {
  const { faults, openKv } = faultyKv();
  const setup = await withOpenKv((path = ":memory:") => openKv(path), () => start());
  return { ...setup, faults };
}

/** Asserts that calls are refused, not charged, and never sent upstream. */
async function assertRefused({ service, upstream }: Setup): Promise<void> {
  const before = await service.wallet();
  const requests = upstream.requests.length;
  for (let call = 0; call < FAILING; call++) await assertUnavailable(await ask(service));
  assertEquals(await service.wallet(), before);
  assertEquals(upstream.requests.length, requests);
  const { settlementRetries } = service.running.gateway;
  assertEquals(settlementRetries.size, 0, "nothing is left behind for who was refused");
}

async function assertUnavailable(response: Response): Promise<void> {
  const { error } = await response.json();
  assertEquals([response.status, error.code], [503, "store_unavailable"]);
  assertEquals(response.headers.get("retry-after"), "1");
}

/**
 * Asserts that as many calls at once as there are leases are answered and charged, and that the
 * ledger is right.
 */
async function assertHealthy({ service }: Setup): Promise<void> {
  const { gateway } = service.running;
  await until(() => gateway.settlementRetries.size === 0, "the settlement retries");
  const { spent } = await service.wallet();
  const calls = Array.from({ length: PLACES }, () => ask(service));
  for (const response of await Promise.all(calls)) {
    assertEquals(response.status, 200, await response.text());
  }
  assertEquals((await service.wallet()).spent - spent, BigInt(PLACES) * CALL_MICROS);
  await service.assertBooks();
}

function ask(service: TestService, stream = false): Promise<Response> {
  return service.chat({ messages: QUESTION, max_completion_tokens: 50, stream });
}

Deno.test("while nothing can be written every call is refused, and it is well afterwards", async () => {
  await using setup = await startFaulty();
  setup.faults.commit = "before";
  await assertRefused(setup);
  setup.faults.commit = "none";
  await assertHealthy(setup);
  assertEquals((await setup.service.wallet()).spent, BigInt(PLACES) * CALL_MICROS);
});

Deno.test("holds that landed although the store failed are voided once it is back", async () => {
  await using setup = await startFaulty();
  // Its key and the catalog are cached by now.
  assertEquals((await ask(setup.service).then(drained)).status, 200);
  Object.assign(setup.faults, { commit: "after", reads: true });
  const { publicUrl } = setup.service.running;
  await assertUnavailable(await ask(setup.service));
  const { settlementRetries } = setup.service.running.gateway;
  assertEquals(settlementRetries.size, 1, "its hold may have landed");
  for (let call = 0; call < FAILING; call++) await assertUnavailable(await ask(setup.service));
  assertEquals(settlementRetries.size, 1, "the others were not even tried");
  await assertUnavailable(await fetch(`${publicUrl}/readyz`));
  assertEquals((await drained(await fetch(`${publicUrl}/healthz`))).status, 200);
  Object.assign(setup.faults, { commit: "none", reads: false });
  assertEquals((await drained(await fetch(`${publicUrl}/readyz`))).status, 200);
  await assertHealthy(setup);
});

async function drained(response: Response): Promise<Response> {
  await response.body?.cancel();
  return response;
}

Deno.test("an answer that cannot be settled is not given and not charged", async () => {
  await using setup = await startFaulty();
  const { service, upstream, faults } = setup;
  const gate = Promise.withResolvers<void>();
  upstream.answer([{ until: gate.promise }, ...json(completion({ usage: USAGE }))]);
  const answer = ask(service);
  await until(() => upstream.requests.length === 1, "the call to reach the upstream");
  faults.commit = "before";
  gate.resolve();
  await assertUnavailable(await answer);
  assertGreater((await service.wallet()).held, 0n, "it cannot even be given back");
  faults.commit = "none";
  await until(async () => (await service.wallet()).held === 0n, "the hold to be voided");
  assertEquals((await service.wallet()).spent, 0n);
  await assertHealthy(setup);
});

for (const commit of ["before", "after"] as const) {
  Deno.test(`an answer waits while its settlement is in doubt (${commit}), and is given`, async () => {
    await using setup = await startFaulty();
    const { service, upstream, faults } = setup;
    const gate = Promise.withResolvers<void>();
    upstream.answer([{ until: gate.promise }, ...json(completion({ usage: USAGE }))]);
    const answer = ask(service);
    await until(() => upstream.requests.length === 1, "the call to reach the upstream");
    Object.assign(faults, { commit, reads: true });
    const before = faults.failedReads;
    gate.resolve();
    // The state is unknown for longer than the store's own checks: later it is read again.
    const looks = DOUBT_TRIES + 3;
    await until(() => faults.failedReads - before > looks, "the store to look in vain");
    Object.assign(faults, { commit: "none", reads: false });
    const response = await answer;
    assertEquals(response.status, 200);
    assertEquals((await response.json()).metadata.billing.charged, "0.020000");
    assertEquals((await service.wallet()).spent, CALL_MICROS);
    const { records } = await service.running.stores.log.search({ limit: 9 });
    assertEquals(records.map(({ outcome, charged }) => [outcome, charged]), [["ok", "0.020000"]]);
    await assertHealthy(setup);
  });
}

Deno.test("a stream that cannot be settled ends with an error, and its bill follows", async () => {
  await using setup = await startFaulty();
  const { service, upstream, faults } = setup;
  const gate = Promise.withResolvers<void>();
  const [head = streamHead(), role = LAST_CHUNK, ...rest] = sse(streamed(["Hello"], USAGE));
  upstream.answer([head, role, { until: gate.promise }, ...rest]);
  const response = await ask(service, true);
  assertEquals(response.status, 200);
  faults.commit = "before";
  gate.resolve();
  const { last, done } = await readEvents(response);
  assertEquals([done, last.choices, last.error?.code], [0, [], "store_unavailable"]);
  assertEquals((await service.wallet()).spent, 0n);
  faults.commit = "none";
  await until(async () => (await service.wallet()).spent > 0n, "the bill");
  assertEquals((await service.wallet()).spent, CALL_MICROS);
  const { outcome, errorCode, charged } = await service.lastRequest();
  assertEquals([outcome, errorCode, charged], ["cut", "store_unavailable", "0.020000"]);
  await assertHealthy(setup);
});
