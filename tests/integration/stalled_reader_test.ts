/**
 * A caller that asks for a long stream and then does not read it.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { defaultTiers } from "../../gateway/config/default_tiers.ts";
import { STALLED_READER_MS } from "../../gateway/flows/stream/answer_stream.ts";
import { systemClock } from "../../gateway/system/clock.ts";
import { BOOTSTRAP_KEY, TestService, until } from "../fixtures/service.ts";

/** A simulator that gives longer answers than the buffers on the way hold. */
const CONFIG = {
  upstreams: [{ id: "sim", kind: "simulator" }],
  models: [{
    id: "talkative",
    upstream: "sim",
    upstreamModel: "sim-small",
    quality: 0.5,
    contextTokens: 20_000_000,
    maxOutputTokens: 10_000_000,
    price: { inputPerMTok: "0.10", outputPerMTok: "0.40", currency: "USD" },
  }],
  tiers: defaultTiers([{ id: "talkative", quality: 0.5 }]),
};

/** Asks for a stream larger than every buffer on the way, and reads its head only. */
async function askAndStall(service: TestService): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(service.running.publicUrl);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const body = JSON.stringify({
    model: "auto",
    stream: true,
    messages: [{ role: "user", content: "Go on" }],
    simulate: { repeat: 100_000 },
  });
  const head = [
    "POST /openai/v1/chat/completions HTTP/1.1",
    `Host: ${hostname}`,
    `Authorization: Bearer ${BOOTSTRAP_KEY}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`));
  const buffer = new Uint8Array(64);
  const read = await connection.read(buffer);
  assertStringIncludes(new TextDecoder().decode(buffer.subarray(0, read ?? 0)), "200 OK");
  return connection;
}

async function endsBilled(service: TestService, wait: () => void = () => {}): Promise<void> {
  const { gateway, stores } = service.running;
  await until(() => {
    wait();
    return gateway.inFlight.count === 0;
  }, "the stream to end");
  assertEquals(await stores.ledger.openHolds(), []);
  assert((await service.wallet()).spent > 0n);
}

Deno.test("a shutdown does not wait for a reader that does not read", async () => {
  const service = await TestService.start({ config: CONFIG });
  const connection = await askAndStall(service);
  const { gateway } = service.running;
  await until(() => gateway.inFlight.count === 1, "the stream to begin");
  gateway.inFlight.abortAll();
  await endsBilled(service);
  connection.close();
  await service[Symbol.asyncDispose]();
});

Deno.test("a reader that has stalled counts as gone, and what it was sent is billed", async () => {
  let aheadMs = 0;
  const clock = {
    nowMs: () => systemClock.nowMs(),
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  };
  await using service = await TestService.start({ config: CONFIG, clock });
  const connection = await askAndStall(service);
  await until(() => service.running.gateway.inFlight.count === 1, "the stream to begin");
  // The buffers on the way fill up first: only then does time stand against the reader.
  await endsBilled(service, () => aheadMs += STALLED_READER_MS / 10);
  assertEquals((await service.lastRequest()).outcome, "client_left");
  connection.close();
});
