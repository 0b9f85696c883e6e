import { assertEquals } from "@std/assert";
import {
  all,
  call,
  chunk,
  completion,
  json,
  MESSAGES,
  scripted,
  sse,
} from "../scripted_service_test.ts";

const QUESTION = { messages: MESSAGES };

Deno.test("the call of a custom tool is answered as a call without a handler", async () => {
  const tool_calls = [{ id: "1", type: "custom", custom: { name: "grep", input: "x" } }];
  const turn = (message: object, finish_reason: string) => ({
    choices: [{
      index: 0,
      message: { role: "assistant", content: null, ...message },
      finish_reason,
    }],
  });
  const { client, sent } = scripted([
    json(turn({ tool_calls }, "tool_calls")),
    json(turn({ content: "Done" }, "stop")),
  ]);
  const { finalText, messages } = await client.chat.completions.run(QUESTION);
  assertEquals(finalText, "Done");
  assertEquals(messages[1]?.tool_calls?.map((call) => ({ ...call })), [...Object(tool_calls)]);
  assertEquals(String(messages[2]?.content).includes("tool_handler_not_found"), true);
  assertEquals(sent.length, 2);
});

Deno.test("a run goes by the first choice, and every choice is in the answer", async () => {
  const piece = (index: number, content: string, finish_reason: string | null = null) => ({
    ...chunk({}),
    choices: [{ index, delta: { content, reasoning_content: `${index}?` }, finish_reason }],
  });
  const { client } = scripted(sse(
    piece(1, "other"),
    piece(0, "first"),
    piece(1, "!", "stop"),
    piece(0, "!", "stop"),
  ));
  const stream = client.chat.completions.runStream({ ...QUESTION, n: 2 });
  const texts = (await all(stream)).flatMap((event) =>
    event.type === "text_delta" || event.type === "reasoning_delta" ? [event.text] : []
  );
  assertEquals(texts, ["0?", "first", "0?", "!"]);
  const { finalText, response, steps } = await stream;
  assertEquals([finalText, steps[0]?.reasoning], ["first!", "0?0?"]);
  assertEquals(response?.choices.map(({ message }) => message.content), ["first!", "other!"]);
});

Deno.test("pieces of a call are emitted as they arrive, under any index", async () => {
  const { function: { name } } = call("1", "get_weather");
  const { client } = scripted([
    sse(
      chunk({ tool_calls: [{ id: "1", function: { name, arguments: '{"a"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
      chunk({}, "tool_calls"),
    ),
    sse(chunk({ content: "Done" }, "stop")),
  ]);
  const texts = (await all(client.chat.completions.runStream(QUESTION))).flatMap((event) =>
    event.type === "tool_call_delta" ? [[event.index, event.id, event.name, event.arguments]] : []
  );
  assertEquals(texts, [[0, "1", name, '{"a"'], [0, undefined, undefined, ":1}"]]);
});

Deno.test("an answer in parts is their text, streamed or not", async () => {
  const content = [{ type: "text", text: "Hel" }, { type: "thinking" }, {
    type: "text",
    text: "lo",
  }];
  const whole = completion({}, {
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  });
  const pieces = [...content.map((part) => chunk({ content: [part] })), chunk({}, "stop")];
  const { client } = scripted([json(whole), sse(...pieces)]);
  const { finalText, messages } = await client.chat.completions.run(QUESTION);
  assertEquals(finalText, "Hello");
  const streamed = await client.chat.completions.runStream(QUESTION);
  assertEquals(streamed.finalText, "Hello");
  assertEquals<unknown>(messages.at(-1)?.content, content);
  assertEquals<unknown>(streamed.messages.at(-1)?.content, content);
});

Deno.test("an answer without usage and bill counts zero", async () => {
  const { client } = scripted(json(completion({ content: "Hi" }, { usage: null, metadata: null })));
  assertEquals((await client.chat.completions.run(QUESTION)).usage.totalTokens, 0);
});

Deno.test("usage that is odd counts for nothing, and a sum that is missing is made", async () => {
  const usage = { prompt_tokens: 2, completion_tokens: 3 };
  const odd = { ...usage, prompt_tokens: { toString: "" }, total_tokens: "7" };
  const { client } = scripted([
    json(completion({ content: "Hi" }, { usage })),
    json(completion({ content: "Hi" }, { usage: odd })),
  ]);
  const totals = [
    (await client.chat.completions.run(QUESTION)).usage.totalTokens,
    (await client.chat.completions.run(QUESTION)).usage.totalTokens,
  ];
  assertEquals(totals, [5, 3]);
});
