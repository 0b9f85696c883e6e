/** Code of an application on this surface; it has to compile unchanged. */

import { assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import type { MessageCreateRequest, MessageRunResult, MessageTurn, RunError } from "../mod.ts";
import { call, chunk, scripted, sse, streamOf } from "../scripted_service_test.ts";
import { weather } from "../weather_tool_test.ts";

const MESSAGES: MessageCreateRequest["messages"] = [{ role: "user", content: "Rain?" }];
const CALL = sse(...streamOf({ tool_calls: [call("1", "weather", { city: "Oslo" })] }));
const ANSWER = sse(chunk({ content: "Rain" }), chunk({}, "stop"));

Deno.test("events and their contents are distinguished by their types", async () => {
  const texts: string[] = [];
  const { client } = scripted(ANSWER);
  for await (const event of client.messages.stream({ messages: MESSAGES, max_tokens: 9 })) {
    switch (event.type) {
      case "message_start":
        texts.push(event.message.role);
        break;
      case "content_block_start":
        texts.push(event.content_block.type);
        break;
      case "content_block_delta":
        if (event.delta.type === "text_delta") texts.push(event.delta.text);
        break;
      case "message_delta":
        assertType<IsExact<typeof event.usage.output_tokens, number>>(true);
        texts.push(event.delta.stop_reason ?? "");
        break;
      case "content_block_stop":
      case "message_stop":
        break;
      default:
        assertType<IsExact<typeof event, never>>(true);
    }
  }
  assertEquals(texts, ["assistant", "text", "Rain", "end_turn"]);
});

Deno.test("a loop of the application's own sends blocks back as they came", async () => {
  const { client, sent } = scripted([CALL, ANSWER]);
  const tools = [{ name: "weather", input_schema: weather.parameters }];
  const { content } = await client.messages.stream({ messages: MESSAGES, tools });
  const uses = content.filter((block) => block.type === "tool_use");
  const answer: MessageTurn = await client.messages.stream({
    tools,
    messages: [...MESSAGES, { role: "assistant", content }, {
      role: "user",
      content: uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "Rain" })),
    }],
  });
  assertEquals(answer.content[0]?.type, "text");
  assertEquals(Object(sent[1]?.json["messages"]).length, 3);
});

Deno.test("a run continues from its messages, and with the calls that it returns", async () => {
  const { client } = scripted([CALL, ANSWER, CALL, ANSWER]);
  const run = client.messages.runStream({ messages: MESSAGES }, {
    tools: [weather],
    prepareStep: ({ conversation }) => ({ ...conversation, max_tokens: 9 }),
    stopWhen: (steps) => steps.length > 4,
  });
  for await (const event of run) {
    if (event.type === "tool_result") assertEquals(event.result.call.raw.input, { city: "Oslo" });
  }
  const { execute: _, ...declared } = weather;
  const handed = await client.messages.runStream({
    messages: [...(await run).messages, { role: "user", content: "And tomorrow?" }],
  }, { tools: [declared], manualTools: [declared.name] });
  assertEquals([handed.stoppedBy, handed.finalText], ["tool_calls", ""]);
  const content = handed.pendingCalls.map(({ id }) => ({
    ...{ type: "tool_result", tool_use_id: id, content: "Sun" },
  }));
  const { finalText } = await client.messages.runStream({
    messages: [...handed.messages, { role: "user", content }],
  });
  assertEquals(finalText, "Rain");
  assertType<IsExact<RunError<MessageRunResult>["result"], MessageRunResult>>(true);
  assertType<IsExact<MessageCreateRequest["model"], "auto" | undefined>>(true);
});
