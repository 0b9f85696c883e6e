/**
 * Bodies that together are more than the service may hold in memory.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";
import { completion, labConfig } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService, until } from "../fixtures/service.ts";

const MB = 1024 * 1024;
const CODES: Readonly<Record<number, string>> = {
  429: "rate_limit_exceeded",
  503: "no_model_available",
};

function bodyOf(bytes: number): string {
  const text = "a b ".repeat(bytes / 4);
  return JSON.stringify({
    model: "auto",
    max_completion_tokens: 16,
    messages: [{ role: "user", content: text }],
  });
}

async function startLab(
  upstream: FakeUpstream,
  limits: Record<string, number>,
): Promise<TestService> {
  const more = { contextTokens: 100_000_000 };
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl, more });
  return await TestService.start({ config: { ...config, limits } });
}

for (
  const [what, limits, status] of [
    ["its key's share", { bodyMegabytes: 64, bodyMegabytesPerKey: 4, queueMs: 0 }, 429],
    ["the total", { bodyMegabytes: 5, bodyMegabytesPerKey: 64, queueMs: 0 }, 503],
  ] as const
) {
  for (const form of ["with its length", "in chunks"]) {
    Deno.test(`a body ${form} beyond ${what} is ${status} while others are held`, async () => {
      await using upstream = new FakeUpstream();
      const gate = Promise.withResolvers<void>();
      upstream.answer([{ until: gate.promise }, ...json(completion())]);
      upstream.otherwise(json(completion()));
      await using service = await startLab(upstream, limits);
      const { bodies } = service.running.gateway;
      const other = status === 503 ? (await service.newKey()).key : BOOTSTRAP_KEY;
      const send = (key: string, bytes: number) => {
        const text = bodyOf(bytes);
        return fetch(`${service.running.publicUrl}/openai/v1/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
          body: form === "in chunks" ? new Blob([text]).stream() : text,
        });
      };
      const first = send(BOOTSTRAP_KEY, 3 * MB);
      await until(() => upstream.requests.length === 1, "the first call to be in flight");
      assert(bodies.bytes > 3 * MB);
      const refused = await send(other, 2 * MB);
      assertEquals([refused.status, (await refused.json()).error.code], [status, CODES[status]]);
      assertEquals(refused.headers.get("retry-after"), "1");
      // An ordinary request goes on.
      const short = await send(other, 4_000);
      assertEquals([short.status, (await short.json()).object], [200, "chat.completion"]);
      gate.resolve();
      await (await first).text();
      assertEquals(bodies.bytes, 0);
      const later = await send(BOOTSTRAP_KEY, 2 * MB);
      assertEquals((await later.json()).object, "chat.completion");
      assertEquals(bodies.bytes, 0);
    });
  }
}

Deno.test("a body waits for room, and a caller without a key takes none", async () => {
  await using upstream = new FakeUpstream();
  const gate = Promise.withResolvers<void>();
  upstream.answer([{ until: gate.promise }, ...json(completion())]);
  upstream.otherwise(json(completion()));
  const limits = { bodyMegabytes: 64, bodyMegabytesPerKey: 4, queueMs: 60_000 };
  await using service = await startLab(upstream, limits);
  const { bodies } = service.running.gateway;
  const path = `${service.running.publicUrl}/openai/v1/chat/completions`;
  const headers = { "content-type": "application/json", "x-api-key": BOOTSTRAP_KEY };
  const send = () => fetch(path, { method: "POST", headers, body: bodyOf(3 * MB) });
  const first = send();
  await until(() => upstream.requests.length === 1, "the first call to be in flight");
  const held = bodies.bytes;
  const unknown = { ...headers, "x-api-key": "nobody's" };
  const stranger = await fetch(path, { method: "POST", headers: unknown, body: bodyOf(MB) });
  assertEquals([stranger.status, (await stranger.text()) === ""], [401, false]);
  assertEquals(bodies.bytes, held);
  const second = send();
  gate.resolve();
  for (const answer of [first, second]) {
    assertEquals((await (await answer).json()).object, "chat.completion");
  }
  assertEquals(bodies.bytes, 0);
});

Deno.test("a response that is continued counts like a body", async () => {
  await using upstream = new FakeUpstream();
  upstream.otherwise(json(completion()));
  const limits = { bodyMegabytes: 64, bodyMegabytesPerKey: 3, queueMs: 0 };
  await using service = await startLab(upstream, limits);
  const ask = async (body: Record<string, unknown>) => {
    const response = await fetch(`${service.running.publicUrl}/openai/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": BOOTSTRAP_KEY },
      body: JSON.stringify({ model: "auto", max_output_tokens: 16, ...body }),
    });
    return { status: response.status, body: await response.json() };
  };
  const kept = await ask({ input: "a b ".repeat(MB / 2) });
  assertEquals([kept.status, kept.body.object], [200, "response"]);
  const { id } = kept.body;
  assertEquals((await ask({ previous_response_id: id, input: "On" })).status, 200);
  const long = await ask({ previous_response_id: id, input: "a b ".repeat(MB / 2) });
  assertEquals([long.status, long.body.error?.code], [413, "body_too_large"]);
  assertEquals(service.running.gateway.bodies.bytes, 0);
});
