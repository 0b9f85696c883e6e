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
