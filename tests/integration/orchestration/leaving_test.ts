/**
 * A caller who leaves a split request: everything that runs is ended and settled, at every stage.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { askSplit, CALL_MICROS, orchestrationLab } from "../../fixtures/orchestrated.ts";
import { readUntil } from "../../fixtures/event_stream.ts";
import { type TestService, until } from "../../fixtures/service.ts";

/** The row says who left, and charges what the wallet was charged, which is what was made. */
async function assertLeft(service: TestService, least: bigint): Promise<void> {
  await service.assertBooks();
  const record = await service.lastRequest();
  assertEquals(record.outcome, "client_left");
  const { spent } = await service.wallet();
  assertEquals(record.charged, `${spent / 1_000_000n}.${`${spent % 1_000_000n}`.padStart(6, "0")}`);
  // What was said in part is counted, with its input: far less than what was held for it.
  assert(spent >= least && spent < least + 1_000_000n, `${spent}`);
  assertEquals((await service.running.stores.log.search({ limit: 9 })).records.length, 1);
  assertEquals(service.running.gateway.inFlight.count, 0);
}

for (const stream of [true, false]) {
  const how = stream ? "streamed" : "JSON";

  Deno.test(`${how}: while it is planned`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("plan", { until: new Promise(() => {}) });
    const leaving = new AbortController();
    const call = askSplit(service, { stream, signal: leaving.signal }).catch(() => {});
    await until(() => upstream.calls.length === 1, "the plan to be asked for");
    leaving.abort();
    await call;
    await assertLeft(service, 0n);
    assertEquals(upstream.calls.length, 1);
  });

  Deno.test(`${how}: while its tasks run`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    for (const id of ["coffee", "cocoa"]) upstream.on(id, { stallAfter: "Some words" });
    const leaving = new AbortController();
    const call = askSplit(service, { stream, signal: leaving.signal });
    if (stream) await (await call).body?.getReader().read();
    else call.catch(() => {});
    await until(() => upstream.calls.length === 4, "the tasks to begin");
    await until(async () => (await service.wallet()).spent === 2n * CALL_MICROS, "tea to be done");
    leaving.abort();
    await call.catch(() => {});
    await assertLeft(service, 2n * CALL_MICROS);
    assertEquals(upstream.callsFor("final").length, 0);
  });

  Deno.test(`${how}: before the answer begins`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("final", { until: new Promise(() => {}) });
    const leaving = new AbortController();
    const call = askSplit(service, { stream, signal: leaving.signal });
    if (stream) {
      const { body } = await call;
      assert(body !== null);
      void readUntil(body.getReader(), "never said").catch(() => {});
    } else call.catch(() => {});
    await until(() => upstream.callsFor("final").length === 1, "the answer to be asked for");
    leaving.abort();
    await call.catch(() => {});
    await assertLeft(service, 4n * CALL_MICROS);
  });
}

Deno.test("streamed: in the middle of the answer", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  upstream.on("final", { stallAfter: "The answer begins" });
  const leaving = new AbortController();
  // Deno collects a response of which only the body is held, and then its signal ends nothing.
  const response = await askSplit(service, { stream: true, signal: leaving.signal });
  const { body } = response;
  assert(body !== null);
  await readUntil(body.getReader(), "begins");
  leaving.abort();
  await assertLeft(service, 4n * CALL_MICROS + 1n);
  assert(response.ok);
});

Deno.test("a service that ends aborts tasks, settles them, and says so", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  for (const id of ["coffee", "cocoa"]) upstream.on(id, { stallAfter: "Some words" });
  const { body } = await askSplit(service, { stream: true });
  assert(body !== null);
  const reader = body.getReader();
  await readUntil(reader, "Some");
  service.running.gateway.inFlight.abortAll();
  const rest = await readUntil(reader, "error");
  assert(rest.includes("shutting_down"), rest);
  await reader.cancel();
  await service.assertBooks();
  const record = await service.lastRequest();
  assertEquals([record.outcome, record.errorCode], ["error", "shutting_down"]);
});
