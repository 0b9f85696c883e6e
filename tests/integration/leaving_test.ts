/**
 * Somebody leaves: the caller in the middle of a stream, or the service itself.
 *
 * @module
 */

import { assert, assertEquals, assertGreater } from "@std/assert";
import { readEvents } from "../fixtures/event_stream.ts";
import { chunk, FakeUpstream, LAST_CHUNK, sse, streamHead } from "../fixtures/fake_upstream.ts";
import { chunkText, labConfig, QUESTION, streamed, usage } from "../fixtures/lab.ts";
import { TestService, until } from "../fixtures/service.ts";

const event = (text: string) => chunk(`data: ${text}\n\n`);
const BEGINNING = [
  streamHead(),
  event(chunkText({ role: "assistant", content: "" })),
  event(chunkText({ content: "Hello " })),
];

for (const letters of [10, 5_000]) {
  Deno.test({
    name: `a caller leaves before the answer: a request of ${letters} letters costs nothing`,
    // Deno 2.9.6 does not notice that a client left before its answer where the request was 512
    // bytes or more, head included: neither `request.signal` nor `info.completed` says so.
    ignore: letters > 100,
    fn: () => leaveBeforeTheAnswer("x".repeat(letters)),
  });
}

async function leaveBeforeTheAnswer(content: string) {
  await using upstream = new FakeUpstream();
  upstream.answer([{ stall: true }]);
  const config = labConfig({
    id: "only",
    baseUrl: upstream.baseUrl,
    upstream: { timeouts: { firstByteMs: 3_000 } },
  });
  await using service = await TestService.start({ config });
  const leaving = new AbortController();
  const answer = service.chat({ messages: [{ role: "user", content }] }, {
    signal: leaving.signal,
  });
  await until(() => upstream.requests.length === 1, "the call to reach the upstream");
  leaving.abort();
  await answer.catch(() => {});
  const record = await service.lastRequest();
  assertEquals([record.outcome, record.charged], ["client_left", "0.000000"]);
  assertEquals((await service.wallet()).spent, 0n);
  await service.assertBooks();
}

Deno.test("a call is sent once, also where a kept connection dies under it", async () => {
  await using upstream = new FakeUpstream();
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  await using service = await TestService.start({ config });
  upstream.otherwise(sse(streamed(["Hi"], usage(3, 1))));
  const ask = () => service.chat({ messages: QUESTION, stream: true });
  await (await ask()).text();
  upstream.answer([{ close: true }]);
  await (await ask()).text();
  assertEquals(upstream.requests.length, 2);
});

/** A service with one stream that has begun and waits for the gate. */
async function withStreamUnderWay() {
  const upstream = new FakeUpstream();
  const gate = Promise.withResolvers<void>();
  const { promise } = gate;
  upstream.answer([...BEGINNING, { until: promise }, event(chunkText({}, "stop")), LAST_CHUNK]);
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  const service = await TestService.start({ config });
  const response = await service.chat({ messages: QUESTION, stream: true });
  return {
    service,
    gate,
    response,
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

Deno.test("shutdown lets a stream finish and settle, and refuses new requests with 503", async () => {
  await using at = await withStreamUnderWay();
  const { gateway, stores } = at.service.running;
  // The connection is open already when the shutdown begins: a new one would not be accepted.
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(at.service.running.publicUrl).port),
  });
  await askHealth(connection);
  const stopped = at.service.running.stop({ graceMs: 60_000 });
  const refused = await askHealth(connection, "/api/v1/models").catch(() => "");
  assert(refused === "" || refused.includes('"code":"shutting_down"'), refused);
  assertEquals(gateway.inFlight.count, 1);
  assertEquals((await stores.ledger.openHolds()).length, 1);
  at.gate.resolve();
  const { last, done } = await readEvents(at.response);
  assertEquals(done, 1);
  assertGreater(Number(last.metadata?.billing?.charged), 0);
  await stopped;
});

Deno.test("shutdown breaks streams off after its grace, with an error, and settles them", async () => {
  await using at = await withStreamUnderWay();
  const stopped = at.service.running.stop({ graceMs: 20 });
  const { last, done } = await readEvents(at.response);
  assertEquals([done, last.choices, last.error !== undefined], [0, [], true]);
  assertGreater(Number(last.metadata?.billing?.charged), 0, "what was delivered is billed");
  await stopped;
});

/** One request over a connection that stays open; the answer's head and body. */
async function askHealth(connection: Deno.TcpConn, path = "/healthz"): Promise<string> {
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(65_536);
  const count = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, count ?? 0));
}
