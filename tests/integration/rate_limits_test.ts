/**
 * Rate limits of a key over HTTP: what the headers say with answers, streams and refusals, and that
 * every place and token comes back once, however a request ends.
 *
 * @module
 */

import { assert, assertEquals, assertGreater } from "@std/assert";
import type { KeyPolicy } from "../../gateway/domain/policy/policy.ts";
import { readUntil } from "../fixtures/event_stream.ts";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../fixtures/fake_upstream.ts";
import { chunkText, completion, labConfig, QUESTION, usage, usageChunk } from "../fixtures/lab.ts";
import { ManualClock, TestService, until } from "../fixtures/service.ts";

const event = (text: string) => chunk(`data: ${text}\n\n`);
const BEGINNING = [streamHead(), event(chunkText({ role: "assistant", content: "Hello " }))];
const END = [event(chunkText({}, "stop")), event(usageChunk(usage(10, 7))), event("[DONE]")];
const ASKED = { messages: QUESTION, max_completion_tokens: 100 };

/** On PostgreSQL rates go by the database's clock, which no test moves. */
const BY_OWN_CLOCK = { ignore: Deno.env.get("TEST_STORE") !== undefined };

async function lab(policy: KeyPolicy) {
  const upstream = new FakeUpstream();
  upstream.otherwise(json(completion({ usage: usage(10, 7) })));
  const clock = new ManualClock();
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  const service = await TestService.start({ config, clock });
  const { key } = await service.newKey({ policy });
  return {
    upstream,
    service,
    clock,
    ask: (more: Readonly<Record<string, unknown>> = {}, signal?: AbortSignal) =>
      service.chat({ ...ASKED, ...more }, { key, ...(signal === undefined ? {} : { signal }) }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Returns the headers of one unit: limit, remaining, reset. */
function limitHeaders({ headers }: Response, unit: string): (string | null)[] {
  return ["limit", "remaining", "reset"].map((what) => headers.get(`x-ratelimit-${what}-${unit}`));
}

async function readAll(response: Response): Promise<Response> {
  await response.text();
  return response;
}

Deno.test(
  "a JSON answer says what its real tokens have left; so does a refusal",
  BY_OWN_CLOCK,
  async () => {
    await using at = await lab({ requestsPerMinute: 3, tokensPerMinute: 1_000 });
    const first = await readAll(await at.ask());
    assertEquals(limitHeaders(first, "requests"), ["3", "2", "1m5s"]);
    assertEquals(limitHeaders(first, "tokens"), ["1000", "983", "1m5s"]);
    assertEquals(limitHeaders(first, "concurrent-requests"), [null, null, null]);
    at.clock.advance(20_000);
    const invalid = await readAll(await at.ask({ model: "some-model" }));
    assertEquals([invalid.status, ...limitHeaders(invalid, "requests")], [400, "3", "1", "1m5s"]);
    at.upstream.answer(json({ error: { message: "no" } }, { status: 400 }));
    const failed = await readAll(await at.ask());
    assertEquals([failed.status, ...limitHeaders(failed, "requests")], [400, "3", "0", "1m5s"]);
    assertEquals(
      limitHeaders(failed, "tokens"),
      ["1000", "983", "45s"],
      "what failed took no tokens",
    );
    const refused = await readAll(await at.ask());
    assertEquals([refused.status, refused.headers.get("retry-after")], [429, "45"]);
    assertEquals(limitHeaders(refused, "requests"), ["3", "0", "1m5s"]);
    at.clock.advance(44_000);
    const early = await readAll(await at.ask());
    assertEquals([early.status, early.headers.get("retry-after")], [429, "1"]);
    at.clock.advance(1_000);
    assertEquals((await readAll(await at.ask())).status, 200);
  },
);

Deno.test("a stream begins with its tokens set aside, and ends with those that it took", async () => {
  await using at = await lab({ tokensPerMinute: 1_000 });
  const gate = Promise.withResolvers<void>();
  at.upstream.answer([...BEGINNING, { until: gate.promise }, ...END, LAST_CHUNK]);
  const stream = await at.ask({ stream: true });
  const remaining = Number(limitHeaders(stream, "tokens")[1]);
  assert(remaining < 900, `${remaining} are left while 100 of output are asked for`);
  gate.resolve();
  await readAll(stream);
  await at.service.quiet();
  const next = await readAll(await at.ask());
  assertEquals(limitHeaders(next, "tokens")[1], "966");
});

Deno.test(
  "a request that is refused for its tokens waits for them, and not for a request it never made",
  BY_OWN_CLOCK,
  async () => {
    await using at = await lab({ tokensPerMinute: 200, requestsPerMinute: 2 });
    at.upstream.answer(json(completion({ usage: usage(10, 150) })));
    assertEquals((await readAll(await at.ask())).status, 200);
    const refused = await readAll(await at.ask());
    const waitMs = Number(refused.headers.get("retry-after")) * 1_000;
    assertEquals([refused.status, waitMs], [429, 65_000]);
    assertEquals(limitHeaders(refused, "requests")[1], "1");
    at.clock.advance(waitMs - 1_000);
    assertEquals((await readAll(await at.ask())).status, 429);
    at.clock.advance(1_000);
    assertEquals((await readAll(await at.ask())).status, 200);
  },
);

Deno.test("a request that can never fit into the limit is not asked to come back", async () => {
  await using at = await lab({ tokensPerMinute: 5 });
  const messages = [{ role: "user", content: "one word and another ".repeat(20) }];
  const { headers, status } = await readAll(await at.ask({ messages }));
  assertEquals([status, headers.get("retry-after"), headers.get("x-should-retry")], [
    429,
    null,
    "false",
  ]);
});

Deno.test("the places of streams that clients abandon come back, each once", async () => {
  await using at = await lab({ concurrentRequests: 2 });
  const { inFlight } = at.service.running.gateway;
  const begin = async () => {
    const leaving = new AbortController();
    at.upstream.answer([...BEGINNING, { stall: true }]);
    const stream = await at.ask({ stream: true }, leaving.signal);
    const reader = stream.body?.getReader();
    assert(reader !== undefined);
    await readUntil(reader, "Hello");
    const abandon = async () => {
      leaving.abort();
      await reader.closed.catch(() => {});
    };
    return { stream, abandon };
  };
  for (let round = 0; round < 5; round++) {
    const streams = [await begin(), await begin()];
    assertEquals(streams.map(({ stream }) => limitHeaders(stream, "concurrent-requests")[1]), [
      "1",
      "0",
    ]);
    const refused = await readAll(await at.ask());
    assertEquals([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    await streams[0]?.abandon();
    await until(() => inFlight.count === 1, "the place to come back");
    const third = await begin();
    assertEquals((await readAll(await at.ask())).status, 429, "one came back, not two");
    for (const { abandon } of [...streams, third]) await abandon();
    await at.service.quiet();
    const last = await readAll(await at.ask());
    assertEquals([last.status, ...limitHeaders(last, "concurrent-requests")], [
      200,
      "2",
      "2",
      null,
    ]);
  }
  assertGreater(at.upstream.requests.length, 10);
  await at.service.assertBooks();
});
