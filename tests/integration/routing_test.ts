/**
 * Which model answers, and that the answer says why.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { chunk, FakeUpstream, json, type Script, streamHead } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, type LabModel, QUESTION } from "../fixtures/lab.ts";
import { ManualClock, TestService, type TestServiceOptions } from "../fixtures/service.ts";

/** Two upstreams with a model each, `first` being the better and dearer one. */
async function pair(
  options: TestServiceOptions & { first?: Partial<LabModel>; second?: Partial<LabModel> } = {},
) {
  const first = new FakeUpstream();
  const second = new FakeUpstream();
  first.otherwise(json(completion()));
  second.otherwise(json(completion()));
  const config = labConfig(
    { id: "first", baseUrl: first.baseUrl, quality: 0.9, ...options.first },
    { id: "second", baseUrl: second.baseUrl, quality: 0.3, ...options.second },
  );
  const service = await TestService.start({ ...options, config });
  return {
    first,
    second,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    },
  };
}

function error(status: number, headers: Record<string, string> = {}): Script {
  return json({ error: { message: `Scripted ${status}` } }, { status, headers });
}

async function routingOf(response: Response) {
  const { metadata } = await response.json();
  assert(metadata !== undefined, `${response.status}`);
  return metadata.routing;
}

/** A question of its own, so that no conversation sticks to a model. */
function question(content: string) {
  return { messages: [{ role: "user", content }], max_tokens: 100 };
}

Deno.test("a policy that allows one model gets that model, and the log says why not the others", async () => {
  await using at = await pair();
  for (const wanted of ["first", "second"]) {
    const { key } = await at.service.newKey({ policy: { models: [wanted] } });
    const routing = await routingOf(await at.service.chat({ messages: QUESTION }, { key }));
    assertEquals(routing.model, wanted);
    assertEquals(routing.attempts.map((one: { model: string }) => one.model), [wanted]);
    assertEquals(routing.considered, 2);
    assert(routing.reason.length > 10);
    const { exclusions } = await at.service.lastRequest();
    assertEquals(exclusions?.map(({ stage }) => stage), ["policy"]);
  }
});

Deno.test("a poor wallet gets the cheaper model, then a lower limit, then 402", async () => {
  await using at = await pair({
    first: { price: { inputPerMTok: "10.00", outputPerMTok: "1000.00" } },
    second: { price: { inputPerMTok: "1.00", outputPerMTok: "10.00" } },
  });
  const { service } = at;
  const ask = (key: string) =>
    service.chat({ messages: QUESTION, max_completion_tokens: 1_000, n: 1 }, { key });
  const rich = await service.newKey({ credits: "10000", policy: { models: ["first"] } });
  assertEquals((await routingOf(await ask(rich.key))).output_limit, undefined);
  assertEquals(JSON.parse(at.first.last.text).max_completion_tokens, 1_000);

  // 1 000 tokens of the first cost 1 000 credits, of the second 10.
  const modest = await service.newKey({ credits: "12" });
  const steered = await routingOf(await ask(modest.key));
  assertEquals([steered.model, steered.output_limit], ["second", undefined]);

  const poor = await service.newKey({ credits: "4" });
  const lowered = await routingOf(await ask(poor.key));
  assertEquals(lowered.model, "second");
  const limit = lowered.output_limit;
  assert(limit > 16 && limit < 400, `${limit}`);
  assertEquals(JSON.parse(at.second.last.text).max_completion_tokens, limit);

  const broke = await service.newKey({ credits: "0.1" });
  const before = at.second.requests.length;
  const refused = await ask(broke.key);
  assertEquals(refused.status, 402);
  assertEquals((await refused.json()).error.code, "insufficient_balance");
  assertEquals(at.second.requests.length, before, "no upstream was called");
  await service.assertBooks();
});

Deno.test("a lowered limit reaches the upstream also without a limit of the request", async () => {
  await using at = await pair({
    second: { price: { inputPerMTok: "1.00", outputPerMTok: "100.00" } },
  });
  const { key } = await at.service.newKey({ credits: "5", policy: { models: ["second"] } });
  const routing = await routingOf(await at.service.chat({ messages: QUESTION }, { key }));
  const sent = JSON.parse(at.second.last.text);
  assertEquals(sent.max_completion_tokens ?? sent.max_tokens, routing.output_limit);
  assert(routing.output_limit < 50);
});

Deno.test("a failing upstream is left alone while it cools down, and comes back", async () => {
  const clock = new ManualClock();
  await using at = await pair({ clock });
  const only = await at.service.newKey({ policy: { models: ["first"] } });
  const ask = (at_: string, key?: string) =>
    at.service.chat(question(at_), key === undefined ? {} : { key });
  at.first.answer(error(500), error(500), error(500));
  for (let round = 1; round <= 3; round++) {
    const response = await ask(`round ${round}`, only.key);
    assertEquals(response.status, 502);
    await response.body?.cancel();
  }
  const before = at.first.requests.length;
  const cooling = await ask("cooling", only.key);
  assertEquals([cooling.status, (await cooling.json()).error.code], [503, "no_model_available"]);
  assertMatch(cooling.headers.get("retry-after") ?? "", /^\d+$/);
  assertEquals((await routingOf(await ask("others still work"))).model, "second");
  assertEquals(at.first.requests.length, before, "not even tried");
  clock.advance(1_001);
  assertEquals((await routingOf(await ask("back", only.key))).model, "first");
  await at.service.assertBooks();
});

Deno.test("Retry-After of an upstream is honoured to the second", async () => {
  const clock = new ManualClock();
  await using at = await pair({ clock });
  const { key } = await at.service.newKey({ policy: { models: ["first"] } });
  const ask = (content: string) => at.service.chat(question(content), { key });
  at.first.answer(error(429, { "retry-after": "20" }));
  const limited = await ask("limited");
  assertEquals(limited.status, 429);
  assertEquals(limited.headers.get("retry-after"), "20");
  await limited.body?.cancel();
  clock.advance(19_000);
  const early = await ask("early");
  assertEquals([early.status, early.headers.get("retry-after")], [429, "1"]);
  await early.body?.cancel();
  clock.advance(1_001);
  assertEquals((await ask("late").then(routingOf)).model, "first");
});

const FAILURES: readonly { name: string; script: Script; outcome: string }[] = [
  { name: "500", script: error(500), outcome: "server_error" },
  { name: "429", script: error(429), outcome: "rate_limited" },
  { name: "401", script: error(401), outcome: "refused_credentials" },
  { name: "a reset", script: [{ reset: true }], outcome: "connect_failed" },
  { name: "no JSON", script: json("Hello"), outcome: "malformed" },
  {
    name: "a stream that breaks before its first chunk",
    script: [streamHead(), chunk(": wait\n\n"), { close: true }],
    outcome: "malformed",
  },
];

for (const { name, script, outcome } of FAILURES) {
  Deno.test(`the next candidate answers after ${name}, and metadata tells it`, async () => {
    await using at = await pair();
    at.first.answer(script);
    const routing = await routingOf(await at.service.chat({ messages: QUESTION }));
    const attempts: { model: string; outcome: string }[] = routing.attempts;
    assertEquals(routing.model, "second");
    assertEquals(attempts.map((one) => one.model), ["first", "second"]);
    assertEquals(attempts.map((one) => one.outcome), [outcome, "ok"]);
    assertStringIncludes(routing.reason, "after 1 failed attempt");
    assertEquals((await at.service.lastRequest()).holdIds.length, 2);
    await at.service.assertBooks();
  });
}

Deno.test("if every model answers 429 the caller receives 429 with the soonest Retry-After", async () => {
  await using at = await pair();
  at.first.answer(error(429, { "retry-after": "30" }));
  at.second.answer(error(429, { "retry-after": "7" }));
  const response = await at.service.chat({ messages: QUESTION });
  assertEquals([response.status, response.headers.get("retry-after")], [429, "7"]);
  const { error: refusal, metadata } = await response.json();
  assertEquals(refusal.code, "rate_limit_exceeded");
  assertEquals(metadata.routing.attempts.length, 2);
});

Deno.test("a refused operator key is the operator's trouble: 502, and one loud line", async () => {
  await using at = await pair();
  const { key } = await at.service.newKey({ policy: { models: ["first"] } });
  at.first.answer(error(401));
  const response = await at.service.chat({ messages: QUESTION }, { key });
  assertEquals([response.status, (await response.json()).error.code], [502, "upstream_error"]);
  const loud = at.service.logs.filter((line) => line.event === "upstream_refuses_credentials");
  assertEquals(loud.length, 1);
  assertEquals([loud[0]?.level, loud[0]?.fields.upstream], ["error", "at-first"]);
});

Deno.test("an upstream's 400 about the input is passed on as 400, without another attempt", async () => {
  await using at = await pair();
  const script = json({ error: { message: "Bad tool schema", param: "tools.0" } }, { status: 400 });
  at.first.answer(script);
  at.second.answer(script);
  const response = await at.service.chat({ messages: QUESTION });
  const { error: refusal, metadata } = await response.json();
  assertEquals([response.status, refusal.code, refusal.param], [400, "invalid_request", "tools.0"]);
  assertStringIncludes(refusal.message, "Bad tool schema");
  assertEquals(metadata.routing.attempts.length, 1);
  assertEquals(at.first.requests.length + at.second.requests.length, 1);
  await at.service.assertBooks();
});

Deno.test("a conversation stays with its model", async () => {
  await using at = await pair();
  const first = await routingOf(await at.service.chat({ messages: QUESTION }));
  const more = [...QUESTION, { role: "assistant", content: "Hello" }, {
    role: "user",
    content: "And now?",
  }];
  for (let turn = 0; turn < 3; turn++) {
    assertEquals((await routingOf(await at.service.chat({ messages: more }))).model, first.model);
  }
});
