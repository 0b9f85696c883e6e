/**
 * The main features, against an independent upstream.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { LLMock } from "@copilotkit/aimock";
import OpenAI from "openai";
import { labConfig } from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";

const ask = (content: string) => ({
  model: "auto",
  messages: [{ role: "user" as const, content }],
});
const weather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
};

async function mock(): Promise<LLMock> {
  const server = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
  server.onMessage(/hello/, {
    content: "Hi from the other side",
    usage: { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 },
  });
  server.onMessage(/weather/, {
    toolCalls: [
      { name: "get_weather", arguments: '{"city":"Oslo"}' },
      { name: "get_weather", arguments: '{"city":"Rome"}' },
    ],
  });
  server.onMessage(/person/, { content: '{"name":"Ada"}' });
  await server.start();
  return server;
}

// Each leaves a timer of its own behind when it stops, so they live as long as the file.
const server = await mock();
const second = await mock();
Deno.test.afterAll(async () => {
  await server.stop();
  await second.stop();
});

/** A service in front of one mock or two, the first being the better model. */
async function gatewayTo(...servers: readonly LLMock[]): Promise<TestService> {
  const models = servers.map((server, index) => ({
    id: `mock-${index}`,
    baseUrl: `${server.url}/v1`,
    quality: 0.9 - 0.5 * index,
  }));
  return await TestService.start({ config: labConfig(...models) });
}

Deno.test("aimock: an answer, and its usage to the token", async () => {
  await using service = await gatewayTo(server);
  const answer = await service.client().chat.completions.create(ask("hello"));
  assertEquals(answer.choices[0]?.message.content, "Hi from the other side");
  assertEquals(answer.model, "mock-0");
  const record = await service.lastRequest();
  assertEquals([record.inputTokens, record.outputTokens, record.estimated], [11, 6, false]);
  await service.assertBooks();
});

Deno.test("aimock: a stream says the same, and ends with the bill", async () => {
  await using service = await gatewayTo(server);
  const stream = service.client().chat.completions.stream(ask("hello"));
  assertEquals(await stream.finalContent(), "Hi from the other side");
  const record = await service.lastRequest();
  assert(record.charged !== "0.000000");
  await service.assertBooks();
});

Deno.test("aimock: parallel tool calls, streamed and not", async () => {
  await using service = await gatewayTo(server);
  const { completions } = service.client().chat;
  const request = { ...ask("the weather, please"), tools: [weather] };
  for (
    const answer of [
      await completions.create(request),
      await completions.stream(request).finalChatCompletion(),
    ]
  ) {
    const calls = answer.choices[0]?.message.tool_calls ?? [];
    const cities = calls.map((call) => call.type === "function" ? call.function.arguments : "");
    assertEquals(cities, ['{"city":"Oslo"}', '{"city":"Rome"}']);
    assertEquals(answer.choices[0]?.finish_reason, "tool_calls");
  }
});

Deno.test("aimock: JSON by a schema is asked for, comes and parses, streamed and not", async () => {
  await using service = await gatewayTo(server);
  const { completions } = service.client().chat;
  const response_format = {
    type: "json_schema" as const,
    json_schema: {
      name: "person",
      strict: true,
      schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  };
  const request = { ...ask("a person"), response_format };
  const answer = await completions.parse(request);
  assertEquals(answer.choices[0]?.message.parsed, { name: "Ada" });
  assertEquals(server.getLastRequest()?.body?.response_format, response_format);
  const streamed = await completions.stream(request).finalChatCompletion();
  assertEquals(streamed.choices[0]?.message.parsed, { name: "Ada" });
  await service.assertBooks();
});

Deno.test("aimock: an image arrives unchanged, and the answer has the caller's id", async () => {
  await using service = await gatewayTo(server);
  const content = [
    { type: "text" as const, text: "hello, what is on it?" },
    { type: "image_url" as const, image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
  ];
  const answer = await service.client().chat.completions.create(
    { model: "auto", messages: [{ role: "user", content }] },
    { headers: { "x-request-id": "from-the-caller" } },
  );
  assertEquals(answer._request_id, "from-the-caller");
  const { messages } = JSON.parse(JSON.stringify(server.getLastRequest()?.body));
  assertEquals(messages, [{ role: "user", content }]);
  await service.assertBooks();
});

Deno.test("aimock: OpenAI's client waits out a 429 and succeeds", async () => {
  await using service = await gatewayTo(server);
  server.nextRequestError(429, { message: "Not now" });
  const answer = await service.client({ maxRetries: 2 }).chat.completions.create(ask("hello"));
  assertEquals(answer.choices[0]?.message.content, "Hi from the other side");
  const { records } = await service.running.stores.log.search({ limit: 10 });
  assertEquals(records.map(({ status }) => status).sort(), [200, 429]);
  await service.assertBooks();
});

for (const status of [429, 500, 503]) {
  Deno.test(`aimock: after ${status} the other one answers`, async () => {
    await using service = await gatewayTo(server, second);
    server.nextRequestError(status, { message: "Not now" });
    const response = await service.chat(ask("hello"));
    const { choices, metadata } = await response.json();
    assertEquals(choices[0].message.content, "Hi from the other side");
    assertEquals(metadata.routing.model, "mock-1");
    assertEquals(
      metadata.routing.attempts.map((one: { status: number }) => one.status),
      [status, 200],
    );
    await service.assertBooks();
  });
}

Deno.test("aimock: an error of the only upstream is reported as the gateway's", async () => {
  await using service = await gatewayTo(server);
  server.nextRequestError(500, { message: "Out of order" });
  const error = await assertRejects(
    () => service.client().chat.completions.create(ask("hello")),
    OpenAI.InternalServerError,
  );
  assertEquals([error.status, error.code, error.type], [502, "upstream_error", "api_error"]);
  assertEquals(error.requestID, (await service.lastRequest()).requestId);
  await service.assertBooks();
});
