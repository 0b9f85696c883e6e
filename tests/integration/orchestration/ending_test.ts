/**
 * A split request whose service ends, or whose caller leaves, while something other than a task is
 * in progress.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { askSplit, CALL_MICROS, orchestrationLab } from "../../fixtures/orchestrated.ts";
import { until } from "../../fixtures/service.ts";

/** Enough for the first words of an answer to have come. */
function someTime(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100));
}

for (const stream of [true, false]) {
  const how = stream ? "streamed" : "JSON";

  Deno.test(`${how}: a service that ends does not wait for a plan`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("plan", { stallAfter: '{"tasks": [' });
    const call = askSplit(service, { stream });
    await until(() => upstream.calls.length === 1, "the plan to be asked for");
    await until(() => service.running.gateway.inFlight.count === 1, "the request to be in flight");
    await someTime();
    service.running.gateway.inFlight.abortAll();
    const response = await call;
    const body = await response.json();
    assertEquals([response.status, body.error.code], [503, "shutting_down"]);
    assertEquals(upstream.calls.length, 1);
    await service.assertBooks();
    const record = await service.lastRequest();
    assertEquals([record.outcome, record.errorCode], ["error", "shutting_down"]);
    // The end of the service ended the plan; its own limit would be a timeout.
    const attempts = record.tasks?.flatMap(({ attempts }) =>
      attempts.map(({ outcome }) => outcome)
    );
    assertEquals(attempts, ["cancelled"]);
  });

  Deno.test(`${how}: a disconnect during the plan ends it, and costs nothing`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("plan", { stallAfter: '{"tasks": [' });
    const leaving = new AbortController();
    const call = askSplit(service, { stream, signal: leaving.signal }).catch(() => {});
    await until(() => upstream.calls.length === 1, "the plan to be asked for");
    await someTime();
    leaving.abort();
    await call;
    await service.assertBooks();
    const record = await service.lastRequest();
    assertEquals(record.outcome, "client_left");
    assertEquals((await service.wallet()).spent, 0n);
    assertEquals(record.charged, "0.000000");
  });
}

Deno.test("JSON: a service that ends during the answer says so", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  upstream.on("final", { until: new Promise(() => {}) });
  const call = askSplit(service);
  await until(() => upstream.callsFor("final").length === 1, "the answer to be asked for");
  service.running.gateway.inFlight.abortAll();
  const response = await call;
  const { error } = await response.json();
  assertEquals(error.code, "shutting_down");
  await service.assertBooks();
  const record = await service.lastRequest();
  assertEquals([record.outcome, record.errorCode], ["error", "shutting_down"]);
  assertEquals((await service.wallet()).spent, 4n * CALL_MICROS);
});
