/**
 * Callers who leave a verified request in each of its phases, keep-alives meanwhile, and a service that
 * stops.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { readUntil } from "../../fixtures/event_stream.ts";
import { until } from "../../fixtures/service.ts";
import {
  type AskOptions,
  askVerified,
  BETTER_MICROS,
  CHEAP_MICROS,
  type VerifiedLab,
  verifiedLab,
} from "../../fixtures/verified.ts";

/** A phase: what its models do, its calls, and what was charged before it. */
interface Phase {
  readonly name: string;
  readonly prepare: (lab: VerifiedLab) => void;
  readonly calls: number;
  readonly settled: bigint;
}

const PHASES: readonly Phase[] = [
  {
    name: "while both cheap models are asked",
    prepare: ({ upstream }) => ["alpha", "beta"].forEach((id) => upstream.on(id, "stall")),
    calls: 2,
    settled: 0n,
  },
  {
    name: "while one of them has answered",
    prepare: ({ upstream }) => upstream.on("beta", "stall"),
    calls: 2,
    settled: CHEAP_MICROS,
  },
  {
    name: "while the third is asked",
    prepare: ({ upstream }) => {
      upstream.on("alpha", { say: "A" });
      upstream.on("gamma", "stall");
    },
    calls: 3,
    settled: 2n * CHEAP_MICROS,
  },
  {
    name: "while the better model is asked",
    prepare: ({ upstream }) => {
      upstream.on("alpha", { say: "A" });
      upstream.on("gamma", { say: "G" });
      upstream.on("zeta", "stall");
    },
    calls: 4,
    settled: 3n * CHEAP_MICROS,
  },
];

/** The row says that the caller left, and its charge is the wallet's. */
async function assertLeft({ service }: VerifiedLab, settled: bigint): Promise<void> {
  await service.assertBooks();
  const record = await service.lastRequest();
  assertEquals(record.outcome, "client_left");
  assertEquals(record.charged, (Number(settled) / 1_000_000).toFixed(6));
  assertEquals((await service.wallet()).spent, settled);
  const { records } = await service.running.stores.log.search({ limit: 9 });
  assertEquals(records.length, 1);
  assertEquals(service.running.gateway.inFlight.count, 0);
}

for (const endpoint of ["chat", "responses"] as const) {
  for (const stream of [false, true]) {
    for (const { name, prepare, calls, settled } of PHASES) {
      Deno.test(`${endpoint}, ${stream ? "streamed" : "JSON"}: a caller leaves ${name}`, async () => {
        await using lab = await verifiedLab({ third: true });
        const { service, upstream } = lab;
        prepare(lab);
        const leaving = new AbortController();
        const call = askVerified(service, { stream, endpoint, signal: leaving.signal })
          .catch(() => {});
        await until(() => upstream.calls.length === calls, "the calls of the phase");
        await until(async () => (await service.wallet()).spent === settled, "earlier calls");
        leaving.abort();
        await call;
        await assertLeft(lab, settled);
        assertEquals(upstream.calls.length, calls);
      });
    }
  }

  Deno.test(`${endpoint}: a caller leaves in the middle of the better model's stream`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    upstream.on("alpha", { say: "A" });
    upstream.on("zeta", { stallAfter: "It begins" });
    const leaving = new AbortController();
    const response = await askVerified(service, {
      stream: true,
      endpoint,
      signal: leaving.signal,
    });
    assert(response.body !== null);
    await readUntil(response.body.getReader(), "begins");
    leaving.abort();
    await service.assertBooks();
    const record = await service.lastRequest();
    const { spent } = await service.wallet();
    assertEquals(record.outcome, "client_left");
    assert(spent > 2n * CHEAP_MICROS && spent < 2n * CHEAP_MICROS + BETTER_MICROS, `${spent}`);
    assertEquals(record.charged, (Number(spent) / 1_000_000).toFixed(6));
    assert(response.ok);
  });

  Deno.test(`${endpoint}: keep-alives are sent before the decision, and then the whole stream`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    Object.assign(service.running.gateway, { silenceMs: 10 });
    const gate = Promise.withResolvers<void>();
    upstream.on("alpha", { say: "B", after: gate.promise });
    const response = await askVerified(service, { stream: true, endpoint });
    assertEquals(response.status, 200);
    assert(response.body !== null);
    const reader = response.body.getReader();
    assert((await readUntil(reader, ": keep-alive\n\n")).startsWith(": keep-alive\n\n"));
    gate.resolve();
    const last = endpoint === "chat" ? "[DONE]\n\n" : "response.completed";
    const rest = await readUntil(reader, last);
    assert(rest.includes('"verify-2"'), rest);
    await reader.cancel();
    await service.assertBooks();
    assertEquals((await service.wallet()).spent, 2n * CHEAP_MICROS);
    assertEquals((await service.lastRequest()).outcome, "ok");
  });

  Deno.test(`${endpoint}: a caller leaves after keep-alives, before the decision`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    Object.assign(service.running.gateway, { silenceMs: 10 });
    upstream.on("alpha", "stall");
    const leaving = new AbortController();
    const response = await askVerified(service, {
      stream: true,
      endpoint,
      signal: leaving.signal,
    });
    assert(response.body !== null);
    await readUntil(response.body.getReader(), ": keep-alive\n\n");
    await until(async () => (await service.wallet()).spent === CHEAP_MICROS, "beta's answer");
    leaving.abort();
    await assertLeft(lab, CHEAP_MICROS);
    assertEquals((await service.lastRequest()).status, 200);
    assert(response.ok);
  });
}

for (const stream of [false, true]) {
  Deno.test(`a service that stops ends the cheap calls, ${stream ? "streamed" : "JSON"}`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    upstream.on("alpha", "stall");
    const options: AskOptions = { stream };
    const call = askVerified(service, options);
    await until(() => upstream.calls.length === 2, "the cheap calls");
    await until(async () => (await service.wallet()).spent === CHEAP_MICROS, "beta's answer");
    service.running.gateway.inFlight.abortAll();
    const response = await call;
    assertEquals([response.status, (await response.json()).error.code], [503, "shutting_down"]);
    await service.assertBooks();
    const record = await service.lastRequest();
    assertEquals([record.outcome, record.errorCode], ["error", "shutting_down"]);
    assertEquals(record.charged, "0.028000");
  });
}

Deno.test("a call that goes on after its caller has left is charged in full", async () => {
  await using lab = await verifiedLab({ upstream: { onDisconnect: "drain" } });
  const { service, upstream } = lab;
  const gate = Promise.withResolvers<void>();
  upstream.on("alpha", { say: "A", after: gate.promise });
  const leaving = new AbortController();
  const call = askVerified(service, { signal: leaving.signal }).catch(() => {});
  await until(() => upstream.calls.length === 2, "the cheap calls");
  await until(async () => (await service.wallet()).spent === CHEAP_MICROS, "beta's answer");
  leaving.abort();
  await call;
  // Nothing outside shows when the gateway learns of it, which takes some milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 100));
  gate.resolve();
  await assertLeft(lab, 2n * CHEAP_MICROS);
  assertEquals(upstream.calls.length, 2);
});
