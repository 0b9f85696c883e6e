/**
 * Embeddings through the whole service, with OpenAI's own client and the simulator.
 *
 * @module
 */

import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import OpenAI from "openai";
import { embeddingsAnswerSchema } from "../../../gateway/http/schemas/embeddings.ts";
import { TestService } from "../../fixtures/service.ts";
import { createEmbeddings, dot, embeddingsOf } from "./lab.ts";

Deno.test("OpenAI's client embeds texts, near where they are alike, and each call is billed", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const { data, model, usage } = await client.embeddings.create({
    model: "auto",
    input: [
      "The cat sleeps on the warm sofa",
      "A cat is sleeping on a sofa",
      "Interest rates rose by two percent",
    ],
  });
  assertEquals([model, data.length, usage.total_tokens], ["svc/sim-embed", 3, usage.prompt_tokens]);
  const [one = [], alike = [], other = []] = data.map(({ embedding }) => embedding);
  assertEquals(one.length, 512);
  assertAlmostEquals(dot(one, one), 1, 1e-4);
  assert(dot(one, alike) > dot(one, other) + 0.2, `${dot(one, alike)} ${dot(one, other)}`);
  // 20 micro-dollars a thousand tokens, 1 000 credits a dollar.
  assertEquals((await service.wallet()).spent, BigInt(usage.prompt_tokens) * 20n);
  await service.assertBooks();
});

Deno.test("both encodings carry the same vectors, and any form of input is embedded", async () => {
  await using service = await TestService.start();
  const [floats = []] = await embeddingsOf(service, { input: "A lighthouse" });
  const { body } = await createEmbeddings(service, {
    ...{ input: "A lighthouse", encoding_format: "base64" },
  });
  const { data: [coded] } = embeddingsAnswerSchema.parse(body);
  const bytes = Uint8Array.fromBase64(String(coded?.embedding));
  assertEquals(bytes.length, 4 * 512);
  const decoded = [...new Float32Array(bytes.buffer)];
  for (const [at, value] of decoded.entries()) assertAlmostEquals(value, floats[at] ?? 2, 1e-7);
  const same = await embeddingsOf(service, { input: ["A lighthouse", "x", "A lighthouse"] });
  assertEquals([same[0], same[2]], [floats, floats]);
  const ids = await embeddingsOf(service, { input: [1, 2, 3] });
  const lists = await embeddingsOf(service, { input: [[1, 2, 3], [4]] });
  assertEquals([ids.length, lists.length, lists[0]], [1, 2, ids[0]]);
});

Deno.test("the model and the length of the first call stay, and another length is refused", async () => {
  await using service = await TestService.start();
  const { key, id } = await service.newKey();
  const before = await service.admin("GET", `/keys/${id}`);
  assertEquals(before.embeddings, null);
  const first = await embeddingsOf(service, { input: "x", dimensions: 64 }, key);
  const again = await embeddingsOf(service, { input: "x" }, key);
  assertEquals([first[0]?.length, again], [64, first]);
  const { embeddings } = Object(await service.admin("GET", `/keys/${id}`));
  const { since, ...pin } = embeddings;
  assert(Date.parse(since) > 0);
  assertEquals(pin, { model: "svc/sim-embed", dimensions: 64, source: "first_call" });
  const { status, body } = await createEmbeddings(service, { input: "x", dimensions: 128 }, key);
  assertEquals([status, body.error.code, body.error.param], [400, "invalid_request", "dimensions"]);
});

Deno.test("the holder of a key sees its embedding model", async () => {
  await using service = await TestService.start();
  const { key } = await service.newKey();
  const own = async () => {
    const response = await fetch(`${service.running.publicUrl}/api/v1/key`, {
      headers: { "x-api-key": key },
    });
    return (await response.json()).embeddings;
  };
  assertEquals(await own(), null);
  await embeddingsOf(service, { input: "x", dimensions: 64 }, key);
  const { since, ...pin } = await own();
  assertEquals(pin, { model: "svc/sim-embed", dimensions: 64, source: "first_call" });
  assert(Date.parse(since) > 0);
});

Deno.test("a copy of a key keeps its embedding model", async () => {
  await using service = await TestService.start();
  const { key, id } = await service.newKey();
  await embeddingsOf(service, { input: "x", dimensions: 32 }, key);
  const copy = await service.admin("POST", `/keys/${id}/rotate`, { name: "copy" });
  const [vector] = await embeddingsOf(service, { input: "x" }, String(copy.key));
  assertEquals(vector?.length, 32);
});

Deno.test("requests that cannot be served are refused before any charge", async () => {
  await using service = await TestService.start();
  const cases: readonly (readonly [Record<string, unknown>, string, string | null])[] = [
    [{ model: "text-embedding-3-small", input: "x" }, "model_not_allowed", "model"],
    [{}, "invalid_request", "input"],
    [{ input: "" }, "invalid_request", "input"],
    [{ input: [] }, "invalid_request", "input"],
    [{ input: ["x", ""] }, "invalid_request", "input.1"],
    [{ input: ["x", 1] }, "invalid_request", "input.1"],
    [{ input: [1, "x"] }, "invalid_request", "input.1"],
    [{ input: [1, -1] }, "invalid_request", "input.1"],
    [{ input: [[1], []] }, "invalid_request", "input.1"],
    [{ input: [[1], [1.5]] }, "invalid_request", "input.1.0"],
    [{ input: { text: "x" } }, "invalid_request", "input"],
    [{ input: Array(2_049).fill("x") }, "invalid_request", "input"],
    [{ input: Array(50).fill(Array(6_001).fill(7)) }, "invalid_request", "input"],
    [{ input: Array(9_000).fill(7) }, "context_length_exceeded", "input"],
    [{ input: "x", encoding_format: "int8" }, "invalid_request", "encoding_format"],
    [{ input: "x", dimensions: 0 }, "invalid_request", "dimensions"],
    [{ input: "x", dimensions: 2_000 }, "invalid_request", "dimensions"],
  ];
  for (const [request, code, param] of cases) {
    const { status, body } = await createEmbeddings(service, request);
    const name = JSON.stringify(request).slice(0, 80);
    assertEquals([status, body.error.code, body.error.param], [400, code, param], name);
  }
  assertEquals((await service.wallet()).spent, 0n);
  await service.assertBooks();
});

Deno.test("limits of the key hold for embeddings", async () => {
  await using service = await TestService.start();
  const chatOnly = await service.newKey({ policy: { endpoints: ["chat"] } });
  const denied = await createEmbeddings(service, { input: "x" }, chatOnly.key);
  assertEquals([denied.status, denied.body.error.code], [403, "policy_denied"]);
  const others = await service.newKey({ policy: { models: ["svc/sim-small"] } });
  const noModel = await createEmbeddings(service, { input: "x" }, others.key);
  assertEquals([noModel.status, noModel.body.error.code], [403, "policy_denied"]);
  const slow = await service.newKey({ policy: { requestsPerMinute: 1 } });
  await embeddingsOf(service, { input: "x" }, slow.key);
  const late = await createEmbeddings(service, { input: "x" }, slow.key);
  assertEquals([late.status, late.body.error.code], [429, "rate_limit_exceeded"]);
  const poor = await service.newKey({ policy: { maxChargePerRequest: "0.000001" } });
  const capped = await createEmbeddings(service, { input: "a long text ".repeat(50) }, poor.key);
  assertEquals([capped.status, capped.body.error.code], [403, "policy_denied"]);
  const { rows } = await createRow(service);
  assertEquals(rows, ["embeddings"]);
  await service.assertBooks();
});

async function createRow(service: TestService): Promise<{ rows: readonly string[] }> {
  const { key } = await service.newKey();
  await embeddingsOf(service, { input: "x" }, key);
  return { rows: [(await service.lastRequest()).endpoint] };
}

Deno.test("input without reported usage is counted, and impossible usage is not charged", async () => {
  await using service = await TestService.start();
  const none = await createEmbeddings(service, {
    ...{ input: "ten words of text", simulate: { noUsage: true } },
  });
  const { billing } = none.body.metadata;
  assertEquals([none.status, billing.estimated], [200, true]);
  assert(billing.input_tokens > 2 && billing.input_tokens < 8);
  const ids = await createEmbeddings(service, {
    ...{ input: [5, 6, 7], simulate: { noUsage: true } },
  });
  assertEquals(ids.body.usage, { prompt_tokens: 3, total_tokens: 3 });
  const absurd = await createEmbeddings(service, {
    ...{ input: "x", simulate: { usage: { prompt_tokens: 1e9 } } },
  });
  assertEquals([absurd.status, absurd.body.metadata.billing.estimated], [200, true]);
  assert(absurd.body.usage.prompt_tokens < 10);
  await service.assertBooks();
});

Deno.test("OpenAI's client reads a refusal as its own error", async () => {
  await using service = await TestService.start();
  const client = service.client();
  await assertRejects(
    () => client.embeddings.create({ model: "auto", input: [] }),
    OpenAI.BadRequestError,
  );
});
