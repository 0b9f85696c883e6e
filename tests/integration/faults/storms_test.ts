/**
 * Upstreams that fail again and again, that send elsewhere, or that are not there: how often they are
 * asked, who is asked in their place, and what is left of it all.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../../fixtures/fake_upstream.ts";
import type { Script } from "../../fixtures/fake_upstream.ts";
import { collectGarbage } from "../../fixtures/garbage.ts";
import { labConfig, type LabModel, QUESTION } from "../../fixtures/lab.ts";
import { CHAT, type Said } from "../../fixtures/answered_text.ts";
import { ManualClock, TestService, until } from "../../fixtures/service.ts";
import { systemClock } from "../../../gateway/system/clock.ts";
import { freePort } from "../../fixtures/free_port.ts";

/** Most upstream calls for one request, as the documentation has it. */
const ATTEMPTS = 4;
const SAID: Said = { pieces: ["Hello"], usage: { input: 10, output: 5 } };
const CHARGE = 20_000n;

function fine(stream: boolean): Script {
  if (!stream) return json(CHAT.whole(SAID));
  return [streamHead(), ...[...CHAT.begun(SAID), ...CHAT.ended(SAID)].map(chunk), LAST_CHUNK];
}

function failing(status: number, headers: Readonly<Record<string, string>> = {}): Script {
  return json({ error: { message: "Not now" } }, { status, headers });
}

interface Fleet extends AsyncDisposable {
  readonly service: TestService;
  /** The better ones first. */
  readonly upstreams: readonly FakeUpstream[];
}

/** A service before so many upstreams with a model each. */
async function fleet(
  count: number,
  options: { clock?: ManualClock; upstream?: LabModel["upstream"] } = {},
): Promise<Fleet> {
  const { upstream = {} } = options;
  const upstreams = Array.from({ length: count }, () => new FakeUpstream());
  // By the clock of the best of them, the others are never late.
  const clock = options.clock ?? upstreams[0]?.clock;
  const models = upstreams.map(({ baseUrl }, at): LabModel => ({
    id: `m${at}`,
    baseUrl,
    quality: 0.95 - at * 0.1,
    upstream,
  }));
  const service = await TestService.start({
    config: labConfig(...models),
    ...clock === undefined ? {} : { clock },
  });
  return {
    service,
    upstreams,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      for (const each of upstreams) await each[Symbol.asyncDispose]();
    },
  };
}

function requestCount({ upstreams }: Fleet): number {
  return upstreams.reduce((sum, { requests }) => sum + requests.length, 0);
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "as one body";

  Deno.test(`a storm of 500: one request makes ${ATTEMPTS} attempts, each elsewhere, ${how}`, async () => {
    await using lab = await fleet(6);
    for (const upstream of lab.upstreams) upstream.otherwise(failing(500));
    const response = await lab.service.chat({ messages: QUESTION, stream });
    const { error, metadata } = await response.json();
    assertEquals([response.status, error.code], [502, "upstream_error"]);
    assertEquals(metadata.routing.attempts.length, ATTEMPTS);
    assertEquals(lab.upstreams.map(({ requests }) => requests.length <= 1), Array(6).fill(true));
    assertEquals(requestCount(lab), ATTEMPTS);
    assertEquals((await lab.service.wallet()).spent, 0n);
    await lab.service.assertBooks();
  });

  Deno.test(`a storm of 429: the upstream is not called before its Retry-After, ${how}`, async () => {
    const clock = new ManualClock();
    await using lab = await fleet(2, { clock });
    const [first, second] = lab.upstreams;
    first?.otherwise(failing(429, { "retry-after": "40" }));
    second?.otherwise(failing(429, { "retry-after": "7" }));
    const limited = await lab.service.chat({ messages: QUESTION, stream });
    assertEquals([limited.status, limited.headers.get("retry-after")], [429, "7"]);
    await limited.body?.cancel();
    for (let call = 0; call < 20; call++) {
      const refused = await lab.service.chat({ messages: QUESTION, stream });
      const { error } = await refused.json();
      assert(Number(refused.headers.get("retry-after")) > 0);
      assert(["no_model_available", "rate_limit_exceeded"].includes(error.code), error.code);
    }
    assertEquals(requestCount(lab), 2, "nobody is asked while it cools down");
    second?.otherwise(fine(stream));
    clock.advance(8_000);
    const answered = await lab.service.chat({ messages: QUESTION, stream });
    assertEquals(answered.status, 200, await answered.text());
    assertEquals([first?.requests.length, second?.requests.length], [1, 2]);
    assertEquals((await lab.service.wallet()).spent, CHARGE);
    await lab.service.assertBooks();
  });

  Deno.test(`a storm under load: a broken upstream is left, a healthy one answers all, ${how}`, async () => {
    await using lab = await fleet(2, { clock: new ManualClock() });
    const [broken, healthy] = lab.upstreams;
    broken?.otherwise(failing(503));
    healthy?.otherwise(fine(stream));
    const calls = 60;
    for (let call = 0; call < calls; call++) {
      // Each is a conversation of its own: a later turn would stay with who answered the first.
      const messages = [{ role: "user", content: `Question ${call}` }];
      const response = await lab.service.chat({ messages, stream });
      assertEquals(response.status, 200, await response.text());
    }
    assertEquals(healthy?.requests.length, calls);
    // Three failures in a row open the breaker.
    assertEquals(broken?.requests.length, 3);
    await lab.service.quiet();
    assertEquals((await lab.service.wallet()).spent, BigInt(calls) * CHARGE);
    await lab.service.assertBooks();
  });

  Deno.test(`every fault before the first byte goes to the next one, which is paid, ${how}`, async () => {
    const faults: readonly Script[] = [
      [{ reset: true }],
      [{ close: true }],
      [{ stall: true }],
      [streamHead(), { close: true }],
      [streamHead(), chunk(": nothing yet\n\n"), { stall: true }],
      [streamHead(), chunk('data: {"choices":[{"index":0,"del'), { close: true }],
      [streamHead(), chunk('data: {"error":{"message":"No"}}\n\n'), LAST_CHUNK],
      json({ error: { message: "No" } }),
      failing(401),
      failing(429),
    ];
    for (const fault of faults) {
      const timeouts = { firstByteMs: 200, idleMs: 200 };
      await using lab = await fleet(2, { upstream: { timeouts } });
      lab.upstreams[0]?.answer(fault);
      lab.upstreams[1]?.otherwise(fine(stream));
      const response = await lab.service.chat({ messages: QUESTION, stream });
      const text = await response.text();
      assertEquals([response.status, requestCount(lab)], [200, 2], text);
      assert(text.includes('"charged":"0.020000"'), text);
      await lab.service.quiet();
      assertEquals((await lab.service.wallet()).spent, CHARGE);
      await lab.service.assertBooks();
    }
  });
}

Deno.test("a refused connection fails over to the next upstream; without one it is 502", async () => {
  const gone = `http://127.0.0.1:${freePort()}/v1`;
  await using upstream = new FakeUpstream();
  upstream.otherwise(fine(false));
  const absent = { id: "absent", baseUrl: gone, quality: 0.9 };
  const present = { id: "present", baseUrl: upstream.baseUrl, quality: 0.1 };
  for (const models of [[absent], [absent, present]]) {
    await using service = await TestService.start({ config: labConfig(...models) });
    const response = await service.chat({ messages: QUESTION });
    await response.body?.cancel();
    assertEquals(response.status, models.length === 1 ? 502 : 200);
    await service.assertBooks();
  }
});

for (const status of [301, 302, 303, 307, 308]) {
  Deno.test(`a redirect (${status}) to a private address is not followed`, async () => {
    await using trap = new FakeUpstream();
    await using upstream = new FakeUpstream();
    const { port } = trap;
    for (const location of [`http://127.0.0.1:${port}/v1/chat/completions`, `//[::1]:${port}/`]) {
      for (const kind of ["openai-compatible", "anthropic", "openai"]) {
        upstream.answer(json({}, { status, headers: { location } }));
        const config = labConfig({ id: "only", baseUrl: upstream.baseUrl, upstream: { kind } });
        await using service = await TestService.start({ config });
        const response = await service.chat({ messages: QUESTION });
        assertEquals(response.status, 502, await response.text());
        assertEquals((await service.wallet()).spent, 0n);
        await service.assertBooks();
      }
    }
    assertEquals(trap.connections, 0);
  });
}

Deno.test("an unrequested response is not taken for the next request's response", async () => {
  await using upstream = new FakeUpstream();
  const poison = JSON.stringify(CHAT.whole({ ...SAID, pieces: ["Poison"] }));
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" +
    `content-length: ${poison.length}\r\n\r\n`;
  upstream.otherwise([...fine(false), { send: head + poison }]);
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  await using service = await TestService.start({ config });
  for (let call = 0; call < 20; call++) {
    const text = await (await service.chat({ messages: QUESTION })).text();
    assert(!text.includes("Poison"), text);
  }
  await service.assertBooks();
});

/** `FAULT_ROUNDS=200` is the long run: it takes a minute or two. */
const ROUNDS = Number(Deno.env.get("FAULT_ROUNDS") ?? 12);
/** More than the longest event. */
const GIGANTIC_PIECES = 17;
/** Growth that is not explained by what the platform keeps for itself, in bytes. */
const GROWTH_BYTES = 24 * 1024 * 1024;

Deno.test(`memory and sockets are where they were after ${ROUNDS} gigantic frames`, async () => {
  await using upstream = new FakeUpstream();
  const piece = chunk("g".repeat(1024 * 1024));
  upstream.otherwise([
    streamHead(),
    ...CHAT.begun(SAID).map(chunk),
    chunk("data: "),
    ...Array.from({ length: GIGANTIC_PIECES }, () => piece),
    { stall: true },
  ]);
  let aheadMs = 0;
  // An hour between two calls: what failed the last time is asked again.
  const clock = {
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs(),
  };
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  await using service = await TestService.start({ config, clock });
  const round = async () => {
    aheadMs += 3_600_000;
    const response = await service.chat({ messages: QUESTION, stream: true });
    const text = await response.text();
    assertEquals(response.status, 200, text);
    assert(text.includes('"upstream_error"') && !text.includes("[DONE]"), text);
    await until(() => upstream.open === 0, "the connection to be closed");
  };
  // The first rounds load what every later one uses.
  for (let warm = 0; warm < 4; warm++) await round();
  const before = await usedBytes();
  for (let at = 0; at < ROUNDS; at++) await round();
  const grown = await usedBytes() - before;
  assertLess(grown, GROWTH_BYTES);
  assertGreater(upstream.requests.length, ROUNDS);
  if (ROUNDS > 12) console.info(`${ROUNDS} gigantic frames: heap grew by ${grown} bytes`);
  await service.assertBooks();
});

async function usedBytes(): Promise<number> {
  await collectGarbage();
  const { external, heapUsed } = Deno.memoryUsage();
  return external + heapUsed;
}
