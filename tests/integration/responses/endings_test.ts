/**
 * Failed ends of a streamed response, and their costs.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import OpenAI from "openai";
import { chunk, FakeUpstream, streamHead } from "../../fixtures/fake_upstream.ts";
import {
  chunkText,
  INPUT_MICROS,
  labConfig,
  OUTPUT_MICROS,
  usageChunk,
} from "../../fixtures/lab.ts";
import { NativeResponses } from "../../fixtures/upstreams/native_responses.ts";
import { TestService } from "../../fixtures/service.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { type TwoRoutes, twoRoutes } from "../../fixtures/two_routes.ts";
import {
  assertEventRules,
  readResponseEvents,
} from "../../conformance/open_responses/event_rules.ts";

/** A stream of the chat upstream that breaks off after one word. */
function brokenChat(...more: readonly string[]) {
  const events = [chunkText({ role: "assistant", content: "Hello" }), ...more];
  return [
    streamHead(),
    ...events.map((data) => chunk(`data: ${data}\n\n`)),
    { close: true } as const,
  ];
}

const BREAKS: Readonly<Record<string, (routes: TwoRoutes) => void>> = {
  "a native upstream ends too early": ({ native }) => native.say({ endAfter: 6 }),
  "a native upstream says that it failed": ({ native }) => native.say({ failAfter: 6 }),
  "a chat upstream is cut": ({ chat }) => chat.answer(brokenChat()),
};

for (const [name, breakOff] of Object.entries(BREAKS)) {
  const route = name.includes("native") ? "native" : "chat";

  Deno.test(`${name} mid-stream: the response fails, and what came is billed`, async () => {
    await using routes = await twoRoutes(route, new FakeUpstream());
    const { service } = routes;
    breakOff(routes);
    const events = await readResponseEvents(
      await postResponse(service, { input: "Hi", stream: true }),
    );
    const resource = assertEventRules(events, "response.failed");
    assert(events.some((event) => event["delta"] === "Hello"));
    assertEquals([resource.status, resource.error?.code], ["failed", "server_error"]);
    const last = events.at(-1);
    assertEquals([last?.type, last?.["code"]], ["error", "upstream_error"]);

    const record = await service.lastRequest();
    assertEquals([record.outcome, record.estimated], ["cut", true]);
    assert(record.outputTokens > 0 && record.outputTokens < 5);
    const { billing, routing } = resource.metadata;
    assertEquals(billing?.charged, record.charged);
    assertEquals(billing?.estimated, true);
    const micros = BigInt(record.inputTokens) * INPUT_MICROS +
      BigInt(record.outputTokens) * OUTPUT_MICROS;
    assertEquals((await service.wallet()).spent, micros);
    assertEquals(routing?.attempts.length, 1);
    await assertRejects(
      () => service.client().responses.retrieve(resource.id),
      OpenAI.NotFoundError,
    );
    await service.assertBooks();
  });

  Deno.test(`${name} mid-stream: OpenAI's client throws`, async () => {
    await using routes = await twoRoutes(route, new FakeUpstream());
    breakOff(routes);
    const { responses } = routes.service.client();
    await assertRejects(
      () => responses.stream({ model: "auto", input: "Hi" }).finalResponse(),
      OpenAI.OpenAIError,
    );
    breakOff(routes);
    const stream = await responses.create({ model: "auto", input: "Hi", stream: true });
    await assertRejects(() => Array.fromAsync(stream), OpenAI.APIError);
  });
}

Deno.test("a native upstream is cut within an event: what was whole is passed on", async () => {
  await using native = new NativeResponses();
  await using fake = new FakeUpstream();
  const upstream = { kind: "openai" };
  const config = labConfig({ id: "native", baseUrl: fake.baseUrl, upstream });
  await using service = await TestService.start({ config });
  const body = '{"model":"real-native","input":"Hi","stream":true}';
  const whole = await (await fetch(`${native.baseUrl}/responses`, { method: "POST", body })).text();
  const cut = whole.slice(0, whole.indexOf("response.output_text.done") - 5);
  fake.answer([streamHead(), chunk(cut), { close: true }]);
  const events = await readResponseEvents(
    await postResponse(service, { input: "Hi", stream: true }),
  );
  assertEquals(assertEventRules(events, "response.failed").id, "resp_native1");
  const deltas = events.filter(({ type }) => type === "response.output_text.delta");
  assertEquals(deltas.map(({ delta }) => delta), ["Hello", " there"]);
  assertEquals((await service.lastRequest()).outcome, "cut");
  await service.assertBooks();
});

Deno.test("usage that came before a cut is what is charged", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, chat } = routes;
  const reported = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
  chat.answer(brokenChat(usageChunk(reported)));
  const events = await readResponseEvents(
    await postResponse(service, { input: "Hi", stream: true }),
  );
  const { usage } = assertEventRules(events, "response.failed");
  assertEquals([usage?.input_tokens, usage?.output_tokens], [10, 3]);
  const record = await service.lastRequest();
  assertEquals([record.inputTokens, record.outputTokens, record.estimated], [10, 3, false]);
  await service.assertBooks();
});

Deno.test("an answer without usage is counted, and marked as estimated", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  for (const stream of [false, true]) {
    native.say({ usage: null });
    const response = await postResponse(service, { input: "Hi", stream });
    const resource = stream
      ? assertEventRules(await readResponseEvents(response))
      : await response.json();
    const { billing } = resource.metadata;
    assertEquals(billing?.estimated, true);
    assertEquals(resource.usage?.total_tokens, billing?.total_tokens);
    assert((billing?.output_tokens ?? 0) > 0);
  }
  await service.assertBooks();
});

Deno.test("a native upstream whose answer failed is not answered with: the next one is asked", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native, chat } = routes;
  const failed = '{"id":"resp_x","object":"response","status":"failed","output":[]}';
  for (const raw of [failed, "{}", "[]", "no JSON"]) {
    native.say({ raw });
    const { model } = await (await postResponse(service, { input: "Hi" })).json();
    assertEquals(model, "chat", raw);
  }
  native.say({ failAfter: 0 });
  chat.answer([
    streamHead(),
    ...[chunkText({ role: "assistant", content: "Hello" }), chunkText({}, "stop"), "[DONE]"]
      .map((data) => chunk(`data: ${data}\n\n`)),
    { close: true },
  ]);
  const events = await readResponseEvents(
    await postResponse(service, { input: "Hi", stream: true }),
  );
  assertEquals(assertEventRules(events).model, "chat");
  await service.assertBooks();
});

Deno.test("a disconnect ends the upstream's call, and is charged for the delivered part", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, chat } = routes;
  chat.answer([
    streamHead(),
    chunk(`data: ${chunkText({ role: "assistant", content: "Hello" })}\n\n`),
    { stall: true },
  ]);
  const leaving = new AbortController();
  const response = await postResponse(service, { input: "Hi", stream: true }, {
    signal: leaving.signal,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await chat.stalling();
  leaving.abort();
  await reader?.read().catch(() => {});
  await chat.clientLeft();
  const record = await service.lastRequest();
  assertEquals([record.outcome, record.estimated], ["client_left", true]);
  assert(record.charged !== "0.000000");
  await service.assertBooks();
});
