import { assertEquals } from "@std/assert";
import { chunk, completion, json, MESSAGES, scripted, sse } from "../scripted_service_test.ts";
import { weather } from "../weather_tool_test.ts";

const functions = [{ name: "weather", parameters: { type: "object" } }];
const request = { messages: MESSAGES, functions, function_call: { name: "weather" } };
const function_call = { name: "weather", arguments: '{"city":"Oslo"}' };

const choices = [{
  index: 0,
  message: { role: "assistant", content: null, function_call },
  finish_reason: "function_call",
}];

/** The call in pieces, as a stream has it. */
const pieces = sse(
  chunk({ role: "assistant", content: null, function_call: { name: "weather", arguments: "" } }),
  chunk({ function_call: { arguments: '{"city":' } }),
  chunk({ function_call: { arguments: '"Oslo"}' } }),
  chunk({}, "function_call"),
);

const METHODS = {
  run: [json({ choices }), json(completion({ content: "It rains" }))],
  runStream: [pieces, sse(chunk({ content: "It rains" }), chunk({}, "stop"))],
} as const;

for (const [method, replies] of Object.entries(METHODS)) {
  Deno.test(`${method} runs a call of the older kind, and answers it in kind`, async () => {
    const { client, sent } = scripted(replies, { tools: [weather] });
    const result = method === "run"
      ? await client.chat.completions.run(request)
      : await client.chat.completions.runStream(request);
    assertEquals([result.stoppedBy, result.finalText], ["finish", "It rains"]);
    assertEquals(result.steps.map(({ finishReason }) => finishReason), ["tool_calls", "stop"]);
    const [first, second] = sent.map(({ json }) => json);
    assertEquals(first?.["tools"], undefined);
    assertEquals(first?.["function_call"], { name: "weather" });
    // A choice that stays forced would call endlessly.
    assertEquals(second?.["function_call"], "auto");
    const [call, answer] = (second?.["messages"] as object[]).slice(-2);
    assertEquals(Object(call).function_call, function_call);
    assertEquals(answer, { role: "function", name: "weather", content: "Rain in Oslo" });
  });
}

Deno.test("a call of the older kind without a handler is answered with an error for the model", async () => {
  const { client, sent } = scripted(METHODS.run);
  await client.chat.completions.run(request);
  const answer = (sent[1]?.json["messages"] as object[]).at(-1);
  assertEquals(Object(answer).name, "weather");
  assertEquals(JSON.parse(Object(answer).content).error.code, "tool_handler_not_found");
});

Deno.test("a call of the older kind to a tool of the caller's is handed back", async () => {
  const { execute: _, ...own } = weather;
  const { client, sent } = scripted(METHODS.run);
  const result = await client.chat.completions.run(request, {
    tools: [own],
    manualTools: ["weather"],
  });
  assertEquals([result.stoppedBy, result.finalText, sent.length], ["tool_calls", "", 1]);
  assertEquals(result.pendingCalls.map(({ name }) => name), ["weather"]);
});

Deno.test("functions of the older kind are the request's own tools", async () => {
  const { client, sent } = scripted(json({ choices }), { defaultLocalTools: true });
  const { choices: [choice] } = await client.chat.completions.create(request);
  assertEquals(choice?.finish_reason, "function_call");
  assertEquals([sent.length, sent[0]?.json["tools"]], [1, undefined]);
});

for (const odd of [7, "weather", [], { name: 7 }]) {
  Deno.test(`a function_call that is ${JSON.stringify(odd)} is not a valid answer`, async () => {
    const message = { role: "assistant", content: null, function_call: odd };
    const { client } = scripted(json({ choices: [{ index: 0, message }] }), { tools: [weather] });
    const error = await client.chat.completions.run(request).catch((error) => error);
    assertEquals(error.name, "ServiceAPIError");
  });
}
