/**
 * A key that is revoked or narrowed begins nothing more, wherever its requests wait; what has begun
 * goes on to its end.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, streamed, usage } from "../fixtures/lab.ts";
import { type TestKey, TestService, until } from "../fixtures/service.ts";

const HELLO = { messages: [{ role: "user", content: "Hi" }], max_completion_tokens: 100 };

interface Lab extends AsyncDisposable {
  readonly upstream: FakeUpstream;
  readonly service: TestService;
}

async function lab(): Promise<Lab> {
  const upstream = new FakeUpstream();
  upstream.otherwise(json(completion({ usage: usage(10, 10) })));
  const service = await TestService.start({
    config: labConfig({ id: "small", baseUrl: upstream.baseUrl }),
  });
  return {
    upstream,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** A key more on the wallet of another. */
async function keyBeside({ service }: Lab, { wallet }: TestKey): Promise<TestKey> {
  const made = await service.admin("POST", "/keys", { name: "beside", wallet });
  return { id: String(made.id), key: String(made.key), wallet };
}

/** A request that waits until another one's hold on the same wallet ends. */
async function waiting(at: Lab) {
  // Enough for one hold of a hundred tokens, not for two of any size.
  const first = await at.service.newKey({ credits: "0.25" });
  const second = await keyBeside(at, first);
  const gate = Promise.withResolvers<void>();
  at.upstream.answer([{ until: gate.promise }, ...json(completion({ usage: usage(1, 1) }))]);
  const holding = at.service.chat(HELLO, { key: first.key });
  await until(() => at.upstream.requests.length === 1, "the first request to reach its upstream");
  const kept = at.service.chat(HELLO, { key: second.key });
  const { gateway } = at.service.running;
  await until(() => gateway.inFlight.count >= 1, "a request to be in flight");
  // What waits for a hold shows nowhere: it has been let in when its key's use is noted.
  await until(
    async () => (await at.service.admin("GET", `/keys/${second.id}`)).lastUsedAt !== null,
    "the second request to be let in",
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    second,
    kept,
    async release() {
      gate.resolve();
      await (await holding).body?.cancel();
    },
  };
}

Deno.test("a request that waits for a hold is refused when its key is revoked", async () => {
  await using at = await lab();
  const { second, kept, release } = await waiting(at);
  await at.service.admin("POST", `/keys/${second.id}/revoke`);
  await release();
  const response = await kept;
  assertEquals([response.status, (await response.json()).error.code], [401, "invalid_api_key"]);
  assertEquals(at.upstream.requests.length, 1);
  await at.service.assertBooks();
});

Deno.test("a request that waits for a hold is refused when its key is narrowed", async () => {
  await using at = await lab();
  const { second, kept, release } = await waiting(at);
  await at.service.admin("POST", `/keys/${second.id}/narrow`, { policy: { models: [] } });
  await release();
  const response = await kept;
  const { error } = await response.json();
  assertEquals([response.status, error.code], [409, "conflict"]);
  assertStringIncludes(error.message, "policy was changed");
  assertEquals(at.upstream.requests.length, 1);
  await at.service.assertBooks();
});

Deno.test("a request that waits is answered where nothing happens to its key", async () => {
  await using at = await lab();
  const { kept, release } = await waiting(at);
  await release();
  const response = await kept;
  assertEquals(response.status, 200);
  await response.body?.cancel();
  assertEquals(at.upstream.requests.length, 2);
});

Deno.test("a body that comes slowly does not outlive its key", async () => {
  await using at = await lab();
  const { id, key } = await at.service.newKey();
  const body = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const sending = fetch(`${at.service.openaiUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body.readable,
  });
  const writer = body.writable.getWriter();
  const text = new TextEncoder().encode(JSON.stringify({ model: "auto", ...HELLO }));
  await writer.write(text.slice(0, 10));
  await until(
    async () => (await at.service.admin("GET", `/keys/${id}`)).lastUsedAt !== null,
    "the request to be let in",
  );
  await at.service.admin("POST", `/keys/${id}/revoke`);
  await writer.write(text.slice(10));
  await writer.close();
  const response = await sending;
  assertEquals([response.status, (await response.json()).error.code], [401, "invalid_api_key"]);
  assertEquals(at.upstream.requests.length, 0);
  await at.service.assertBooks();
});

Deno.test("a stream in flight continues to its end when its key is revoked", async () => {
  await using at = await lab();
  const { id, key } = await at.service.newKey();
  const gate = Promise.withResolvers<void>();
  const event = (text: string) => chunk(`data: ${text}\n\n`);
  const [role = "", first = "", last = "", ...rest] = streamed(["first ", "last"], usage(5, 5));
  at.upstream.answer([
    streamHead(),
    ...[role, first].map(event),
    { until: gate.promise },
    ...[last, ...rest, "[DONE]"].map(event),
    LAST_CHUNK,
  ]);
  const response = await at.service.chat({ ...HELLO, stream: true }, { key });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert(reader !== undefined);
  let seen = "";
  while (!seen.includes("first ")) seen += (await reader.read()).value ?? "";
  await at.service.admin("POST", `/keys/${id}/revoke`);
  const refused = await at.service.chat(HELLO, { key });
  assertEquals(refused.status, 401);
  await refused.body?.cancel();
  gate.resolve();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    seen += piece.value;
  }
  assertStringIncludes(seen, "last");
  assertStringIncludes(seen, "[DONE]");
  await at.service.assertBooks();
});

Deno.test("the first request after a change finds the current key, in use or not", async () => {
  await using at = await lab();
  const status = async (key: string) => {
    const response = await at.service.chat(HELLO, { key });
    await response.body?.cancel();
    return response.status;
  };
  for (const inUse of [true, false]) {
    const { id, key } = await at.service.newKey();
    const change = (verb: string, body?: unknown) =>
      at.service.admin("POST", `/keys/${id}/${verb}`, body);
    if (inUse) assertEquals(await status(key), 200);
    await change("disable");
    assertEquals(await status(key), 401);
    await change("enable");
    assertEquals(await status(key), 200);
    await change("narrow", { policy: { models: [] } });
    assertEquals(await status(key), 403);
    await change("revoke");
    assertEquals(await status(key), 401);
  }
});
