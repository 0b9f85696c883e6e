import { assertEquals } from "@std/assert";
import { call, PICTURE, prompt, result, USER } from "./prompt_fixture.ts";

Deno.test("instructions are gathered in front, and one that moved is reported", () => {
  const { prompt: made, notes } = prompt(
    "google",
    { role: "system", content: "One" },
    { role: "developer", content: [{ type: "text", text: "Two" }] },
    USER,
    { role: "system", content: "Three" },
  );
  assertEquals(made, [
    { role: "system", content: "One\n\nTwo\n\nThree" },
    { role: "user", content: [{ type: "text", text: "Hi" }] },
  ]);
  assertEquals(notes.warnings, ['"messages.3" was moved to the front of the conversation']);
});

Deno.test("a cache mark ends a message, and the following content continues the same turn", () => {
  const cache_control = { type: "ephemeral", ttl: "5m" };
  const text = (text: string, more = {}) => ({ type: "text", text, ...more });
  const messages = [
    { role: "system", content: [text("One", { cache_control }), text("Two")] },
    { role: "system", content: "Three" },
    { role: "user", content: [text("A"), text("B", { cache_control }), text("C")] },
    { role: "assistant", content: "D", tool_calls: [call("a"), call("b")], cache_control },
    result("a", [text("E", { cache_control })]),
    result("b", "F"),
    { ...USER, cache_control },
  ];
  const marks = {
    anthropic: { anthropic: { cacheControl: { type: "ephemeral" } } },
    "amazon-bedrock": { bedrock: { cachePoint: { type: "default" } } },
    google: undefined,
  };
  for (const kind of ["anthropic", "amazon-bedrock", "google"] as const) {
    const { prompt: made, notes } = prompt(kind, ...messages);
    const marked = made.map((turn): unknown[] => [turn.role, turn.providerOptions]);
    const mark = marks[kind];
    const split = [
      ["system", mark],
      ["system", undefined],
      ["user", mark],
      ["user", undefined],
      ["assistant", mark],
      ["tool", mark],
      ["tool", undefined],
      ["user", mark],
    ];
    const plain = ["system", "user", "assistant", "tool", "user"].map((role) => [role, undefined]);
    assertEquals(marked, mark === undefined ? plain : split);
    const instructions = made.filter(({ role }) => role === "system").map(({ content }) => content);
    const together = ["One\nTwo\n\nThree"];
    assertEquals(instructions, mark === undefined ? together : ["One", "Two\n\nThree"]);
    assertEquals(notes.warnings.length, mark === undefined ? 5 : 0);
  }
});

Deno.test("a mark in an assistant's message stays before the following content", () => {
  const cache_control = { type: "ephemeral" };
  const assistant = {
    role: "assistant",
    content: [
      { type: "text", text: "A" },
      { type: "text", text: "B", cache_control },
      { type: "text", text: "C" },
    ],
    tool_calls: [call("a")],
  };
  const { prompt: made, notes } = prompt("anthropic", USER, assistant);
  assertEquals(
    made.slice(1).map(({ content, providerOptions }) => [
      Array.isArray(content) &&
      content.map((part) => part.type === "text" ? part.text : part.type),
      providerOptions,
    ]),
    [
      [["AB"], { anthropic: { cacheControl: { type: "ephemeral" } } }],
      [["C", "tool-call"], undefined],
    ],
  );
  assertEquals(notes.warnings, []);
  assertEquals(prompt("google", USER, assistant).prompt.length, 2);
});

Deno.test("thoughts stay in place: before the text and before their call", () => {
  const thought = (signature: string) => ({
    extra_content: { anthropic: { thinking: [{ type: "thinking", thinking: "T", signature }] } },
  });
  const hidden = {
    extra_content: { anthropic: { thinking: [{ type: "redacted_thinking", data: "R" }, 7, {}] } },
  };
  const { prompt: made } = prompt("anthropic", USER, {
    role: "assistant",
    content: "Let me see",
    tool_calls: [call("a", thought("S1")), call("b", hidden), call("c")],
  }, { role: "assistant", content: "No call", ...thought("S2") });
  const parts = made.slice(1).map(({ role, content }) =>
    role !== "assistant"
      ? []
      : content.map((part) =>
        part.type === "reasoning" ? part.providerOptions?.["anthropic"] : part.type
      )
  );
  assertEquals<unknown>(parts, [
    [{ signature: "S1" }, "text", "tool-call", { redactedData: "R" }, "tool-call", "tool-call"],
    [{ signature: "S2" }, "text"],
  ]);
});

Deno.test("Gemini's signatures on text and calls, under either of Google's names", () => {
  const signed = (name: string) => ({ extra_content: { [name]: { thought_signature: name } } });
  for (const [kind, key] of [["google", "google"], ["google-vertex", "googleVertex"]] as const) {
    const { prompt: made } = prompt(kind, USER, {
      role: "assistant",
      content: "Well",
      tool_calls: [call("a", signed("vertex")), call("b", { thought_signature: "top" }), call("c")],
      ...signed("google"),
    });
    const turn = made[1];
    const parts = turn?.role === "assistant" ? turn.content : [];
    assertEquals(parts.map((part) => part.providerOptions?.[key]?.["thoughtSignature"]), [
      "google",
      "vertex",
      "top",
      undefined,
    ]);
  }
});

Deno.test("a model's invalid JSON is shown to the model", () => {
  const written = { name: "f", arguments: '{"a":' };
  const { prompt: made } = prompt("google", USER, {
    role: "assistant",
    tool_calls: [{ id: "a", type: "function", function: written }, {
      id: "b",
      type: "function",
      function: { name: "g", arguments: "" },
    }],
  });
  const turn = made[1];
  assertEquals(
    turn?.role === "assistant" &&
      turn.content.map((part) => part.type === "tool-call" && part.input),
    [{ invalid_json: '{"a":' }, {}],
  );
});

Deno.test("a model's text in parts is joined without additional characters", () => {
  const content = [{ type: "text", text: "A cat" }, { type: "text", text: " sat." }];
  const { prompt: made } = prompt("anthropic", USER, { role: "assistant", content });
  assertEquals(made.at(-1), {
    role: "assistant",
    content: [{ type: "text", text: "A cat sat." }],
  });
});

Deno.test("files, sound and a refusal of before", () => {
  const { prompt: made, notes } = prompt(
    "google",
    {
      role: "user",
      content: [
        {
          type: "file",
          file: { file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" },
        },
        { type: "input_audio", input_audio: { data: "BBBB", format: "wav" } },
        { type: "image_url", image_url: "data:image/png;charset=x;base64,CCCC" },
      ],
    },
    { role: "assistant", content: null, refusal: "No" },
    { role: "assistant", content: [{ type: "refusal", refusal: "Never" }] },
    { role: "assistant", content: "Well: ", refusal: "no" },
    { role: "assistant", content: "" },
    { role: "user", content: "" },
  );
  assertEquals(notes.refusal, undefined);
  assertEquals(made.map((turn) => turn.role), ["user", ...Array(3).fill("assistant")]);
  const [user, no, never, both] = made;
  assertEquals(
    user?.role === "user" && user.content.map((part) => part.type === "file" && part.mediaType),
    ["application/pdf", "audio/wav", "image/png"],
  );
  assertEquals(no?.content, [{ type: "text", text: "No" }]);
  assertEquals(never?.content, [{ type: "text", text: "Never" }]);
  assertEquals(both?.content, [{ type: "text", text: "Well: no" }]);
});

Deno.test("unknown members of a file, of sound and of a call are reported", () => {
  const file_data = "data:application/pdf;base64,AAAA";
  const { notes } = prompt(
    "google",
    {
      role: "user",
      content: [
        { type: "file", file: { file_data, zeta: 1 } },
        { type: "input_audio", input_audio: { data: "BBBB", format: "wav", zeta: 1 } },
      ],
    },
    {
      role: "assistant",
      tool_calls: [call("a", { function: { name: "f", arguments: "", zeta: 1 } })],
    },
  );
  assertEquals(
    notes.warnings,
    [
      "messages.0.content.0.file.zeta",
      "messages.0.content.1.input_audio.zeta",
      "messages.1.tool_calls.0.function.zeta",
    ].map((path) => `"${path}" is not supported and was left out`),
  );
});

const BAD: readonly (readonly [string, unknown, string])[] = [
  ["an unknown role", { role: "narrator", content: "x" }, "messages.1.role"],
  ["a message that is none", 7, "messages.1.role"],
  ["a part without a type", { role: "user", content: [7] }, "messages.1.content.0"],
  [
    "a part of an unknown type",
    { role: "user", content: [{ type: "video" }] },
    "messages.1.content.0.type",
  ],
  [
    "an address that is none",
    { role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc/passwd" } }] },
    "messages.1.content.0.image_url.url",
  ],
  [
    "a file without its data",
    { role: "user", content: [{ type: "file", file: { filename: "a" } }] },
    "messages.1.content.0.file.file_data",
  ],
  [
    "sound without its format",
    { role: "user", content: [{ type: "input_audio", input_audio: { data: "AA" } }] },
    "messages.1.content.0.input_audio",
  ],
  [
    "a picture among instructions",
    { role: "system", content: [PICTURE] },
    "messages.1.content",
  ],
  ["a call without an id", { role: "assistant", tool_calls: [{}] }, "messages.1.tool_calls.0"],
  ["a result of no call", result("z", "x"), "messages.1.tool_call_id"],
  ["spoken history", { role: "assistant", audio: { id: "x" } }, "messages.1.audio"],
];

for (const [name, message, param] of BAD) {
  Deno.test(`a prompt with ${name} is refused by name`, () => {
    assertEquals(prompt("google", USER, message).notes.refusal?.param, param);
  });
}
