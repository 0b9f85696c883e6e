import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import * as fc from "fast-check";
import {
  ConfigurationError,
  type MessageCreateRequest,
  RunError,
  ServiceAPIError,
  ServiceClient,
  type ServiceClientOptions,
  tool,
} from "../mod.ts";

const MESSAGES: MessageCreateRequest["messages"] = [{ role: "user", content: "Hello" }];
const BILL = {
  ...{ currency: "credits", charged: "0.000001", input_tokens: 10, cached_input_tokens: 4 },
  ...{ output_tokens: 5, total_tokens: 15, estimated: false, price_version: 1 },
};
const double = tool({
  name: "double",
  description: "Doubles a number",
  parameters: { type: "object", properties: { of: { type: "number" } }, required: ["of"] },
  execute: ({ of }) => of * 2,
});

/** A chat answer, whole; it calls `double` as often as there are ids. */
function answer(content: string | null, ids: readonly string[] = []) {
  const tool_calls = ids.map((id) => ({
    ...{ id, type: "function", extra_content: { google: { thought_signature: `${id}+/=` } } },
    function: { name: "double", arguments: '{ "of": 21 }' },
  }));
  return {
    ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
    choices: [{
      index: 0,
      message: { role: "assistant", content, ...(ids.length === 0 ? {} : { tool_calls }) },
      finish_reason: "stop",
    }],
    metadata: { request_id: "req-1", billing: BILL },
  };
}

/** The same, in chunks. */
function streamed(whole: object): Response {
  const { choices: [choice], ...head } = Object(whole);
  const chunks = [
    { ...head, metadata: undefined, choices: [{ index: 0, delta: choice?.message }] },
    { ...head, metadata: undefined, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { ...head, choices: [] },
  ];
  return sse(chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]");
}

function sse(frames: readonly string[], ...more: string[]): Response {
  return new Response([...frames, ...more].map((frame) => `data: ${frame}\n\n`).join(""));
}

/** A client of a service that gives these answers, one after the other, and what it was sent. */
function client(answers: readonly (Response | object)[], options: ServiceClientOptions = {}) {
  const remaining = [...answers];
  const sent: { readonly url: string; readonly headers: Headers; readonly body: Body }[] = [];
  const fetch = async (input: URL | RequestInfo, init?: RequestInit) => {
    const request = new Request(input, init);
    const body: Body = await request.json();
    sent.push({ url: request.url, headers: request.headers, body });
    const next = remaining.shift();
    assert(next !== undefined, "One request too many");
    if (next instanceof Response) return next;
    return body.stream ? streamed(next) : Response.json(next);
  };
  const own = { apiKey: "k", apiBaseUrl: "http://svc.test", defaultLocalTools: false };
  return { sent, messages: new ServiceClient({ ...own, ...options, fetch }).messages };
}

interface Body {
  readonly stream: boolean;
  readonly model: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly tools?: readonly unknown[];
  readonly tool_choice?: unknown;
}

Deno.test("messages.create() asks Chat Completions, and nothing else leaves", async () => {
  const { sent, messages } = client([answer("Hi")]);
  const message = await messages.create({ max_tokens: 9, messages: MESSAGES }, { requestId: "r" });
  assertEquals(message.content, [{ type: "text", text: "Hi", citations: null }]);
  assertEquals([message.requestId, message.stop_reason], ["req-1", "end_turn"]);
  assertEquals([message.usage.input_tokens, message.usage.cache_read_input_tokens], [6, 4]);
  assertEquals(sent.map(({ url, body }) => [url, body]), [
    ["http://svc.test/openai/v1/chat/completions", {
      ...{ model: "auto", messages: MESSAGES, max_completion_tokens: 9, stream: false },
    }],
  ]);
  assertEquals(sent[0]?.headers.has("anthropic-version"), false);
  assertEquals(sent[0]?.headers.get("x-request-id"), "r");
});

Deno.test("messages refuses before it sends: a model, no messages, what Chat cannot say", async () => {
  const { sent, messages } = client([]);
  const requests: readonly string[] = [
    ...['{"model":"claude","messages":[]}', "{}", '{"messages":[],"container":"c"}'],
  ];
  for (const text of requests) {
    const request: MessageCreateRequest = JSON.parse(text);
    await assertRejects(() => messages.create(request), ConfigurationError);
    await assertRejects(async () => await messages.stream(request), ConfigurationError);
    await assertRejects(() => messages.run(request), ConfigurationError);
    await assertRejects(async () => await messages.runStream(request), ConfigurationError);
  }
  assertEquals(sent, []);
});

Deno.test("messages.stream() yields events, then the message that they add up to", async () => {
  const { messages } = client([answer("Hi", ["1"])]);
  const stream = messages.stream({ messages: MESSAGES });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  assertEquals(types, [
    ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
    ...["content_block_start", "content_block_delta", "content_block_stop"],
    ...["message_delta", "message_stop"],
  ]);
  const message = await stream;
  assertEquals(message, await client([answer("Hi", ["1"])]).messages.create({ messages: [] }));
});

for (const how of ["run", "runStream"] as const) {
  Deno.test(`messages.${how}() appends the results once, and relaxes the choice`, async () => {
    const { sent, messages } = client([answer("Two", ["1", "2"]), answer("It is 42")]);
    const deltas: string[] = [];
    const asides: string[] = [];
    const result = await messages[how]({
      messages: MESSAGES,
      tool_choice: { type: "tool", name: "double", disable_parallel_tool_use: false },
    }, {
      tools: [double],
      onTextDelta: (text) => void deltas.push(text),
      onIntermediateText: (text) => void asides.push(text),
    });
    const [first, second] = sent.map(({ body }) => body);
    assertEquals(first?.tool_choice, { type: "function", function: { name: "double" } });
    assertEquals([second?.tool_choice, second?.tools?.length], ["auto", 1]);
    assertEquals(second?.messages.slice(1), [
      { ...answer("Two", ["1", "2"]).choices[0]?.message },
      { role: "tool", tool_call_id: "1", content: "42" },
      { role: "tool", tool_call_id: "2", content: "42" },
    ]);
    assertEquals(result.messages.length, 4);
    const [, , results] = result.messages;
    assertEquals(results, {
      role: "user",
      content: ["1", "2"].map((tool_use_id) => ({
        ...{ type: "tool_result", tool_use_id, content: "42" },
      })),
    });
    assertEquals([result.finalText, result.stoppedBy, result.finishReason], [
      ...["It is 42", "finish", "stop"],
    ]);
    assertEquals([result.usage.inputTokens, result.billing?.charged], [20, "0.000002"]);
    assertEquals([asides, deltas].map((texts) => texts.join("")), ["Two", "It is 42"]);
  });
}

Deno.test("tool rules 1 and 3: a request's own tools replace the defaults, also an empty list", async () => {
  const { sent, messages } = client([answer("Hi"), answer("Hi"), answer("Hi")], {
    ...{ defaultLocalTools: true, defaultBuiltinTools: true },
  });
  await messages.create({ messages: MESSAGES, tools: [] });
  await messages.create({ messages: MESSAGES, tools: [{ name: "own", input_schema: {} }] });
  await messages.create({ messages: MESSAGES });
  const [none, own, defaults] = sent.map(({ body }) => body.tools);
  assertEquals(none, []);
  assertEquals(own, [{ type: "function", function: { name: "own", parameters: {} } }]);
  assertEquals(defaults?.length, 8);
  assertEquals(defaults?.at(-1), { type: "web_search_preview" });
});

Deno.test("tool rule 4: create and stream run the defaults alone, and sum what they used", async () => {
  const question = (arguments_: string) => ({
    ...answer(null),
    choices: [{
      index: 0,
      message: {
        ...{ role: "assistant", content: null },
        tool_calls: [{
          ...{ id: "1", type: "function" },
          function: { name: "calculator", arguments: arguments_ },
        }],
      },
      finish_reason: "tool_calls",
    }],
  });
  const answers = [question('{"expression":"6*7"}'), answer("42")];
  const defaults = { defaultLocalTools: true };
  const { sent, messages } = client(answers, defaults);
  const message = await messages.create({ messages: MESSAGES });
  assertEquals([message.usage.output_tokens, message.metadata?.billing?.charged], [10, "0.000002"]);
  assertEquals(sent[1]?.body.messages.at(-1)?.["tool_call_id"], "1");

  const stream = client(answers, defaults).messages.stream({ messages: MESSAGES });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  assertEquals(types.filter((type) => type.startsWith("message_")), [
    ...["message_start", "message_delta", "message_stop"],
    ...["message_start", "message_delta", "message_stop"],
  ]);
  assertEquals(await stream, message);

  const registered = client([answer(null, ["1"])], { tools: [double] });
  const calls = await registered.messages.create({ messages: MESSAGES });
  assertEquals([calls.stop_reason, registered.sent.length], ["tool_use", 1]);
});

Deno.test("tool rule 5: an unknown name is reported to the model", async () => {
  const { sent, messages } = client([answer(null, ["1"]), answer("Sorry")]);
  const other = { ...double, name: "other" };
  const { messages: history } = await messages.run({ messages: MESSAGES }, { tools: [other] });
  const content = Object(history[2]).content[0];
  assertEquals(content.is_error, true);
  assertEquals(JSON.parse(content.content).error.code, "tool_handler_not_found");
  const reply = sent[1]?.body.messages.at(-1);
  assertEquals([reply?.["is_error"], reply?.["content"]], [true, content.content]);
});

Deno.test("tool rule 8: a later turn's failure keeps what was complete", async () => {
  const failure = { error: { message: "No", code: "upstream_error" }, choices: [] };
  const { messages } = client([answer(null, ["1"]), failure]);
  const error = await assertRejects(
    () => messages.run({ messages: MESSAGES }, { tools: [double] }),
    RunError,
  );
  assertInstanceOf(error.cause, ServiceAPIError);
  assertEquals(error.cause.status, 200);
  assertEquals(Object(error.result).messages.length, 3);
});

Deno.test("an error inside a 200 is a ServiceAPIError, whole and streamed", async () => {
  const error = { message: "Failed", code: "orchestration_failed", request_id: "req-1" };
  const body = { error, choices: [] };
  const calls: readonly (() => Promise<unknown>)[] = [
    () => client([Response.json(body)]).messages.create({ messages: MESSAGES }),
    async () => await client([sse([JSON.stringify(body)])]).messages.stream({ messages: MESSAGES }),
    async () => {
      const { messages } = client([sse([JSON.stringify(body)])]);
      return await messages.runStream({ messages: MESSAGES });
    },
  ];
  for (const call of calls) {
    const thrown = await assertRejects(call, ServiceAPIError, "Failed");
    assertEquals([thrown.status, thrown.requestId, thrown.body], [200, "req-1", error]);
  }
});

Deno.test("text of tasks before the reply is not part of it", async () => {
  const chunk = (content: string, task_id: string, finish_reason: string | null) =>
    JSON.stringify({
      ...{ id: "c", model: "m", orchestration: { task_id } },
      choices: [{ index: 0, delta: { content }, finish_reason }],
    });
  const frames = [chunk("A task", "t1", null), chunk("Reply", "final", "stop"), "[DONE]"];
  const { messages } = client([sse(frames)]);
  let streamed = "";
  const run = messages.runStream({ messages: MESSAGES }, {
    onTextDelta: (piece) => void (streamed += piece),
  });
  const texts: unknown[] = [];
  for await (const event of run) {
    if (event.type !== "chunk" || event.chunk.type !== "content_block_delta") continue;
    texts.push(Object(event.chunk.delta).text);
  }
  const { finalText, response } = await run;
  assertEquals([streamed, finalText, texts], ["Reply", "Reply", ["Reply"]]);
  assertEquals(response?.content, [{ type: "text", text: "Reply", citations: null }]);
});

Deno.test("a tool with a long name is called by it, on every surface", async () => {
  const name = `double_${"x".repeat(80)}`;
  const { messages, sent } = client([answer("Hi")]);
  const long: MessageCreateRequest = { messages: MESSAGES, tools: [{ name, input_schema: {} }] };
  await messages.create(long);
  const short = String(Object(sent[0]?.body.tools?.[0]).function.name);
  assertEquals(short.length, 64);
  const text = JSON.stringify(answer(null, ["1"])).replaceAll('"double"', JSON.stringify(short));
  const run = client([JSON.parse(text), answer("42")]);
  const stream = run.messages.runStream(long, { toolHandlers: { [name]: () => "42" } });
  const names = new Set<unknown>();
  for await (const event of stream) {
    if (event.type === "tool_call_delta" && event.name !== undefined) names.add(event.name);
    if (event.type === "tool_call") names.add(event.call.name);
  }
  assertEquals([...names], [name]);
  assertEquals((await stream).finalText, "42");
  assertEquals(Object(run.sent[1]?.body.messages[1]?.["tool_calls"])[0].function.name, short);
});

Deno.test("calls of a history are returned unchanged, byte for byte", async () => {
  const text = fc.string({ unit: "grapheme" });
  const signed = fc.record({
    extra_content: fc.record({ google: fc.record({ thought_signature: text }) }),
    thought_signature: text,
  }, { requiredKeys: [] });
  const use = fc.record({
    id: fc.string({ minLength: 1 }),
    name: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
    input: fc.dictionary(text, fc.jsonValue(), { noNullPrototype: true }),
    signed,
  }).map(({ signed, ...own }) => ({ type: "tool_use", ...own, ...signed }));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(use, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
      async (written) => {
        const uses = JSON.stringify(written);
        const fetch = (_input: unknown, init?: RequestInit) => {
          const { messages: [message] } = JSON.parse(String(init?.body));
          const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
          return Promise.resolve(Response.json({ id: "c", model: "m", choices }));
        };
        const { messages } = new ServiceClient({ apiKey: "k", fetch, defaultLocalTools: false });
        const { content } = await messages.create({
          messages: [{ role: "assistant", content: JSON.parse(uses) }],
        });
        const caller = { type: "direct" };
        const expected: unknown[] = JSON.parse(uses);
        assertEquals<unknown[]>(content, expected.map((one) => ({ ...Object(one), caller })));
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("a message that a provider signed as a whole is returned unchanged", async () => {
  const extra_content = { google: { thought_signature: "T+/=" } };
  const signed = answer("Two", ["1"]);
  Object.assign(signed.choices[0]?.message ?? {}, { extra_content });
  const { messages, sent } = client([signed, answer("Done")]);
  const { messages: history } = await messages.run({ messages: MESSAGES }, { tools: [double] });
  assertEquals(history[1]?.["extra_content"], extra_content);
  assertEquals(sent[1]?.body.messages[1]?.["extra_content"], extra_content);
});
