import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ChatMessage, ChatRequest, ToolCall } from "@svc/sdk/protocol";
import { ask, complete, failed, textOf } from "./chat_fixture.ts";

function tool(name: string, parameters?: Record<string, unknown>) {
  return { type: "function", function: { name, ...(parameters ? { parameters } : {}) } };
}

const text = { type: "string" };
const calculator = tool("calculator", {
  type: "object",
  properties: { precision: { type: "integer" }, note: text, formula: text },
  required: ["precision", "formula"],
});
const getWeather = tool("get_weather", { properties: { city: text }, required: ["city"] });
const getTime = tool("get_time");
const shell = tool("shell", { properties: { command: text }, required: ["command"] });
const hosted = { type: "web_search_preview" };

async function callsOf(body: Record<string, unknown>, model = "sim-small"): Promise<ToolCall[]> {
  const completion = await complete(body, { model });
  const choice = completion.choices[0];
  const calls = choice?.message.tool_calls ?? [];
  assertEquals(choice?.finish_reason, calls.length > 0 ? "tool_calls" : "stop");
  if (calls.length > 0) assertEquals(choice?.message.content, null);
  return calls;
}

async function summary(body: Record<string, unknown>): Promise<string[]> {
  return (await callsOf(body)).map((call) => `${call.function.name}${call.function.arguments}`);
}

/** The next turn: the calls echoed, each with a result. */
function answered(body: ChatRequest, calls: ToolCall[], result = "36"): ChatRequest {
  const results = calls.map((call): ChatMessage => {
    return { role: "tool", tool_call_id: call.id, content: result };
  });
  const echo: ChatMessage = { role: "assistant", content: null, tool_calls: calls };
  return { ...body, messages: [...body.messages, echo, ...results] };
}

Deno.test("an arithmetic question calls the calculator it is offered", async () => {
  const tools = [getTime, calculator];
  assertEquals(await summary(ask("What is 12 * 3?", { tools })), [
    'calculator{"precision":0,"formula":"12 * 3"}',
  ]);
  assertEquals(await summary(ask("What is 12 * 3?", { tools: [getTime, hosted] })), []);
  assertEquals(await summary(ask("Hello", { tools })), []);
});

Deno.test("the expression goes where the calculator's schema has room", async () => {
  const question = (parameters?: Record<string, unknown>) =>
    summary(ask("1+2", { tools: [tool("calculator", parameters)] }));
  assertEquals(await question(), ['calculator{"expression":"1+2"}']);
  assertEquals(await question({ properties: { n: { type: "number" }, expr: {} } }), [
    'calculator{"expr":"1+2"}',
  ]);
});

Deno.test("several expressions are parallel calls unless that is forbidden", async () => {
  const body = ask("What is 12*3 and 4+5?", { tools: [tool("calculator")] });
  assertEquals(await summary(body), [
    'calculator{"expression":"12*3"}',
    'calculator{"expression":"4+5"}',
  ]);
  const serial = { ...body, parallel_tool_calls: false };
  const first = await callsOf(serial);
  assertEquals(first.map((call) => call.function.arguments), ['{"expression":"12*3"}']);
  const second = await callsOf(answered(serial, first));
  assertEquals(second.map((call) => call.function.arguments), ['{"expression":"4+5"}']);
  const done = answered(answered(serial, first), second, "9");
  assertStringIncludes(textOf(await complete(done)), "calculator: 36; calculator: 9");
});

Deno.test("tools that the question names are called, in its order", async () => {
  const tools = [getTime, getWeather, shell, tool("")];
  assertEquals(await summary(ask("call get_weather and get_time for Paris", { tools })), [
    'get_weather{"city":"Paris"}',
    "get_time{}",
  ]);
  assertEquals(await summary(ask('get_weather "New York", please', { tools })), [
    'get_weather{"city":"New York"}',
  ]);
  assertEquals(await summary(ask("请使用get_time", { tools })), ["get_time{}"]);
  assertEquals(await summary(ask("forget_time and get_times", { tools })), []);
});

Deno.test("an ordinary word is a tool only beside a verb", async () => {
  assertEquals(await summary(ask("What is a sea shell?", { tools: [shell] })), []);
  assertEquals(await summary(ask("Use the shell", { tools: [shell] })), [
    'shell{"command":"simulated"}',
  ]);
});

Deno.test("a JSON object after the name is passed on unchanged", async () => {
  const tools = [getWeather, shell];
  const args = '{"command": "echo {}", "deep": {"a": 1.0}}';
  assertEquals(await summary(ask(`run shell with ${args} now`, { tools })), [`shell${args}`]);
  assertEquals(await summary(ask("run shell { nothing }", { tools })), [
    'shell{"command":"simulated"}',
  ]);
  assertEquals(await summary(ask(`run shell {${"}".repeat(3000)}`, { tools })), ["shell{}"]);
  assertEquals(await summary(ask(`run shell {"${"}".repeat(3000)}`, { tools })), [
    'shell{"command":"simulated"}',
  ]);
});

Deno.test("text quoted after a tool's name is that tool's argument", async () => {
  const run = tool("shell", { properties: { mode: { enum: ["a"] }, command: text } });
  const read = tool("file_read", { properties: { path: text }, required: ["path"] });
  const add = tool("calculator", { properties: { expression: text }, required: ["expression"] });
  const tools = [run, read, add];
  const question = `Use calculator for 17 * 23, file_read on "a.md" and shell to run "date"`;
  assertEquals(await summary(ask(question, { tools })), [
    'calculator{"expression":"17 * 23"}',
    'file_read{"path":"a.md"}',
    'shell{"command":"date"}',
  ]);
  assertEquals(await summary(ask("What is 17 * 23? Use the calculator.", { tools })), [
    'calculator{"expression":"17 * 23"}',
  ]);
  assertEquals(await summary(ask("Use shell", { tools: [run] })), ["shell{}"]);
});

Deno.test("tool_choice is obeyed", async () => {
  const tools = [getWeather, getTime, calculator];
  const named = (name: string) => ({ type: "function", function: { name } });
  const calls = async (content: string, tool_choice: ChatRequest["tool_choice"]) =>
    (await callsOf({ ...ask(content), tools, tool_choice })).map((call) => call.function.name);
  assertEquals(await calls("call get_weather, 1+2", "none"), []);
  assertEquals(await calls("Hello", "required"), ["get_weather"]);
  assertEquals(await calls("1+2", "required"), ["calculator"]);
  assertEquals(await calls("call get_weather", named("get_time")), ["get_time"]);
  assertEquals(await calls("Hello", { type: "allowed_tools" }), []);
});

Deno.test("a forced call whose arguments cannot be made is refused", async () => {
  const tools = [tool("f", { required: ["a"], properties: { a: { not: {} } } })];
  assertEquals((await failed(ask("Hi", { tools, tool_choice: "required" }))).param, "tools");
  const bad = [tool("calculator", { required: ["a"], properties: { a: false } })];
  assertEquals((await failed(ask("1+1", { tools: bad }))).param, "tools");
});

Deno.test("after the results the answer uses them, also where a call is required", async () => {
  const body = ask("What is 12*3?", { tools: [tool("calculator")], tool_choice: "required" });
  const completion = await complete(answered(body, await callsOf(body)));
  assertMatch(textOf(completion), /^\[simulated\] The tools returned: calculator: 36\. You asked/);
  assertEquals(completion.choices[0]?.finish_reason, "stop");
});

Deno.test("results are stated in Chinese, with the images that came with them", async () => {
  const body = ask("使用 get_time", { tools: [getTime] });
  const next = answered(body, await callsOf(body), "12:00");
  next.messages.push({
    role: "user",
    content: [{ type: "image_url", image_url: { url: "data:image/gif;base64,A" } }],
  });
  const text = textOf(await complete(next));
  assertStringIncludes(text, "工具返回：get_time: 12:00。");
  assertStringIncludes(text, "image/gif");
});

Deno.test("a new question may call again", async () => {
  const body = ask("What is 12*3?", { tools: [tool("calculator")] });
  const next = answered(body, await callsOf(body));
  next.messages.push({ role: "user", content: "And 4+4?" });
  assertEquals(await summary(next), ['calculator{"expression":"4+4"}']);
});

Deno.test("output limits cut calls too", async () => {
  const body = ask("12*3, 4+5", { tools: [tool("calculator")] });
  const whole = await complete(body);
  for (let limit = 1; limit < (whole.usage?.completion_tokens ?? 0); limit++) {
    const { choices: [choice], usage } = await complete({ ...body, max_tokens: limit });
    assertEquals(choice?.finish_reason, "length");
    assertEquals((usage?.completion_tokens ?? 0) <= limit, true);
  }
});

Deno.test("results of unknown calls and malformed echoes are survived", async () => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", tool_calls: [{}, 1, { id: "x", function: { name: "f" } }] },
    { role: "tool", tool_call_id: "y", content: "lost" },
  ];
  assertStringIncludes(textOf(await complete({ messages })), "tool: lost");
});

const tools = [tool("calculator"), getTime];
const pair = ask("12*3, 4+5", { tools });

Deno.test("signing models sign only the first of parallel calls", async () => {
  const large = await callsOf(pair, "sim-large");
  assertEquals(large.map((call) => Object.keys(call)), [
    ["id", "type", "function", "extra_content"],
    ["id", "type", "function"],
  ]);
  const [thought] = await callsOf(pair, "sim-thought");
  assertMatch(String(thought?.thought_signature), /^[A-Za-z0-9+/]{43}=$/);
  assertEquals(thought?.extra_content, undefined);
  const [small] = await callsOf(pair, "sim-small");
  assertEquals(Object.keys(small ?? {}), ["id", "type", "function"]);
});

Deno.test("a whole echo of signed calls is accepted", async () => {
  for (const model of ["sim-signed", "sim-large", "sim-thought"]) {
    const calls = await callsOf(pair, model);
    assertStringIncludes(
      textOf(await complete(answered(pair, calls), { model })),
      "calculator: 36; calculator: 36",
    );
  }
});

Deno.test("a lost or changed signature, or a changed call, is refused", async () => {
  for (const model of ["sim-signed", "sim-thought"]) {
    const [first, ...rest] = await callsOf(pair, model);
    if (first === undefined) throw new Error("Expected a call");
    const { extra_content: _, thought_signature: __, ...lost } = first;
    const other = { ...first, function: { ...first.function, arguments: "{}" } };
    const foreign = { ...lost, thought_signature: "other" };
    for (
      const [call, message] of [
        [lost, "missing its thought_signature"],
        [foreign, "does not fit"],
        [other, "does not fit"],
        [{ ...lost, extra_content: { google: {} } }, "missing its thought_signature"],
      ] as const
    ) {
      const failure = await failed(answered(pair, [call, ...rest]), { model });
      assertEquals([failure.outcome, failure.status], ["refused_input", 400]);
      assertEquals(failure.param, "messages.1.tool_calls.0");
      assertStringIncludes(failure.message, message);
    }
    const skipped = { ...lost, thought_signature: "skip_thought_signature_validator" };
    await complete(answered(pair, [skipped, ...rest]), { model });
  }
});

Deno.test("only the calls since the last question are checked, and every step of them", async () => {
  const model = "sim-large";
  const [call] = await callsOf(pair, model);
  if (call === undefined) throw new Error("Expected a call");
  const { extra_content: _, ...lost } = call;
  const two = answered(answered(pair, [call]), [lost]);
  assertEquals((await failed(two, { model })).param, "messages.3.tool_calls.0");
  two.messages.push({ role: "user", content: "Thanks" });
  await complete(two, { model });
});

Deno.test("a call that was parallel to a signed one may return without it", async () => {
  const model = "sim-large";
  const calls = await callsOf(pair, model);
  assertEquals(calls.length, 2);
  await complete(answered(pair, calls.slice(1)), { model });
});
