import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import type { ChatCompletion, ChatRequest } from "@svc/sdk/protocol";
import fc from "fast-check";
import { ask, complete, failed, send, simulatorForTest, stream, textOf } from "./chat_fixture.ts";
import { countTokens } from "./text_tokens.ts";

Deno.test("an answer is labelled, echoes the question and is complete", async () => {
  const completion = await complete(ask("What is the capital of France?"));
  const { choices: _, usage: __, ...head } = completion;
  assertEquals(head, {
    id: head.id,
    object: "chat.completion",
    created: 1_700_000_000,
    model: "sim-small",
  });
  assertMatch(head.id, /^chatcmpl-sim-[0-9a-f]{8}-1$/);
  assertMatch(textOf(completion), /^\[simulated\] You asked: "What is the capital of France\?"/);
  assertEquals(completion.choices[0]?.finish_reason, "stop");
  const output = countTokens(textOf(completion));
  assertEquals(completion.usage, {
    prompt_tokens: 15,
    completion_tokens: output,
    total_tokens: 15 + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  });
});

Deno.test("the port's usage is what the body says", async () => {
  const answer = await send(ask("Hi", { simulate: { text: "one two" } }));
  assertEquals(answer.kind === "json" ? answer.usage : undefined, {
    inputTokens: 9,
    cachedInputTokens: 0,
    outputTokens: 2,
  });
});

Deno.test("equal requests get equal answers, others get others", async () => {
  const simulator = simulatorForTest();
  const one = await complete(ask("Hi"), { simulator });
  const two = await complete(ask("Hi", { temperature: 2 }), { simulator });
  assertEquals(one.choices, two.choices);
  assertNotEquals(one.id, two.id);
  assertNotEquals(one.choices, (await complete(ask("Ho"), { simulator })).choices);
});

Deno.test("a Chinese question gets a Chinese answer", async () => {
  const messages = [
    { role: "system", content: "简洁" },
    {
      role: "user",
      content: [
        { type: "text", text: "这是什么？" },
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
      ],
    },
  ];
  const text = textOf(await complete({ messages }));
  assertStringIncludes(text, "【模拟】 您问的是：“这是什么？”。");
  assertStringIncludes(text, "我收到 1 张图片：example.com。");
  assertStringIncludes(text, "“简洁”");
});

Deno.test("the system prompt is heard and long texts are quoted short", async () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "developer", content: "Be kind." },
    { role: "user", content: "😀".repeat(500) },
  ];
  const text = textOf(await complete({ messages }));
  assertStringIncludes(text, 'My instructions begin: "Be brief.\nBe kind.".');
  assertStringIncludes(text, `"${"😀".repeat(100)}…"`);
  messages[2] = { role: "user", content: `a${"😀".repeat(500)}` };
  assertStringIncludes(textOf(await complete({ messages })), `"a${"😀".repeat(99)}…"`);
});

Deno.test("images are counted and described", async () => {
  const image = (url: unknown) => ({ type: "image_url", image_url: { url } });
  const content = [
    { type: "text", text: "What is this?" },
    image("data:image/png;base64,AAAA"),
    image("https://example.com:8080/a.png"),
    image("data:,"),
    image("nonsense"),
    image(1),
    7,
  ];
  const completion = await complete({ messages: [{ role: "user", content }] });
  const seen = "I was shown 4 images: image/png, example.com:8080, text/plain, unreadable address.";
  assertStringIncludes(textOf(completion), seen);
  assertEquals(completion.usage?.prompt_tokens, 4 + 4 + countTokens("What is this?") + 4 * 85);
});

Deno.test("nothing asked is answered too", async () => {
  assertStringIncludes(textOf(await complete({ messages: [{ role: "user" }] })), "asked nothing");
});

Deno.test("output limits cut the answer: the smallest counts", async () => {
  for (
    const [limits, outputLimit, tokens] of [
      [{ max_tokens: 3 }, undefined, 3],
      [{ max_tokens: 9, max_completion_tokens: 4 }, undefined, 4],
      [{ max_tokens: 9 }, 2, 2],
      [{}, 5, 5],
    ] as const
  ) {
    const completion = await complete(ask("Hello", limits), { outputLimit });
    assertEquals(completion.usage?.completion_tokens, tokens);
    assertEquals(countTokens(textOf(completion)), tokens);
    assertEquals(completion.choices[0]?.finish_reason, "length");
  }
});

Deno.test("an answer that just fits its limit is not cut", async () => {
  const simulate = { text: "one two three" };
  const completion = await complete(ask("Hi", { simulate, max_tokens: 3 }));
  assertEquals(textOf(completion), "one two three");
  assertEquals(completion.choices[0]?.finish_reason, "stop");
});

Deno.test("n returns that number of distinct choices", async () => {
  const completion = await complete(ask("Hi", { n: 3, max_tokens: 50 }));
  assertEquals(completion.choices.map((choice) => choice.index), [0, 1, 2]);
  assertEquals(new Set(completion.choices.map((choice) => choice.message.content)).size, 3);
  const tokens = completion.choices.map((choice) => countTokens(choice.message.content ?? ""));
  assertEquals(completion.usage?.completion_tokens, tokens.reduce((sum, count) => sum + count));
});

Deno.test("the first stop ends the answer", async () => {
  const simulate = { text: "one two three" };
  for (const [stop, text] of [[" three", "one two"], [["x", "three", "two"], "one "]] as const) {
    const completion = await complete({ ...ask("Hi"), simulate, stop });
    assertEquals(textOf(completion), text);
    assertEquals(completion.choices[0]?.finish_reason, "stop");
  }
  assertEquals(textOf(await complete({ ...ask("Hi"), simulate, stop: ["", null] })), simulate.text);
});

Deno.test("json_object answers with an object, json_schema with an instance", async () => {
  const object = await complete(ask("Hi", { response_format: { type: "json_object" } }));
  assertEquals(Object.keys(JSON.parse(textOf(object))), ["simulated", "answer"]);
  const schema = { properties: { a: { type: "integer" } }, required: ["a"], type: "object" };
  const format = (json_schema: unknown) => ({
    response_format: { type: "json_schema", json_schema },
  });
  assertEquals(textOf(await complete(ask("Hi", format({ schema })))), '{"a":0}');
  assertEquals(textOf(await complete(ask("Hi", format({})))), "{}");
  assertMatch(textOf(await complete(ask("Hi", { response_format: { type: "text" } }))), /^\[sim/);
  const refused = await failed(ask("Hi", format({ schema: { not: {} } })));
  assertEquals(refused.param, "response_format.json_schema.schema");
  assertEquals((await failed(ask("Hi", format(undefined)))).param, "response_format.json_schema");
});

Deno.test("requests that cannot be read are refused with their path", async () => {
  const tools = [{ type: "function", function: { name: "f" } }];
  for (
    const [body, param] of [
      [{}, "messages"],
      [{ messages: [] }, "messages"],
      [{ messages: [1] }, "messages.0.role"],
      [{ messages: [{ role: "user", content: "a" }, {}] }, "messages.1.role"],
      [ask("Hi", { n: 0 }), "n"],
      [ask("Hi", { n: 129 }), "n"],
      [ask("Hi", { max_tokens: 0 }), "max_tokens"],
      [ask("Hi", { max_completion_tokens: 1.5 }), "max_completion_tokens"],
      [ask("Hi", { tool_choice: "required" }), "tool_choice"],
      [
        ask("Hi", { tools, tool_choice: { type: "function", function: { name: "g" } } }),
        "tool_choice",
      ],
      [{ ...ask("Hi"), simulate: 1 }, "simulate"],
    ] as const
  ) {
    const { outcome, status, param: field, message } = await failed(body);
    assertEquals({ outcome, status, field }, {
      outcome: "refused_input",
      status: 400,
      field: param,
    }, message);
  }
});

const anything = fc.oneof(fc.jsonValue(), fc.constant({ toString: 1, valueOf: 1 }));
const anyCall = fc.record({ id: anything, function: anything });
const anyMessage = fc.record({
  role: fc.constantFrom("system", "user", "assistant", "tool", "other"),
  content: fc.oneof(anything, fc.array(fc.record({ text: anything, image_url: anything }))),
  tool_calls: fc.oneof(anything, fc.array(anyCall)),
  tool_call_id: anything,
}, { requiredKeys: ["role"] });
const anyFunction = fc.record({
  name: fc.constantFrom("f", "calculator", 1),
  parameters: anything,
});
const anyFormat = fc.record({ type: fc.constant("json_schema"), json_schema: anything });
const anyBody = fc.record({
  messages: fc.oneof(anything, fc.array(anyMessage, { minLength: 1 })),
  tools: fc.array(fc.record({ type: fc.constant("function"), function: anyFunction })),
  tool_choice: fc.oneof(anything, fc.constant("required"), fc.record({ function: anything })),
  response_format: fc.oneof(anything, anyFormat),
  stop: anything,
  n: fc.oneof(anything, fc.constant(1)),
  simulate: anything,
}, { requiredKeys: ["messages"] });

Deno.test("the simulator answers or refuses any body", async () => {
  const kinds = new Set<string>();
  const property = fc.asyncProperty(anyBody, async (body) => {
    const answer = await send(body, { model: "sim-large" });
    kinds.add(answer.kind);
    if (answer.kind === "failure") assertEquals(answer.outcome, "refused_input");
  });
  await fc.assert(property, { numRuns: 500 });
  assertEquals(kinds, new Set(["json", "failure"]));
});

Deno.test("values without a text of their own are refused like others", async () => {
  const odd = { toString: 1, valueOf: 1 };
  assertEquals((await failed({ ...ask("Hi"), n: odd })).param, "n");
  const choice = { type: "function", function: { name: odd } };
  assertEquals((await failed({ ...ask("Hi"), tool_choice: choice })).param, "tool_choice");
});

Deno.test("another endpoint fails clearly", async () => {
  const failure = await failed(ask("Hi"), { endpoint: "responses" });
  assertEquals(failure, {
    kind: "failure",
    outcome: "server_error",
    status: 501,
    message: 'The simulator does not serve the endpoint "responses"',
  });
});

Deno.test("a stream has role, words, finish and usage, in this order", async () => {
  const simulate = { text: "one two" };
  const body = ask("Hi", { simulate, n: 2 });
  const chunks = await Array.fromAsync(stream(body));
  const parts = chunks.map(({ choices: [choice], usage }) => {
    return choice ? [choice.index, choice.delta, choice.finish_reason] : usage;
  });
  const choice = (index: number) => [
    [index, { role: "assistant", content: "", refusal: null }, null],
    [index, { content: "one" }, null],
    [index, { content: " two" }, null],
    [index, {}, "stop"],
  ];
  assertEquals(parts, [...choice(0), ...choice(1), (await complete(body)).usage]);
  assertEquals(new Set(chunks.map(({ id, created, model }) => `${id}${created}${model}`)).size, 1);
});

Deno.test("a stream reports usage last, whether it was asked for or not", async () => {
  const chunks = await Array.fromAsync(stream(ask("Hi")));
  assertEquals(chunks.map((chunk) => "usage" in chunk).indexOf(true), chunks.length - 1);
});

/** Puts a stream together again. */
async function collect(body: Record<string, unknown>, model: string): Promise<unknown> {
  const choices: { text: string; calls: Record<string, unknown>[]; finish: unknown }[] = [];
  let usage: unknown;
  for await (const chunk of stream(body, { model })) {
    usage = chunk.usage ?? usage;
    for (const { index, delta, finish_reason } of chunk.choices) {
      const choice = choices[index] ??= { text: "", calls: [], finish: null };
      choice.text += delta.content ?? "";
      choice.finish = finish_reason;
      for (const { index: at, ...piece } of delta.tool_calls ?? []) {
        const call = choice.calls[at] ??= { ...piece, args: "" };
        call.args += piece.function?.arguments ?? "";
      }
    }
  }
  return { choices, usage };
}

function parts({ choices, usage }: ChatCompletion): unknown {
  return {
    choices: choices.map(({ message, finish_reason }) => ({
      text: message.content ?? "",
      calls: (message.tool_calls ?? []).map((call) => ({
        ...call,
        function: { name: call.function.name, arguments: "" },
        args: call.function.arguments,
      })),
      finish: finish_reason,
    })),
    usage,
  };
}

const tool = fc.constantFrom("calculator", "get_weather", "now").map((name) => ({
  type: "function" as const,
  function: {
    name,
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  },
}));

const request: fc.Arbitrary<ChatRequest> = fc.record({
  model: fc.constant("auto"),
  messages: fc.array(
    fc.record({
      role: fc.constantFrom("system", "user", "assistant"),
      content: fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom("12*3 and 4+5", "use get_weather and now", "现在几点"),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  tools: fc.array(tool, { maxLength: 3 }),
  parallel_tool_calls: fc.boolean(),
  n: fc.integer({ min: 1, max: 3 }),
  max_tokens: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 30 })),
  stop: fc.oneof(fc.constant(null), fc.constantFrom("no", "a", " ")),
  response_format: fc.constantFrom(null, { type: "json_object" }),
});

Deno.test("the stream of any request says what its JSON answer says", async () => {
  await fc.assert(
    fc.asyncProperty(request, fc.constantFrom("sim-small", "sim-large"), async (body, model) => {
      const completion = await complete(body, { model });
      assertEquals(await collect(body, model), parts(completion));
      const most = (body.max_tokens ?? Infinity) * (body.n ?? 1);
      assertEquals((completion.usage?.completion_tokens ?? 0) <= most, true);
    }),
  );
});
