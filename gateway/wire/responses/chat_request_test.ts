import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { chatRequestSchema } from "../../http/schemas/chat.ts";
import { chatRequestOf, responsesFeatures } from "./chat_request.ts";
import { outputItems } from "./items.ts";
import { bodyOf } from "./responses_fixture.ts";

/** Messages of an input, and what of it was lost: `!` marks what must not be left out. */
function translated(input: unknown, more: Readonly<Record<string, unknown>> = {}) {
  const { chat, losses } = chatRequestOf(bodyOf({ model: "auto", input, ...more }));
  assertEquals(JSON.parse(chat.text), chat.value);
  const { model: _model, messages, ...fields } = chat.value;
  return {
    messages,
    fields,
    losses: losses.map(({ path, action }) => action === "report" ? path : `${path}!`),
  };
}

const call = (id: string, more = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "f",
  arguments: "{}",
  status: "completed",
  ...more,
});
const result = (id: string, output: unknown = "done") => ({
  type: "function_call_output",
  call_id: id,
  output,
});
const toolCall = (id: string, more = {}) => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}" },
  ...more,
});
const tool = (id: string, content: unknown = "done") => ({
  role: "tool",
  tool_call_id: id,
  content,
});

Deno.test("a string is the user's message; instructions come first", () => {
  assertEquals(translated("Hi", { instructions: "Be brief" }).messages, [
    { role: "system", content: "Be brief" },
    { role: "user", content: "Hi" },
  ]);
});

Deno.test("messages keep their role, and their parts become chat parts", () => {
  const { messages, losses } = translated([
    { role: "developer", content: [{ type: "input_text", text: "Be kind" }] },
    {
      type: "message",
      role: "user",
      name: "Ann",
      content: [
        { type: "input_text", text: "See" },
        { type: "input_image", image_url: "data:image/png;base64,AA", detail: "low" },
        { type: "input_image", image_url: "https://a.test/a.png", detail: "original" },
        { type: "input_file", file_data: "data:application/pdf;base64,AA", filename: "a.pdf" },
        { type: "input_file", file_data: "data:text/plain;base64,AA" },
        { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
      ],
    },
    {
      type: "message",
      id: "msg_1",
      status: "completed",
      role: "assistant",
      phase: "commentary",
      content: [
        { type: "output_text", text: "A ", annotations: [], logprobs: [] },
        { type: "output_text", text: "cat", annotations: [] },
        { type: "refusal", refusal: "No more" },
      ],
    },
    { role: "assistant", content: "plain" },
  ]);
  assertEquals(messages as unknown, [
    { role: "developer", content: "Be kind" },
    {
      role: "user",
      content: [
        { type: "text", text: "See" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA", detail: "low" } },
        { type: "image_url", image_url: { url: "https://a.test/a.png", detail: "high" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA" } },
        { type: "file", file: { file_data: "data:text/plain;base64,AA" } },
        { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
      ],
      name: "Ann",
    },
    { role: "assistant", content: "A cat", refusal: "No more" },
    { role: "assistant", content: "plain" },
  ]);
  assertEquals(losses, ["input.1.content.2.detail", "input.2.phase"]);
});

Deno.test("a part that cannot be translated is reported with its path", () => {
  const { losses } = translated([
    {
      role: "user",
      content: [
        { type: "input_image", file_id: "file_1" },
        { type: "input_file", file_id: "file_1" },
        { type: "input_file", file_url: "https://a.test/a.pdf" },
        { type: "hologram" },
      ],
    },
    { role: "assistant", content: [{ type: "hologram" }] },
  ]);
  assertEquals(losses, [
    "input.0.content.0.file_id!",
    "input.0.content.1.file_id!",
    "input.0.content.2.file_url!",
    "input.0.content.3.type!",
    "input.1.content.0.type!",
  ]);
});

Deno.test("calls in a row are one turn, with the words before or after them", () => {
  const message = { role: "assistant", content: "Let me see" };
  const both = [toolCall("a"), toolCall("b")];
  const cases: [string, unknown[], unknown[]][] = [
    ["parallel", [call("a"), call("b"), result("a"), result("b")], [
      { role: "assistant", content: null, tool_calls: both },
      tool("a"),
      tool("b"),
    ]],
    ["one after the other", [call("a"), result("a"), call("b"), result("b")], [
      { role: "assistant", content: null, tool_calls: [toolCall("a")] },
      tool("a"),
      { role: "assistant", content: null, tool_calls: [toolCall("b")] },
      tool("b"),
    ]],
    ["words first", [message, call("a"), result("a")], [
      { ...message, tool_calls: [toolCall("a")] },
      tool("a"),
    ]],
    ["words last", [call("a"), message, result("a")], [
      { ...message, tool_calls: [toolCall("a")] },
      tool("a"),
    ]],
    ["reasoning between", [{ type: "reasoning", id: "rs_1", summary: [] }, call("a"), {
      type: "reasoning",
      id: "rs_2",
      summary: [],
    }, call("b")], [{ role: "assistant", content: null, tool_calls: both }]],
  ];
  for (const [name, input, messages] of cases) {
    assertEquals(translated(input).messages as unknown, messages, name);
  }
  assertEquals(translated(cases[4]?.[1]).losses, ["input.0", "input.2"]);
});

Deno.test("a tool's content beside text follows the last result as a user message", () => {
  const image = { type: "input_image", image_url: "https://a.test/a.png" };
  const { messages } = translated([
    call("a"),
    call("b"),
    result("a", [{ type: "input_text", text: "one" }, { type: "input_text", text: "two" }]),
    result("b", [image]),
    { role: "user", content: "Well?" },
  ]);
  assertEquals(messages.slice(1) as unknown, [
    tool("a", [{ type: "text", text: "one" }, { type: "text", text: "two" }]),
    tool("b", "The result is in the next message."),
    {
      role: "user",
      content: [
        { type: "text", text: "Result of tool call b:" },
        { type: "image_url", image_url: { url: "https://a.test/a.png" } },
      ],
    },
    { role: "user", content: "Well?" },
  ]);
  assertEquals(translated([call("a"), result("a", [image])]).messages.at(-1)?.role, "user");
});

Deno.test("a result without its call is the user's, and items of unknown kinds must not be left out", () => {
  const { losses, messages } = translated([
    result("gone"),
    { type: "computer_call", id: "cu_1" },
    { type: "web_search_call", id: "ws_1" },
    { type: "item_reference", id: "msg_9" },
    call("a", { namespace: "n", caller: null }),
  ]);
  assertEquals(losses, [
    "input.0.call_id",
    "input.1.type!",
    "input.2",
    "input.3.id!",
    "input.4.namespace",
  ]);
  const [first] = messages;
  assertEquals([first?.role, String(first?.content).split(": ")[0]], [
    "user",
    "Result of tool call gone",
  ]);
});

Deno.test("opaque members of earlier and of own items keep their bytes", () => {
  const signed = '{"google":{"thought_signature":"a+/=","n":1.0,"big":12345678901234567890}}';
  const item = (id: string) =>
    `{"extra_content": ${signed}, "thought_signature":"s\\u0041",
    "type":"function_call","call_id":"${id}","name":"f","arguments":"{}"}`;
  const message = '{"role":"assistant","content":"x","extra_content":{"n":2.0}}';
  const results = JSON.stringify([result("a"), result("e")]).slice(1, -1);
  const body = bodyOf(
    `{"model":"auto","input":[${results},${message},${item("b")},{"type":"function_call",
    "call_id":"c","name":"f","arguments":"{}"},${item("d")}]}`,
  );
  const response = bodyOf(`{"output":[${item("a")},${JSON.stringify(call("e"))}]}`);
  const { chat } = chatRequestOf(body, { earlierItems: outputItems(response) });
  assertEquals(chat.text.split(`"extra_content":${signed}`).length, 4);
  assertEquals(chat.text.split('"thought_signature":"s\\u0041"').length, 4);
  assert(chat.text.includes('"extra_content":{"n":2.0}'));
  assertEquals(JSON.parse(chat.text), chat.value);
  const ids = chat.value.messages.map((message) => (message.tool_calls ?? []).map(({ id }) => id));
  assertEquals(ids.filter((each) => each.length > 0), [["a", "e"], ["b", "c", "d"]]);
});

Deno.test("opaque members are looked for in the existing text, which is not serialized again", () => {
  const input = "a".repeat(10);
  const stringify = JSON.stringify;
  let written = 0;
  const body = bodyOf({ model: "auto", input });
  JSON.stringify = (value: unknown) => {
    written++;
    return stringify(value);
  };
  try {
    responsesFeatures(body);
  } finally {
    JSON.stringify = stringify;
  }
  assertEquals(written, 0);
});

Deno.test("references are replaced by their items", () => {
  const body = bodyOf({ input: [{ id: "msg_1" }, { type: "item_reference", id: "loop" }] });
  const references = new Map([
    ["msg_1", bodyOf({ type: "message", id: "msg_1", role: "assistant", content: "kept" })],
    ["loop", bodyOf({ type: "item_reference", id: "loop" })],
  ]);
  const { chat, losses } = chatRequestOf(body, { references });
  assertEquals(chat.value.messages, [{ role: "assistant", content: "kept" }]);
  assertEquals(losses.map(({ path }) => path), ["input.1.id"]);
});

/** A request's fields, the chat request's, and what is lost. */
type FieldCase = [Readonly<Record<string, unknown>>, unknown, string[]?];

function checkFields(cases: readonly FieldCase[]): void {
  for (const [request, fields, losses] of cases) {
    const translation = translated("Hi", request);
    assertEquals(translation.fields as unknown, fields, JSON.stringify(request));
    assertEquals(translation.losses, losses ?? [], JSON.stringify(request));
  }
}

Deno.test("fields of the request", () => {
  checkFields([
    [{ temperature: 0.5, top_p: null, user: "u", seed: 7, stream: true }, {
      temperature: 0.5,
      user: "u",
      seed: 7,
      stream: true,
    }],
    [{ metadata: { a: "b" }, store: false, previous_response_id: "resp_0" }, {}],
    [{ max_output_tokens: 9 }, { max_completion_tokens: 9 }],
    [{ reasoning: { effort: "low", summary: "auto", mode: "x" } }, { reasoning_effort: "low" }, [
      "reasoning.mode",
    ]],
    [{ text: { format: { type: "text" }, verbosity: "low", odd: 1 } }, { verbosity: "low" }, [
      "text.odd",
    ]],
    [{ text: { format: { type: "json_object" } } }, { response_format: { type: "json_object" } }],
    [{ text: { format: { type: "json_schema", name: "n", schema: {}, strict: true } } }, {
      response_format: {
        type: "json_schema",
        json_schema: { name: "n", schema: {}, strict: true },
      },
    }],
  ]);
});

const FILES = { type: "file_search" };

Deno.test("tools and the choice among them", () => {
  const f = { type: "function", name: "f" };
  checkFields([
    [{ tools: [], tool_choice: "auto", parallel_tool_calls: false }, {}],
    [{ tool_choice: "required" }, { tool_choice: "required" }],
    [
      {
        tools: [
          { ...f, description: "d", parameters: {}, strict: null, async: true, later: 1 },
          { type: "file_search", vector_store_ids: ["v"] },
        ],
        tool_choice: f,
        parallel_tool_calls: false,
      },
      {
        tools: [
          { later: 1, type: "function", function: { name: "f", description: "d", parameters: {} } },
          { type: "file_search", vector_store_ids: ["v"] },
        ],
        tool_choice: { type: "function", function: { name: "f" } },
        parallel_tool_calls: false,
      },
      ["tools.0.async"],
    ],
    [
      {
        tools: [{ ...f, strict: true }, FILES],
        tool_choice: { type: "allowed_tools", mode: "auto", tools: [f, FILES] },
      },
      {
        tools: [{ type: "function", function: { name: "f", strict: true } }, FILES],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: {
            mode: "auto",
            tools: [{ type: "function", function: { name: "f" } }, FILES],
          },
        },
      },
    ],
    [{ tools: [FILES], tool_choice: FILES }, { tools: [FILES], tool_choice: FILES }],
  ]);
});

Deno.test("fields that Chat Completions has no place for", () => {
  checkFields([
    [{ background: false, top_logprobs: 0, truncation: "disabled" }, {}],
    [{ background: true, truncation: "auto", conversation: "c", n: 4 }, {}, [
      "background!",
      "conversation!",
      "n!",
    ]],
    [{ include: ["reasoning.encrypted_content", "file_search_call.results"] }, {}, ["include.0"]],
    [{ include: ["message.output_text.logprobs"] }, { logprobs: true }],
    [{ top_logprobs: 2 }, { logprobs: true, top_logprobs: 2 }],
  ]);
});

Deno.test("any sensible conversation becomes a valid chat request, and no message is lost", () => {
  const text = fc.string();
  const item = fc.oneof(
    fc.record({ role: fc.constantFrom("user", "assistant", "system"), content: text }),
    fc.record({
      type: fc.constant("function_call"),
      call_id: fc.constantFrom("a", "b"),
      name: text,
      arguments: text,
    }),
    fc.record({
      type: fc.constant("function_call_output"),
      call_id: fc.constantFrom("a", "b"),
      output: text,
    }),
  );
  fc.assert(fc.property(fc.array(item, { minLength: 1 }), (input) => {
    const { messages } = translated(input);
    assertEquals(chatRequestSchema.safeParse({ model: "auto", messages }).error, undefined);
    const message = input.filter((each) => "content" in each && each.content !== "");
    const written = JSON.stringify(messages);
    for (const each of message) {
      if ("content" in each) assert(written.includes(JSON.stringify(each.content)));
    }
    const calls = messages.flatMap((message) => message.tool_calls ?? []);
    assertEquals(calls.length, input.filter((each) => "name" in each).length);
  }));
});

Deno.test("features are those of the chat request, for the endpoint that was asked", () => {
  const { features, chat } = responsesFeatures(bodyOf({
    model: "auto",
    input: [{ role: "user", content: [{ type: "input_image", image_url: "https://a.test/" }] }],
    tools: [{ type: "function", name: "f" }, { type: "web_search_preview" }],
    text: { format: { type: "json_object" } },
    max_output_tokens: 64,
  }));
  assertEquals(features.endpoint, "responses");
  assertEquals(features.needs, ["vision", "tools", "json"]);
  assertEquals(features.hostedTools, ["web_search_preview"]);
  assertEquals(features.requestedOutputTokens, 64);
  assertEquals(chat.value.messages.length, 1);
});
