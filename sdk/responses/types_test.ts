/** Code of an application on this surface; it has to compile unchanged. */

import { assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import type {
  ResponseCreateRequest,
  ResponseInputItem,
  ResponseRunResult,
  ResponseTurn,
  RunError,
} from "../mod.ts";
import { call, message, resource, scripted } from "./script_test.ts";
import { weather } from "../weather_tool_test.ts";

const CALL = resource([call("weather", { arguments: '{"city":"Oslo"}' })]);
const ANSWER = resource([message("Rain")]);

Deno.test("events and their contents are distinguished by their types", async () => {
  const texts: string[] = [];
  const { client } = scripted([ANSWER]);
  for await (const event of client.responses.stream({ input: "Rain?", max_output_tokens: 9 })) {
    switch (event.type) {
      case "response.output_item.done":
        if (event.item.type === "message") texts.push(event.item.role);
        break;
      case "response.output_text.delta":
        texts.push(event.delta);
        break;
      case "response.completed":
        texts.push(event.response.status);
        break;
      case "error":
        assertType<IsExact<typeof event.message, string>>(true);
    }
  }
  assertEquals(texts, ["Ra", "in", "assistant", "completed"]);
});

Deno.test("a loop of the application's own sends items back as they came", async () => {
  const { client, sent } = scripted([CALL, ANSWER]);
  const { name, parameters } = weather;
  const tools = [{ type: "function", name, parameters }];
  const { output } = await client.responses.create({ input: "Rain?", tools });
  const calls = output.filter((item) => item.type === "function_call");
  const answer: ResponseTurn = await client.responses.create({
    tools,
    input: [
      { role: "user", content: "Rain?" },
      ...output,
      ...calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "Rain" })),
    ],
  });
  assertEquals([answer.outputText, Object(sent[1]?.input).length], ["Rain", 3]);
});

Deno.test("a run continues from its input, and with the calls that it returns", async () => {
  const { client } = scripted([CALL, ANSWER, CALL, ANSWER]);
  const questions: ResponseInputItem[] = [{ role: "user", content: "Rain?" }];
  const run = client.responses.runStream({ input: questions }, {
    tools: [weather],
    prepareStep: ({ conversation }) => ({ ...conversation, max_output_tokens: 9 }),
    stopWhen: (steps) => steps.length > 4,
  });
  for await (const event of run) {
    if (event.type === "tool_result") assertEquals(event.result.call.raw.name, "weather");
  }
  const { execute: _, ...declared } = weather;
  const handed = await client.responses.run({
    input: [...(await run).input, { role: "user", content: "And tomorrow?" }],
  }, { tools: [declared], manualTools: [declared.name] });
  assertEquals([handed.stoppedBy, handed.finalText], ["tool_calls", ""]);
  const results = handed.pendingCalls.map(({ id }) => ({
    ...{ type: "function_call_output", call_id: id, output: "Sun" },
  }));
  const { finalText } = await client.responses.run({ input: [...handed.input, ...results] });
  assertEquals(finalText, "Rain");
  assertType<IsExact<RunError<ResponseRunResult>["result"], ResponseRunResult>>(true);
  assertType<IsExact<ResponseCreateRequest["model"], "auto" | undefined>>(true);
});
