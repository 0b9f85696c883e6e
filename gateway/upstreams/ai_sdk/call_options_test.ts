import { assert, assertEquals, assertMatch } from "@std/assert";
import type { NativeKind } from "../../domain/catalog.ts";
import { callOptionsOf } from "./call_options.ts";
import { CANNOT_CARRY, type Feature, FEATURES } from "./cannot_carry.ts";
import { Notes } from "./notes.ts";

const USER = { role: "user", content: "Hi" };
const KINDS = [
  "anthropic",
  "google",
  "google-vertex",
  "amazon-bedrock",
  "azure",
  "mistral",
  "cohere",
]
  .filter((kind): kind is NativeKind => kind in CANNOT_CARRY);

function translate(
  kind: NativeKind,
  fields: Readonly<Record<string, unknown>>,
  more: { outputLimit?: number } = {},
) {
  const notes = new Notes(kind);
  const value = { model: "auto", messages: [USER], ...fields };
  const options = callOptionsOf({
    endpoint: "chat",
    model: "m",
    body: { text: JSON.stringify(value), value },
    stream: false,
    requestId: "req_1",
    signal: new AbortController().signal,
    ...more,
  }, notes);
  return { options, refusal: notes.refusal, warnings: notes.warnings, images: notes.images };
}

const part = (type: string, value: unknown) => ({
  messages: [{ role: "user", content: [{ type, [type]: value }] }],
});

/** A request that asks for a feature, and the field that must be named where it is lacking. */
const MARK = { type: "ephemeral" };
const ASKING: Readonly<
  Record<Feature, readonly (readonly [Readonly<Record<string, unknown>>, string])[]>
> = {
  n: [[{ n: 2 }, "n"]],
  logprobs: [[{ logprobs: true }, "logprobs"], [{ top_logprobs: 3 }, "top_logprobs"]],
  logit_bias: [[{ logit_bias: { 1: 5 } }, "logit_bias"]],
  prediction: [[{ prediction: { type: "content", content: "x" } }, "prediction"]],
  audio_output: [
    [{ modalities: ["text", "audio"] }, "modalities"],
    [{ audio: { voice: "x" } }, "audio"],
  ],
  input_audio: [
    [part("input_audio", { data: "AA==", format: "wav" }), "messages.0.content.0.input_audio"],
  ],
  image_url: [
    [part("image_url", { url: "https://a.test/b.png" }), "messages.0.content.0.image_url.url"],
  ],
  result_image_url: [
    [{
      messages: [
        USER,
        {
          role: "assistant",
          tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        {
          role: "tool",
          tool_call_id: "a",
          content: [{ type: "image_url", image_url: { url: "https://a.test/b.png" } }],
        },
      ],
    }, "messages.2.content.0.image_url.url"],
  ],
  file_data: [
    [
      part("file", { file_data: "data:application/pdf;base64,AA==", filename: "a.pdf" }),
      "messages.0.content.0.file.file_data",
    ],
  ],
  file_id: [[part("file", { file_id: "file-1" }), "messages.0.content.0.file.file_id"]],
  functions: [
    [{ functions: [] }, "functions"],
    [{ messages: [USER, { role: "function", name: "f", content: "x" }] }, "messages.1.role"],
    [
      { messages: [USER, { role: "assistant", function_call: { name: "f", arguments: "{}" } }] },
      "messages.1.function_call",
    ],
  ],
  hosted_tools: [
    [{ tools: [{ type: "web_search_preview" }] }, "tools.0.type"],
    [{ web_search_options: {} }, "web_search_options"],
  ],
  parallel_tool_calls: [[{ parallel_tool_calls: false }, "parallel_tool_calls"]],
  seed: [[{ seed: 7 }, "seed"]],
  user: [[{ user: "u" }, "user"]],
  metadata: [[{ metadata: { order: "7" } }, "metadata"]],
  penalties: [
    [{ frequency_penalty: 1 }, "frequency_penalty"],
    [{ presence_penalty: 1 }, "presence_penalty"],
  ],
  image_detail: [
    [
      part("image_url", { url: "data:image/png;base64,AA==", detail: "high" }),
      "messages.0.content.0.image_url.detail",
    ],
  ],
  name: [[{ messages: [{ ...USER, name: "Ann" }] }, "messages.0.name"]],
  cache_control: [
    [{ messages: [{ ...USER, cache_control: MARK }] }, "messages.0.cache_control"],
    [
      {
        messages: [{ role: "system", content: [{ type: "text", text: "x", cache_control: MARK }] }],
      },
      "messages.0.content.0.cache_control",
    ],
  ],
  tool_cache_control: [
    [
      { tools: [{ type: "function", function: { name: "f" }, cache_control: MARK }] },
      "tools.0.cache_control",
    ],
  ],
  cache_ttl: [
    [
      { messages: [{ ...USER, cache_control: { ...MARK, ttl: "1h" } }] },
      "messages.0.cache_control.ttl",
    ],
  ],
};

for (const kind of KINDS) {
  Deno.test(`a request to "${kind}" is refused, reported or carried as the table says`, () => {
    for (const [feature, requests] of Object.entries(ASKING)) {
      const [, lack] = Object.entries(CANNOT_CARRY[kind]).find(([name]) => name === feature) ?? [];
      for (const [fields, param] of requests) {
        const { images, refusal, warnings } = translate(kind, fields);
        assertEquals(images.length, lack === "fetched" ? 1 : 0, feature);
        assertEquals(refusal?.param, lack === "refused" ? param : undefined, feature);
        const reported = warnings.filter((warning) => warning.includes(`"${param}"`));
        assertEquals(reported.length, lack === "reported" ? 1 : 0, feature);
      }
    }
  });
}

Deno.test("every feature that is listed has words, and some kind lacks it", () => {
  for (const feature of Object.keys(FEATURES)) {
    assert(KINDS.some((kind) => feature in CANNOT_CARRY[kind]), feature);
  }
});

Deno.test("what says nothing is no request for anything", () => {
  const silent = {
    n: 1,
    logprobs: false,
    top_logprobs: 0,
    logit_bias: {},
    modalities: ["text"],
    audio: null,
    frequency_penalty: 0,
    user: null,
    metadata: {},
    store: false,
    response_format: { type: "text" },
    tools: [],
    tool_choice: "auto",
  };
  const { options, refusal, warnings } = translate("anthropic", silent);
  assertEquals([refusal, warnings], [undefined, []]);
  assertEquals(options.responseFormat, { type: "text" });
});

Deno.test("a field that nobody knows is reported", () => {
  assertEquals(translate("google", { verbosity: "low" }).warnings, [
    '"verbosity" is not supported and was left out',
  ]);
});

Deno.test("what the caller says of itself goes where there is a place for it", () => {
  const asked = { user: "u", metadata: { order: "7" } };
  const lines = ["user", "metadata"].map((field) => `"${field}" is not supported and was left out`);
  assertEquals(translate("mistral", asked).warnings, lines);
  const { options, warnings } = translate("azure", asked);
  assertEquals([options.providerOptions, warnings], [{ openai: { user: "u" } }, lines.slice(1)]);
});

Deno.test("sampling and limits", () => {
  const { options } = translate("azure", {
    max_tokens: 50,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 4,
    stop: "END",
    seed: 3,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    reasoning_effort: "low",
    parallel_tool_calls: false,
  }, { outputLimit: 20 });
  const { prompt: _prompt, ...rest } = options;
  assertEquals(rest, {
    maxOutputTokens: 20,
    temperature: 0.5,
    topP: 0.9,
    topK: 4,
    stopSequences: ["END"],
    seed: 3,
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
    reasoning: "low",
    providerOptions: { openai: { parallelToolCalls: false } },
  });
  assertEquals(translate("azure", { max_completion_tokens: 9 }).options.maxOutputTokens, 9);
  assertEquals(translate("azure", { stop: ["a", "b"] }).options.stopSequences, ["a", "b"]);
  assertEquals(translate("azure", { reasoning_effort: "x" }).refusal?.param, "reasoning_effort");
});

Deno.test("tools and the choice among them", () => {
  const tools = [
    { type: "function", function: { name: "a", description: "A", strict: true } },
    { type: "function", function: { name: "b", parameters: { type: "object" } } },
  ];
  const { options } = translate("anthropic", {
    tools,
    tool_choice: { type: "function", function: { name: "b" } },
    parallel_tool_calls: false,
  });
  assertEquals(options.tools, [
    {
      type: "function",
      name: "a",
      description: "A",
      strict: true,
      inputSchema: { type: "object", properties: {} },
    },
    { type: "function", name: "b", inputSchema: { type: "object" } },
  ]);
  assertEquals(options.toolChoice, { type: "tool", toolName: "b" });
  assertEquals(options.providerOptions, { anthropic: { disableParallelToolUse: true } });
  for (const type of ["auto", "none", "required"] as const) {
    const chosen = translate("anthropic", { tools, tool_choice: type });
    assertEquals(chosen.options.toolChoice, { type });
  }
  assertEquals(translate("google", { tools }).options.toolChoice, undefined);
  const odd = translate("google", { tools, tool_choice: { type: "allowed_tools" } });
  assertEquals(odd.refusal?.param, "tool_choice");
});

Deno.test("formats of the answer", () => {
  const format = (kind: NativeKind, response_format: unknown) => {
    const { options: { providerOptions, responseFormat }, refusal } = translate(kind, {
      response_format,
    });
    return { providerOptions, responseFormat, refusal };
  };
  const json_schema = { name: "p", description: "P", schema: { type: "array" }, strict: true };
  assertEquals(format("mistral", { type: "json_schema", json_schema }), {
    responseFormat: { type: "json", name: "p", description: "P", schema: { type: "array" } },
    providerOptions: { mistral: { strictJsonSchema: true } },
    refusal: undefined,
  });
  assertEquals(format("google", { type: "json_object" }).responseFormat, { type: "json" });
  assertEquals(format("anthropic", { type: "json_object" }), {
    responseFormat: { type: "json", schema: { type: "object" } },
    providerOptions: { anthropic: { structuredOutputMode: "jsonTool" } },
    refusal: undefined,
  });
  const { refusal } = format("google", { type: "grammar" });
  assertEquals(refusal?.param, "response_format.type");
  assertMatch(refusal?.message ?? "", /grammar/);
});
