/** Odd calls are handled alike on every surface, whole and streamed. */

import { assertEquals, assertMatch } from "@std/assert";
import type { ServiceClient, Tool } from "../mod.ts";
import { argumentsText, distinctIds } from "./call_parts.ts";
import { chunk, completion, json, type Reply, scripted, sse } from "../scripted_service_test.ts";

interface Odd {
  readonly id: string | null;
  readonly arguments: unknown;
}

const SAID = [{ role: "user", content: "Hello" }] as const;
const NAME = "keep";

/** A turn that calls, and then one that says so. */
interface Way {
  replies(calls: readonly Odd[]): readonly Reply[];
  run(client: ServiceClient, tools: readonly Tool[]): PromiseLike<unknown>;
}

function chatCall({ id, arguments: written }: Odd) {
  return { id, type: "function", function: { name: NAME, arguments: written } };
}

const whole = (calls: readonly Odd[]): readonly Reply[] => [
  json(completion(Object({ tool_calls: calls.map(chatCall) }))),
  json(completion({ content: "Done" })),
];
const streamed = (calls: readonly Odd[]): readonly Reply[] => [
  sse(
    ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...chatCall(call) }] })),
    chunk({}, "tool_calls"),
  ),
  sse(chunk({ content: "Done" }, "stop")),
];

function responseOf(calls: readonly Odd[]) {
  const output = calls.map(({ id, arguments: written }) => ({
    ...{ type: "function_call", call_id: id, name: NAME, arguments: written },
  }));
  return { status: "completed", output };
}
const DONE = {
  status: "completed",
  output: [{ type: "message", content: [{ type: "output_text", text: "Done" }] }],
};
const completed = (response: unknown) => sse({ type: "response.completed", response });

const WAYS: Readonly<Record<string, Way>> = {
  "chat run": {
    replies: whole,
    run: (client, tools) => client.chat.completions.run({ messages: SAID }, { tools }),
  },
  "chat runStream": {
    replies: streamed,
    run: (client, tools) => client.chat.completions.runStream({ messages: SAID }, { tools }),
  },
  "messages run": {
    replies: whole,
    run: (client, tools) => client.messages.run({ messages: SAID }, { tools }),
  },
  "messages runStream": {
    replies: streamed,
    run: (client, tools) => client.messages.runStream({ messages: SAID }, { tools }),
  },
  "responses run": {
    replies: (calls) => [json(responseOf(calls)), json(DONE)],
    run: (client, tools) => client.responses.run({ input: "Hi" }, { tools }),
  },
  "responses runStream": {
    replies: (calls) => [completed(responseOf(calls)), completed(DONE)],
    run: (client, tools) => client.responses.runStream({ input: "Hi" }, { tools }),
  },
};

/** The arguments of the tool's calls, and the calls and results of the second request. */
async function outcome({ replies, run }: Way, calls: readonly Odd[]) {
  const inputs: unknown[] = [];
  const { client, sent } = scripted(replies(calls));
  await run(client, [{
    ...{ name: NAME, parameters: { type: "object" } },
    execute: (input) => inputs.push(input),
  }]);
  const items: Record<string, unknown>[] = Object(
    sent[1]?.json["messages"] ?? sent[1]?.json["input"],
  );
  const called = items.flatMap((item) => Object(item["tool_calls"] ?? (item["name"] ? [item] : [])))
    .map((call) => Object(call));
  return {
    inputs,
    arguments: called.map((call) => call.function?.arguments ?? call.arguments),
    ids: called.map((call) => call.call_id ?? call.id),
    answered: items.flatMap((item) =>
      "output" in item || item["role"] === "tool" ? [item["call_id"] ?? item["tool_call_id"]] : []
    ),
  };
}

for (const [name, way] of Object.entries(WAYS)) {
  Deno.test(`${name}: arguments may be text, an object or null, and go back as text`, async () => {
    const written = ['{"n":1}', { n: 2 }, null, "null", undefined];
    const calls = written.map((one, at) => ({ id: `call_${at}`, arguments: one }));
    const { inputs, arguments: sent } = await outcome(way, calls);
    assertEquals(inputs, [{ n: 1 }, { n: 2 }, {}, {}, {}]);
    assertEquals(sent.slice(0, 2), ['{"n":1}', '{"n":2}']);
    for (const text of sent) assertEquals(typeof text, "string");
  });

  Deno.test(`${name}: calls of one id, or without one, are distinguished, each by its result`, async () => {
    const ids = ["same", "same", "", null, "other"];
    const { inputs, ...second } = await outcome(
      way,
      ids.map((id, n) => ({ id, arguments: `{"n":${n}}` })),
    );
    assertEquals(inputs, [0, 1, 2, 3, 4].map((n) => ({ n })));
    assertEquals(second.answered, second.ids);
    assertEquals([new Set(second.ids).size, second.ids[0], second.ids[4]], [5, "same", "other"]);
  });
}

Deno.test("argumentsText() is JSON text, for any input", () => {
  assertEquals(["{}", "", { a: [1] }, [], 5, null, undefined].map(argumentsText), [
    ...["{}", "", '{"a":[1]}', "[]", "5", "", ""],
  ]);
});

Deno.test("distinctIds() keeps the ids that tell calls apart", () => {
  const [first, second, third, fourth] = distinctIds(["a", "a", 5, "b"]);
  assertEquals([first, fourth], ["a", "b"]);
  for (const id of [second, third]) assertMatch(String(id), /^call_[0-9a-f-]{36}$/);
});
