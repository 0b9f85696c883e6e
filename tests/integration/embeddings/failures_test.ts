/**
 * Embeddings where something fails or changes: no other model ever answers, and nothing that did not
 * arrive is charged.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FakeUpstream, json, type Script } from "../../fixtures/fake_upstream.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { TestService } from "../../fixtures/service.ts";
import { createEmbeddings, embeddingsOf } from "./lab.ts";

const EMBEDS = { endpoints: ["embeddings"], maxOutputTokens: undefined };

/** An answer with vectors of a length. */
function vectors(count: number, length: number, tokens = 7): Script {
  const embedding = Array.from({ length }, (_, at) => at === 0 ? 1 : 0);
  const data = Array.from({ length: count }, (_, index) => ({ index, embedding }));
  return json({ object: "list", data, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}

/** A service with two embedding models, of which `good` is the better one. */
async function studio(featureTags: readonly string[] = ["dimensions", "token_ids"]) {
  const good = new FakeUpstream();
  const other = new FakeUpstream();
  other.otherwise(vectors(1, 4));
  const more = { more: EMBEDS, featureTags };
  const config = labConfig(
    { id: "good", baseUrl: good.baseUrl, quality: 0.9, ...more },
    { id: "other", baseUrl: other.baseUrl, quality: 0.1, ...more },
  );
  const service = await TestService.start({ config });
  return {
    ...{ good, other, service },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await good[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a failed call is repeated at the same model once, and charged once", async () => {
  await using at = await studio();
  at.good.answer(json({ error: { message: "oops" } }, { status: 500 }), vectors(1, 4));
  const { status, body } = await createEmbeddings(at.service, { input: "x" });
  assertEquals([status, body.model, at.good.requests.length], [200, "good", 2]);
  const { attempts } = body.metadata.routing;
  assertEquals(attempts.map(({ outcome }: { outcome: string }) => outcome), ["server_error", "ok"]);
  assertEquals((await at.service.wallet()).spent, 7_000n);
  assertEquals(at.other.requests.length, 0);
  await at.service.assertBooks();
});

Deno.test("an upstream that is down is a typed error: nothing is pinned or charged, and no other model asked", async () => {
  await using at = await studio();
  at.good.otherwise(json({ error: { message: "down" } }, { status: 503 }));
  const { key, id, wallet } = await at.service.newKey();
  const { status, body } = await createEmbeddings(at.service, { input: "x" }, key);
  assertEquals([status, body.error.code], [502, "upstream_error"]);
  assertStringIncludes(body.error.message, '"good"');
  assertEquals(at.other.requests.length, 0);
  assertEquals((await at.service.wallet(wallet)).spent, 0n);
  assertEquals((await at.service.admin("GET", `/keys/${id}`)).embeddings, null);
  // The breaker opens: still no other model.
  for (let calls = 0; calls < 3; calls++) await createEmbeddings(at.service, { input: "x" }, key);
  const cooling = await createEmbeddings(at.service, { input: "x" }, key);
  assertEquals([cooling.status, cooling.body.error.code], [503, "no_model_available"]);
  assert(Number(cooling.headers.get("retry-after")) > 0);
  assertEquals(at.other.requests.length, 0);
  await at.service.assertBooks();
});

Deno.test("a provider's rate limit is passed on, and not tried again", async () => {
  await using at = await studio();
  const headers = { "retry-after": "7" };
  at.good.answer(json({ error: { message: "slow" } }, { status: 429, headers }));
  const { status, body, headers: sent } = await createEmbeddings(at.service, { input: "x" });
  assertEquals([status, body.error.code, sent.get("retry-after")], [
    ...[429, "rate_limit_exceeded", "7"],
  ]);
  assertEquals([at.good.requests.length, at.other.requests.length], [1, 0]);
});

Deno.test("an answer with other vectors than asked for is no answer", async () => {
  await using at = await studio();
  const { key, wallet } = await at.service.newKey();
  at.good.answer(vectors(1, 4));
  await embeddingsOf(at.service, { input: "x" }, key);
  const broken: readonly Script[] = [
    vectors(1, 5),
    vectors(2, 4),
    json({ data: [{ index: 0, embedding: [1, 2, 3, "x"] }] }),
    json({ data: [{ index: 3, embedding: [1, 0, 0, 0] }] }),
    json({ data: [{ index: 0, embedding: "AAA" }] }),
  ];
  for (const script of broken) {
    at.good.answer(script, vectors(1, 4));
    const { status, body } = await createEmbeddings(at.service, { input: "x" }, key);
    assertEquals([status, body.metadata.routing.attempts.length], [200, 2]);
  }
  assertEquals((await at.service.wallet(wallet)).spent, 6n * 7_000n);
  await at.service.assertBooks();
});

Deno.test("a model that is gone leaves its keys a typed error until the operator pins another", async () => {
  await using at = await studio();
  const { key, id } = await at.service.newKey();
  at.good.answer(vectors(1, 4));
  await embeddingsOf(at.service, { input: "x" }, key);
  const { catalogs } = at.service.running.stores;
  const { version, updatedAtMs: _, ...content } = catalogs.current();
  const models = content.models.filter((model) => model.id !== "good");
  await catalogs.apply({ ...content, models }, { expected: version, note: "", atMs: Date.now() });
  const { status, body, headers } = await createEmbeddings(at.service, { input: "x" }, key);
  assertEquals([status, body.error.code], [410, "embedding_model_gone"]);
  assertEquals([headers.get("retry-after"), at.other.requests.length], [null, 0]);
  await at.service.admin("POST", `/keys/${id}/embedding-model`, { model: "other" });
  const pinned = await createEmbeddings(at.service, { input: "x" }, key);
  assertEquals([pinned.status, pinned.body.model], [200, "other"]);
  const { embeddings } = Object(await at.service.admin("GET", `/keys/${id}`));
  assertEquals([embeddings.model, embeddings.dimensions, embeddings.source], [
    ...["other", 4, "operator"],
  ]);
});

Deno.test("another model under the pinned id leaves its keys a typed error until the operator pins it again", async () => {
  await using at = await studio();
  const fixed = { policy: { embeddings: { model: "good" } } };
  const keys = [await at.service.newKey(), await at.service.newKey(fixed)];
  const callAll = async () => {
    for (const { key } of keys) {
      at.good.answer(vectors(1, 4));
      await embeddingsOf(at.service, { input: "x" }, key);
    }
  };
  await callAll();
  const { catalogs } = at.service.running.stores;
  const { version, updatedAtMs: _, ...content } = catalogs.current();
  const models = content.models.map((model) =>
    model.id === "good" ? { ...model, upstreamModel: "good-2" } : model
  );
  await catalogs.apply({ ...content, models }, { expected: version, note: "", atMs: Date.now() });
  const requests = at.good.requests.length;
  for (const { key, id } of keys) {
    const { status, body } = await createEmbeddings(at.service, { input: "x" }, key);
    assertEquals([status, body.error.code], [410, "embedding_model_gone"]);
    assertStringIncludes(body.error.message, "another model at its provider");
    await at.service.admin("POST", `/keys/${id}/embedding-model`, { model: "good" });
  }
  assertEquals(at.good.requests.length, requests);
  await callAll();
  assertEquals(at.good.requests.length, requests + 2);
  await at.service.assertBooks();
});

Deno.test("an operator resets the model of a key, and only models with the endpoint are pinned", async () => {
  await using at = await studio();
  const { key, id } = await at.service.newKey();
  const path = `/keys/${id}/embedding-model`;
  await at.service.admin("POST", path, { model: "other", dimensions: 4 });
  await embeddingsOf(at.service, { input: "x" }, key);
  assertEquals(JSON.parse(at.other.last.text).dimensions, 4);
  assertEquals(Object(await at.service.admin("DELETE", path)).embeddings, null);
  at.good.answer(vectors(1, 4));
  assertEquals((await createEmbeddings(at.service, { input: "x" }, key)).body.model, "good");
  const { running } = at.service;
  const refused = await fetch(`${running.adminUrl}/admin/v1${path}`, {
    method: "POST",
    headers: { authorization: "Bearer svc_test_admin_token", "content-type": "application/json" },
    body: JSON.stringify({ model: "none" }),
  });
  assertEquals([refused.status, (await refused.json()).error.param], [400, "model"]);
  const trail = await running.stores.trailStore.page({ limit: 10, subject: `/keys/${id}` });
  const actions = trail.entries.map(({ action, stage }) => `${action} ${stage}`);
  assert(actions.includes("setKeyEmbeddingModel done"), actions.join());
  assert(actions.includes("resetKeyEmbeddingModel done"), actions.join());
});

Deno.test("a policy pins the model, and a narrower one cannot change it", async () => {
  await using at = await studio();
  const { key, id } = await at.service.newKey({
    policy: { embeddings: { model: "other", dimensions: 4 } },
  });
  const { body } = await createEmbeddings(at.service, { input: "x" }, key);
  assertEquals([body.model, JSON.parse(at.other.last.text).dimensions], ["other", 4]);
  const { embeddings } = Object(await at.service.admin("GET", `/keys/${id}`));
  assertEquals([embeddings.model, embeddings.source], ["other", "policy"]);
  for (
    const [method, path, sent] of [
      ["POST", "narrow", { policy: { embeddings: { model: "good" } } }],
      ["POST", "embedding-model", { model: "good" }],
      ["DELETE", "embedding-model", undefined],
    ] as const
  ) {
    const refused = await fetch(`${at.service.running.adminUrl}/admin/v1/keys/${id}/${path}`, {
      method,
      headers: { authorization: "Bearer svc_test_admin_token", "content-type": "application/json" },
      body: sent === undefined ? null : JSON.stringify(sent),
    });
    assertEquals(refused.status, path === "narrow" ? 400 : 409);
    await refused.body?.cancel();
  }
});

Deno.test("of first calls at the same time one pins; the answers of the others are not charged", async () => {
  await using at = await studio();
  const { key, wallet } = await at.service.newKey();
  const gate = Promise.withResolvers<void>();
  const lengths = [4, 5, 6];
  at.good.answer(...lengths.map((length) => [{ until: gate.promise }, ...vectors(1, length)]));
  // Without a length in the request, the answer decides it.
  const calls = lengths.map(() => createEmbeddings(at.service, { input: "x" }, key));
  while (at.good.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  // The others are asked again, now with the pinned length.
  const again: Record<string, unknown>[] = [];
  gate.resolve();
  at.good.otherwise(vectors(1, 4));
  const replies = await Promise.all(calls);
  for (const { status, body } of replies) again.push({ status, length: lengthOf(body) });
  const answered = replies.filter(({ status }) => status === 200);
  assertEquals(new Set(answered.map(({ body }) => lengthOf(body))).size, 1, JSON.stringify(again));
  const { spent } = await at.service.wallet(wallet);
  assertEquals(spent, 7_000n * BigInt(answered.length));
  await at.service.assertBooks();
});

function lengthOf(body: Record<string, unknown>): number | undefined {
  const { data } = Object(body);
  return data?.[0]?.embedding.length;
}

Deno.test("a server that knows no base64 is asked for numbers, and a plain model for no length", async () => {
  await using at = await studio([]);
  at.good.answer(vectors(1, 2));
  const client = at.service.client();
  // OpenAI's client asks for base64 by itself.
  const { data } = await client.embeddings.create({ model: "auto", input: "x" });
  assertEquals(data[0]?.embedding, [1, 0]);
  const sent = JSON.parse(at.good.last.text);
  assertEquals(sent, { model: "real-good", input: "x" });
  at.good.answer(vectors(1, 2));
  await embeddingsOf(at.service, { input: "x", dimensions: 2, task: "search" });
  assertEquals(JSON.parse(at.good.last.text), { model: "real-good", input: "x", task: "search" });
  const { status, body } = await createEmbeddings(at.service, { input: [1, 2] });
  assertEquals([status, body.error.code, body.error.param], [400, "invalid_request", "input"]);
});
