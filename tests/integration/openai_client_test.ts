/**
 * OpenAI's own client, unmodified, with another base URL.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { readPairs } from "../fixtures/dialects.ts";
import { TestService, until } from "../fixtures/service.ts";

const messages = [{ role: "user" as const, content: "Say hello" }];
/** A red dot. */
const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38G" +
  "IAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";

const weather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "The weather of a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
  },
};
const clockTool = {
  type: "function" as const,
  function: { name: "get_time", parameters: { type: "object", properties: {} } },
};

Deno.test("OpenAI's client: create answers, with the route, the bill and the request's id", async () => {
  await using service = await TestService.start();
  const answer = await service.client().chat.completions.create({ model: "auto", messages });
  assertStringIncludes(answer.choices[0]?.message.content ?? "", "Say hello");
  assertEquals(answer.choices[0]?.finish_reason, "stop");
  const { metadata } = answer as typeof answer & { metadata: Record<string, unknown> };
  assertEquals(metadata.request_id, answer._request_id);
  const record = await service.lastRequest();
  assertEquals(record.requestId, answer._request_id);
  assertEquals(record.inputTokens, answer.usage?.prompt_tokens);
  assertEquals(record.outputTokens, answer.usage?.completion_tokens);
  assertEquals(answer.model, record.routing?.model);
  await service.assertBooks();
});

Deno.test("OpenAI's client: a caller's own X-Request-ID comes back, also when it is repeated", async () => {
  await using service = await TestService.start();
  const options = { headers: { "X-Request-ID": "mine-1" } };
  for (let time = 0; time < 2; time++) {
    const { completions } = service.client().chat;
    const answer = await completions.create({ model: "auto", messages }, options);
    assertEquals(answer._request_id, "mine-1");
  }
  await service.quiet();
  const rows = await service.running.stores.log.search({ requestId: "mine-1", limit: 10 });
  assertEquals(rows.records.length, 2);
});

Deno.test("OpenAI's client: n choices arrive, and are billed", async () => {
  await using service = await TestService.start();
  const answer = await service.client().chat.completions.create({ model: "auto", messages, n: 3 });
  assertEquals(answer.choices.map((choice) => choice.index), [0, 1, 2]);
  assertEquals((await service.lastRequest()).outputTokens, answer.usage?.completion_tokens);
});

Deno.test("OpenAI's client: the stream helper gives the final content and the final answer", async () => {
  await using service = await TestService.start();
  const stream = service.client().chat.completions.stream({ model: "auto", messages });
  let text = "";
  stream.on("content", (delta) => text += delta);
  const final = await stream.finalChatCompletion();
  assertEquals(await stream.finalContent(), text);
  assertStringIncludes(text, "Say hello");
  assertEquals(final.choices[0]?.message.content, text);
  const usage = await stream.totalUsage();
  const record = await service.lastRequest();
  assertEquals([usage.prompt_tokens, usage.completion_tokens], [
    record.inputTokens,
    record.outputTokens,
  ]);
  await service.assertBooks();
});

Deno.test("OpenAI's client: a raw stream has the role first, and one finish, the last with the bill", async () => {
  await using service = await TestService.start();
  const { completions } = service.client().chat;
  const stream = await completions.create({ model: "auto", messages, stream: true, n: 2 });
  const chunks = await Array.fromAsync(stream);
  for (const index of [0, 1]) {
    const own = chunks.flatMap((chunk) => chunk.choices).filter((one) => one.index === index);
    assertEquals(own[0]?.delta.role, "assistant");
    assertEquals(own.filter((choice) => choice.finish_reason !== null).length, 1);
    assertEquals(own.at(-1)?.finish_reason, "stop");
  }
  const withUsage = chunks.filter((chunk) => (chunk.usage ?? null) !== null);
  assertEquals(withUsage.length, 1);
  const last = chunks.at(-1);
  assertEquals(last, withUsage[0]);
  assert(last !== undefined && "metadata" in last);
  assertEquals(last.choices.map((choice) => choice.finish_reason), ["stop"]);
  assert(chunks.every(({ choices }) => choices.length > 0));
  assertEquals(readPairs(last.metadata).billing?.output_tokens, last.usage?.completion_tokens);
  assertEquals(new Set(chunks.map((chunk) => chunk.id)).size, 1);
  assertEquals(new Set(chunks.map((chunk) => chunk.model)), new Set([last.model]));
});

Deno.test("OpenAI's client: parallel tool calls come whole, streamed and not, and alike", async () => {
  await using service = await TestService.start();
  const { completions } = service.client().chat;
  const request = {
    model: "auto",
    messages: [{
      role: "user" as const,
      content: 'Call get_weather with {"city":"Oslo"} and get_time',
    }],
    tools: [weather, clockTool],
  };
  const whole = await completions.create(request);
  const streamed = await completions.stream(request).finalChatCompletion();
  for (const answer of [whole, streamed]) {
    const calls = answer.choices[0]?.message.tool_calls ?? [];
    assertEquals(answer.choices[0]?.finish_reason, "tool_calls");
    assertEquals(
      calls.map((call) => call.type === "function" ? call.function.name : call.type),
      ["get_weather", "get_time"],
    );
    assert(calls[0]?.type === "function");
    assertEquals(JSON.parse(calls[0].function.arguments), { city: "Oslo" });
    assertEquals(new Set(calls.map((call) => call.id)).size, 2);
  }
});

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "not streamed";
  Deno.test(`OpenAI's client: runTools works with a model that signs its calls, ${how}`, async () => {
    await using service = await TestService.start();
    const { key } = await service.newKey({ policy: { models: ["svc/sim-large"] } });
    const bodies: unknown[] = [];
    const parameters = {
      type: "object",
      properties: { expression: { type: "string" } },
      required: ["expression"],
    };
    const calculator = {
      name: "calculator",
      description: "Works an expression out",
      parameters,
      parse: JSON.parse,
      function: (input: unknown) => {
        bodies.push(input);
        return "1221";
      },
    };
    const { completions } = service.client({ apiKey: key }).chat;
    const request = {
      model: "auto",
      messages: [{ role: "user" as const, content: "What is 33 * 37 and also 11 * 111?" }],
      tools: [{ type: "function" as const, function: calculator }],
    };
    const runner = stream
      ? completions.runTools({ ...request, stream: true })
      : completions.runTools(request);
    assertStringIncludes(await runner.finalContent() ?? "", "1221");
    assertEquals(bodies, [{ expression: "33 * 37" }, { expression: "11 * 111" }]);
    const echoed = runner.messages.find((message) => message.role === "assistant");
    assert(echoed?.role === "assistant");
    assertEquals(echoed.tool_calls?.length, 2);
    await service.assertBooks();
  });
}

Deno.test("OpenAI's client: structured output parses, streamed and not", async () => {
  await using service = await TestService.start();
  const { completions } = service.client().chat;
  const Person = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) });
  const request = {
    model: "auto",
    messages: [{ role: "user" as const, content: "Invent a person" }],
    response_format: zodResponseFormat(Person, "person"),
  };
  const parsed = (await completions.parse(request)).choices[0]?.message.parsed;
  assertEquals(Person.parse(parsed), parsed);
  const streamed = await completions.stream(request).finalChatCompletion();
  assertEquals(streamed.choices[0]?.message.parsed, parsed);
});

Deno.test("OpenAI's client: an image goes to a model that sees", async () => {
  await using service = await TestService.start();
  const answer = await service.client().chat.completions.create({
    model: "auto",
    messages: [{
      role: "user",
      content: [
        { type: "text", text: "What is on it?" },
        { type: "image_url", image_url: { url: PNG } },
      ],
    }],
  });
  assertStringIncludes(answer.choices[0]?.message.content ?? "", "1 image");
  assert(answer.model !== "svc/sim-small", "the small model does not see");
});

Deno.test("OpenAI's client: the model list shows auto and nothing else", async () => {
  await using service = await TestService.start();
  const models = await Array.fromAsync(service.client().models.list());
  assertEquals(models.map((model) => model.id), ["auto"]);
  assertEquals(models[0]?.object, "model");
});

Deno.test("OpenAI's client: an abort in mid-stream ends the call, and what was delivered is billed", async () => {
  await using service = await TestService.start();
  const stream = await service.client().chat.completions.create({
    model: "auto",
    messages: [{
      role: "user",
      content: 'Say it [[sim {"repeat":5000,"chunkDelayMs":2,"noUsage":true}]]',
    }],
    stream: true,
  });
  let chunks = 0;
  for await (const _ of stream) if (++chunks === 20) stream.controller.abort();
  await until(() => service.running.gateway.inFlight.count === 0, "the call to end");
  const record = await service.lastRequest();
  assertEquals(record.outcome, "client_left");
  assert(record.estimated && record.outputTokens > 5 && record.outputTokens < 4_000);
  await service.assertBooks();
});
