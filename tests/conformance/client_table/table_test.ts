/**
 * The table of section 4.1, method by method, against the real gateway with the simulator:
 *
 *     Surface    One request   Run tools (loop)   Raw stream   Streaming tool loop
 *     Chat       create        run                stream       runStream
 *     Responses  create        run                stream       runStream
 *     Messages   create        run                stream       runStream
 *
 *     Other methods: images.generate, images.edit, models.list, models.meta, pricing.retrieve,
 *     feedback
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertMatch, assertRejects } from "@std/assert";
import { ConfigurationError, MissingAPIKeyError, ServiceAPIError, ServiceClient } from "@svc/sdk";
import { micros, Stage } from "./stage.ts";
import { type Asked, ROWS } from "./surfaces.ts";

const HELLO = { text: "Say hello" };
const SUM = { text: "What is 17 * 23?" };

for (const row of ROWS) {
  Deno.test(`${row.name} | one request | ${row.methods}.create`, async () => {
    await using at = await Stage.open();
    const answer = await row.create(at.client, HELLO, { requestId: "table-1" });
    assertMatch(answer.text, /You asked: "Say hello"/);
    assertEquals([answer.calls, answer.requestId], [[], "table-1"]);
    assertGreater(answer.totalTokens ?? 0, 0);
    assertMatch(answer.charged ?? "", /^\d+\.\d{6}$/);
    assertEquals([at.last.method, at.last.url.pathname], ["POST", row.path]);
    assertEquals([at.last.body?.["model"], at.last.body?.["stream"]], ["auto", false]);
    assertEquals((await at.service.lastRequest()).requestId, "table-1");
    await at.service.assertBooks();
  });

  Deno.test(`${row.name} | run tools (loop) | ${row.methods}.run`, async () => {
    await using at = await Stage.open();
    const result = await row.run(at.client, SUM);
    assertMatch(result.finalText, /391/);
    assertEquals([result.stoppedBy, result.finishReason, result.steps.length], [
      ...["finish", "stop", 2],
    ]);
    assertEquals(result.steps[0]?.results.map(({ call }) => call.name), ["calculator"]);
    assertEquals(
      result.usage.totalTokens,
      sum(result.steps.map(({ usage }) => usage?.totalTokens)),
    );
    assertEquals(at.sent.map(({ body }) => body?.["stream"]), [false, false]);
    assertGreater(result.history.length, 2);
    const { spent } = await at.service.wallet();
    assertEquals(micros(result.billing?.charged), spent);
    await at.service.assertBooks();
  });

  Deno.test(`${row.name} | raw stream | ${row.methods}.stream`, async () => {
    await using at = await Stage.open();
    const stream = row.stream(at.client, HELLO, { requestId: "table-2" });
    assertEquals(at.sent.length, 0);
    const pieces = await Array.fromAsync(stream);
    const answer = await stream.final();
    assertMatch(answer.text, /You asked: "Say hello"/);
    assertEquals(pieces.join(""), answer.text);
    assertGreater(pieces.filter(Boolean).length, 2);
    assertEquals(answer.requestId, "table-2");
    assertGreater(answer.totalTokens ?? 0, 0);
    assertMatch(answer.charged ?? "", /^\d+\.\d{6}$/);
    assertEquals([at.last.url.pathname, at.last.body?.["stream"]], [row.path, true]);
    await at.service.assertBooks();
  });

  Deno.test(`${row.name} | streaming tool loop | ${row.methods}.runStream`, async () => {
    await using at = await Stage.open();
    const stream = row.runStream(at.client, SUM);
    const pieces = await Array.fromAsync(stream);
    const result = await stream.final();
    assertMatch(result.finalText, /391/);
    assertEquals(pieces.join(""), result.finalText);
    assertGreater(pieces.filter(Boolean).length, 2);
    assertEquals([result.stoppedBy, result.steps.length], ["finish", 2]);
    assertEquals(at.sent.map(({ body }) => body?.["stream"]), [true, true]);
    const { spent } = await at.service.wallet();
    assertEquals(micros(result.billing?.charged), spent);
    await at.service.assertBooks();
  });

  Deno.test(`${row.name} | nothing is sent without a key, or for another model`, async () => {
    await using at = await Stage.open();
    const stranger = new ServiceClient({ apiKey: "", apiBaseUrl: "http://127.0.0.1:1" });
    const calls = (client: ServiceClient, question: Asked) => [
      () => row.create(client, question),
      () => row.stream(client, question).final(),
      () => row.run(client, question),
      () => row.runStream(client, question).final(),
    ];
    for (const call of calls(stranger, HELLO)) await assertRejects(call, MissingAPIKeyError);
    for (const call of calls(at.client, { ...HELLO, more: { model: "svc/sim-small" } })) {
      await assertRejects(call, ConfigurationError, '"svc/sim-small"');
    }
    await row.create(at.client, { ...HELLO, more: { model: "auto" } });
    assertEquals(at.sent.length, 1);
  });
}

Deno.test("images.generate", async () => {
  await using at = await Stage.open();
  const { data, metadata, requestId } = await at.client.images.generate(
    { prompt: "A red square", size: "32x16" },
    { requestId: "image-1" },
  );
  assertMatch(data[0]?.b64_json ?? "", /^iVBOR/);
  assertEquals([data.length, requestId, metadata?.billing?.charged], [1, "image-1", "20.000000"]);
  assertEquals([at.last.url.pathname, at.last.body?.["model"]], [
    "/openai/v1/images/generations",
    "auto",
  ]);
  const streaming = JSON.parse('{"prompt": "A red square", "stream": true}');
  await assertRejects(() => at.client.images.generate(streaming), ConfigurationError, "stream");
  assertEquals(at.sent.length, 1);
  await at.service.assertBooks();
});

Deno.test("images.edit", async () => {
  await using at = await Stage.open();
  const drawn = await at.client.images.generate({ prompt: "A red square", size: "32x32" });
  const image = `data:image/png;base64,${drawn.data[0]?.b64_json}`;
  const { data, metadata } = await at.client.images.edit({
    ...{ prompt: "Now in blue", image, response_format: "url" },
  });
  assertMatch(data[0]?.url ?? "", /^https?:/);
  assertEquals(metadata?.billing?.charged, "20.000000");
  assertEquals(at.last.url.pathname, "/openai/v1/images/edits");
  const streaming = JSON.parse('{"prompt": "Now in blue", "image": "", "stream": true}');
  await assertRejects(() => at.client.images.edit(streaming), ConfigurationError, "stream");
  assertEquals(at.sent.length, 2);
  await at.service.assertBooks();
});

Deno.test("models.list, without a key, in the language asked for", async () => {
  await using at = await Stage.open({ apiKey: "" });
  const english = await at.client.models.list();
  const chinese = await at.client.models.list({ locale: "zh" });
  const described = [english, chinese].map(({ data }) => data.models[0]?.description);
  assertEquals(described, ["Simulated: small, quick and cheap", "模拟模型：小巧、快速、便宜"]);
  assertEquals(at.sent.map(({ method, url }) => [method, url.pathname, url.search]), [
    ["GET", "/api/v1/models", ""],
    ["GET", "/api/v1/models", "?locale=zh"],
  ]);
  assertEquals(at.sent.map(({ headers }) => headers.has("authorization")), [false, false]);
  assert(english.requestId !== undefined);
});

Deno.test("models.meta, with a key, in the language asked for", async () => {
  await using at = await Stage.open();
  const english = await at.client.models.meta();
  const chinese = await at.client.models.meta({ locale: "zh" });
  for (const field of ["tiers", "skus", "featureTags", "industryPacks", "providers"] as const) {
    assert(Array.isArray(english[field]), field);
  }
  assert(!Number.isNaN(Date.parse(english.updatedAt)));
  assert(english.tiers[0]?.name !== chinese.tiers[0]?.name);
  assertEquals(at.last.url.pathname, "/api/v1/models/meta");
  const stranger = new ServiceClient({ apiKey: "", apiBaseUrl: at.service.running.publicUrl });
  await assertRejects(() => stranger.models.meta(), MissingAPIKeyError);
});

Deno.test("pricing.retrieve, with a key", async () => {
  await using at = await Stage.open();
  const { currency, tiers } = await at.client.pricing.retrieve();
  assertEquals(currency, "credits");
  assertEquals(tiers[0]?.exchangeRate.usd, "1");
  assertEquals(at.last.url.pathname, "/api/v1/pricing");
  const stranger = new ServiceClient({ apiKey: "", apiBaseUrl: at.service.running.publicUrl });
  await assertRejects(() => stranger.pricing.retrieve(), MissingAPIKeyError);
});

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce((total: number, count) => total + (count ?? 0), 0);
}

Deno.test("feedback, on the answer of every surface, streamed or not", async () => {
  await using at = await Stage.open();
  const votes: string[] = [];
  const vote = async (requestId: string | undefined, score: number) => {
    const { data, success } = await at.client.feedback({ requestId, score, source: "table" });
    assertEquals([success, data.source, data.score], [true, "table", score]);
    assertEquals([at.last.method, at.last.url.pathname], ["POST", "/api/v1/feedback"]);
    votes.push(data.log_id);
  };
  for (const row of ROWS) {
    await vote((await row.create(at.client, HELLO)).requestId, 1);
    await vote((await row.stream(at.client, HELLO).final()).requestId, 0);
  }
  const { metadata, id } = await at.client.chat.completions.create({
    messages: [{ role: "user", content: "Say hello" }],
  });
  assert(id !== undefined);
  await vote(metadata?.request_id, 0.5);
  assertEquals(new Set(votes).size, 2 * ROWS.length + 1);
});

Deno.test("feedback that cannot be taken says why", async () => {
  await using at = await Stage.open();
  const create = () =>
    at.client.chat.completions.create({ messages: [{ role: "user", content: "Hi" }] }, {
      requestId: "mine",
    });
  await create();
  const { data } = await at.client.feedback({ requestId: "mine", score: 1, comment: "Good" });
  const repeated = await at.client.feedback({ requestId: data.log_id, score: 1 });
  assertEquals(repeated.data, data);
  const refusal = async (requestId: string, score: number) => {
    const error = await assertRejects(
      () => at.client.feedback({ requestId, score }),
      ServiceAPIError,
    );
    return [error.status, error.code, Object(error.body)["log_ids"]];
  };
  assertEquals(await refusal("mine", 0), [409, "conflict", undefined]);
  assertEquals(await refusal("other", 0), [404, "not_found", undefined]);
  assertEquals(await refusal("mine", 2), [400, "invalid_request", undefined]);
  await create();
  const sent = at.sent.length;
  const [status, code, ids] = await refusal("mine", 1);
  assertEquals([status, code, ids.length, ids.includes(data.log_id)], [409, "conflict", 2, true]);
  assertEquals(at.sent.length, sent + 1, "a conflict is not sent again");
});
