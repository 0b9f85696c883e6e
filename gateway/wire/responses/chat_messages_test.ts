import { assertEquals } from "@std/assert";
import { ChatMessages } from "./chat_messages.ts";
import { chatRequestOf } from "./chat_request.ts";
import { bodyOf } from "./responses_fixture.ts";

function resultOf(id: string) {
  return { type: "function_call_output", call_id: id, output: "ok" };
}

Deno.test("a search's results precede the calls beside it, whose bytes are kept", () => {
  const signed = '{"google":{"thought_signature":"a+/="}}';
  const own = (id: string) =>
    `{"extra_content":${signed},"type":"function_call","call_id":"${id}","name":"f","arguments":""}`;
  const search = (id: string) => `{"type":"web_search_call","id":"${id}"}`;
  const rest = JSON.stringify([resultOf("b"), resultOf("c")]).slice(1, -1);
  const input = [
    ...[own("a"), JSON.stringify(resultOf("a")), search("ws_1"), own("b"), search("ws_2")],
    ...[own("c"), search("ws_3"), rest],
  ];
  const body = bodyOf(`{"model":"auto","input":[${input.join(",")}]}`);
  const findings = new Map([["ws_1", "First"], ["ws_2", "Second"]]);
  const { chat, losses } = chatRequestOf(body, { findings });
  assertEquals(
    chat.value.messages.map(({ role, content, tool_calls }) => [
      role,
      role === "user" ? content : tool_calls?.map(({ id }) => id).join(),
    ]),
    [
      ["assistant", "a"],
      ["tool", undefined],
      ["user", "First"],
      ["user", "Second"],
      ["assistant", "b,c"],
      ["tool", undefined],
      ["tool", undefined],
    ],
  );
  assertEquals(chat.text.split(`"extra_content":${signed}`).length, 4);
  assertEquals(JSON.parse(chat.text), chat.value);
  assertEquals(losses.map(({ path }) => path), ["input.6"]);
});

Deno.test("cache marks stay in place; a mark without a place is reported", () => {
  const cache_control = { type: "ephemeral" };
  const part = (text: string, more = {}) => ({ type: "output_text", text, ...more });
  const input = [
    {
      role: "assistant",
      content: [
        ...[part("A "), part("cat", { cache_control }), part(" sat", { parsed: {} }), part(".")],
        { type: "refusal", refusal: "No more", cache_control },
      ],
    },
    { role: "assistant", content: [part("plain", { annotations: [], logprobs: null })] },
    { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
    { ...resultOf("a"), status: "completed", cache_control, is_error: true, caller: null, odd: 1 },
    {
      role: "user",
      content: [
        { type: "input_file", file_data: "data:text/plain;base64,AA", detail: "low" },
        { type: "input_file", file_data: "data:text/plain;base64,AA", detail: "auto" },
        { type: "input_image", image_url: "https://a.test/a.png", detail: "odd" },
      ],
    },
  ];
  const { chat, losses } = chatRequestOf(bodyOf({ model: "auto", input }));
  const file = { type: "file", file: { file_data: "data:text/plain;base64,AA" } };
  assertEquals(chat.value.messages as unknown, [
    {
      role: "assistant",
      content: [{ type: "text", text: "A cat", cache_control }, { type: "text", text: " sat." }],
      refusal: "No more",
    },
    {
      role: "assistant",
      content: "plain",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "a", content: "ok", cache_control, is_error: true },
    {
      role: "user",
      content: [file, file, { type: "image_url", image_url: { url: "https://a.test/a.png" } }],
    },
  ]);
  assertEquals(losses.map(({ path }) => path), [
    "input.0.content.2.parsed",
    "input.0.content.4.cache_control",
    "input.3.odd",
    "input.4.content.0.detail",
    "input.4.content.2.detail",
  ]);
});

Deno.test("a result follows the message that calls for it, wherever it comes", () => {
  const signed = '{"n":1.0}';
  const call = (id: string) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
  const user = (content: string) => ({ role: "user", content });
  const sign = (item: object) =>
    JSON.stringify({ extra_content: "@", ...item }).replace('"@"', signed);
  const image = { type: "input_image", image_url: "data:image/png;base64,AA" };
  const input = [
    ...[user("a"), call("1"), call("2"), user("b")].map((item) => JSON.stringify(item)),
    ...[resultOf("2"), { ...resultOf("1"), output: [image] }].map((item) => JSON.stringify(item)),
    ...[sign(call("3")), JSON.stringify(user("c")), sign({ role: "assistant", content: "Said" })],
    JSON.stringify(resultOf("3")),
  ];
  const { chat, losses } = chatRequestOf(bodyOf(`{"model":"auto","input":[${input.join(",")}]}`));
  assertEquals(
    chat.value.messages.map(({ role, content, tool_call_id, tool_calls }) => [
      role,
      tool_call_id ?? tool_calls?.map(({ id }) => id).join() ??
        (typeof content === "string" ? content : content?.length),
    ]),
    [
      ["user", "a"],
      ["assistant", "1,2"],
      ["tool", "2"],
      ["tool", "1"],
      ["user", "b"],
      // What a tool message cannot hold comes before what is said next.
      ["user", 2],
      ["assistant", "3"],
      ["tool", "3"],
      ["user", "c"],
      ["assistant", "Said"],
    ],
  );
  assertEquals(losses, []);
  assertEquals(chat.text.split(`"extra_content":${signed}`).length, 3);
  assertEquals(JSON.parse(chat.text), JSON.parse(JSON.stringify(chat.value)));
});

Deno.test("words after a call that was answered are a turn of their own", () => {
  const call = (id: string) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
  const input = [call("1"), resultOf("1"), { role: "assistant", content: "So" }, call("2")];
  const { chat } = chatRequestOf(bodyOf({ model: "auto", input: [...input, resultOf("2")] }));
  assertEquals(
    chat.value.messages.map(({ role, content, tool_calls }) => [role, content, tool_calls?.length]),
    [
      ["assistant", null, 1],
      ["tool", "ok", undefined],
      ["assistant", "So", 1],
      ["tool", "ok", undefined],
    ],
  );
});

Deno.test("an empty assistant message is omitted, unless it is signed", () => {
  const empty = { role: "assistant", content: [] };
  const call = { type: "function_call", call_id: "1", name: "f", arguments: "{}" };
  const signed = { ...empty, extra_content: { n: 1 } };
  const input = [empty, { role: "user", content: "a" }, empty, call, empty, resultOf("1"), signed];
  const { chat } = chatRequestOf(bodyOf({ model: "auto", input }));
  assertEquals(
    chat.value.messages.map(({ role, content, tool_calls, ...more }) => [
      role,
      content,
      tool_calls?.length ?? more["extra_content"],
    ]),
    [
      ["user", "a", undefined],
      ["assistant", null, 1],
      ["tool", "ok", undefined],
      ["assistant", "", { n: 1 }],
    ],
  );
});

Deno.test("results of earlier tools of other kinds are read, under each of their names", () => {
  const messages = new ChatMessages({});
  for (const [at, member] of ["output", "outputs", "results", "tools"].entries()) {
    const value = { type: "code_interpreter_call", [member]: [{ type: "logs", logs: member }] };
    messages.add({ text: JSON.stringify(value), value }, `input.${at}`);
  }
  const value = { type: "custom_tool_call_output", output: "data: of a tool" };
  messages.add({ text: JSON.stringify(value), value }, "input.4");
  messages.finish();
  const read = ["output", "outputs", "results", "tools", "data: of a tool"];
  assertEquals(messages.nativeTexts, read);
});
