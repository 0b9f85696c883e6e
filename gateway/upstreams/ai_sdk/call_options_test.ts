import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Feature, FEATURES } from "./features.ts";
import { MAX_WARNINGS } from "./notes.ts";
import {
  AFTER_CALLS,
  CALL,
  formatOf,
  FUNCTION,
  KINDS,
  translate,
  USER,
} from "./translated_fixture.ts";

const part = (type: string, value: unknown) => ({
  messages: [{ role: "user", content: [{ type, [type]: value }] }],
});

const TEXT = { type: "text", text: "a" };
const resultOf = (content: unknown) => ({
  messages: [
    USER,
    { role: "assistant", tool_calls: [CALL] },
    { role: "tool", tool_call_id: "a", content },
  ],
});
const DOCUMENT = { file_data: "data:application/pdf;base64,AA==", filename: "a.pdf" };
const zeta = 1;

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
    [
      resultOf([{ type: "image_url", image_url: { url: "https://a.test/b.png" } }]),
      "messages.2.content.0.image_url.url",
    ],
  ],
  file_data: [[part("file", DOCUMENT), "messages.0.content.0.file.file_data"]],
  filename: [[part("file", DOCUMENT), "messages.0.content.0.file.filename"]],
  odd_filename: ["Отчёт.pdf", "a_b.pdf", "v1.2.pdf"].map((filename) => [
    part("file", { ...DOCUMENT, filename }),
    "messages.0.content.0.file.filename",
  ]),
  result_filename: [
    [resultOf([TEXT, { type: "file", file: DOCUMENT }]), "messages.2.content.1.file.filename"],
  ],
  picture_filename: [
    [
      part("file", { file_data: "data:image/png;base64,AA==", filename: "a.png" }),
      "messages.0.content.0.file.filename",
    ],
  ],
  file_id: [[part("file", { file_id: "file-1" }), "messages.0.content.0.file.file_id"]],
  functions: [
    [{ functions: [{ name: "f" }] }, "functions"],
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
  tool_strict: [
    [
      { tools: [{ type: "function", function: { name: "f", strict: true } }] },
      "tools.0.function.strict",
    ],
  ],
  no_more_calls: [[{ ...AFTER_CALLS, tool_choice: "none" }, "tool_choice"]],
  forced_call_json: ["required", FUNCTION].map((tool_choice) => [
    { tools: [FUNCTION], tool_choice, response_format: { type: "json_object" } },
    "response_format",
  ]),
  // Whether there is room shows when the package has written the request: see upstream_test.ts.
  effort_room: [],
  // So does what the answer is held to.
  json_strict: [],
  parallel_tool_calls: [[{ parallel_tool_calls: false }, "parallel_tool_calls"]],
  seed: [[{ seed: 7 }, "seed"]],
  user: [[{ user: "u" }, "user"]],
  store: [[{ store: true }, "store"]],
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
  late_instructions: ["system", "developer"].map((role) => [
    { messages: [USER, { role, content: "Late" }] },
    "messages.1",
  ]),
  big_integers: [[
    {
      messages: [USER, {
        role: "assistant",
        tool_calls: [{ ...CALL, function: { name: "f", arguments: '{"a":[90071992547409930]}' } }],
      }],
    },
    "messages.1.tool_calls.0.function.arguments",
  ]],
  text_before_calls: [
    { content: "Let me see" },
    { content: [{ type: "text", text: "Let me see" }] },
    { content: null, refusal: "No" },
  ].map((echo) => [
    { messages: [USER, { role: "assistant", ...echo, tool_calls: [CALL] }] },
    "messages.1.content",
  ]),
  cache_control: [
    [{ messages: [{ ...USER, cache_control: MARK }] }, "messages.0.cache_control"],
    [
      {
        messages: [{ role: "system", content: [{ type: "text", text: "x", cache_control: MARK }] }],
      },
      "messages.0.content.0.cache_control",
    ],
  ],
  inner_cache_control: [
    [
      resultOf([{ ...TEXT, cache_control: MARK }, TEXT]),
      "messages.2.content.0.cache_control",
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
  unknown: [
    [{ zeta }, "zeta"],
    [{ messages: [{ ...USER, zeta }] }, "messages.0.zeta"],
    [{ messages: [{ ...USER, is_error: true }] }, "messages.0.is_error"],
    [
      { messages: [{ ...USER, content: [TEXT, { ...TEXT, zeta }] }] },
      "messages.0.content.1.zeta",
    ],
    [
      { messages: [{ role: "system", content: [TEXT, { ...TEXT, zeta }] }] },
      "messages.0.content.1.zeta",
    ],
    [
      part("image_url", { url: "data:image/png;base64,AA==", zeta }),
      "messages.0.content.0.image_url.zeta",
    ],
    [
      { messages: [USER, { role: "assistant", tool_calls: [{ ...CALL, zeta }] }] },
      "messages.1.tool_calls.0.zeta",
    ],
    [{ tools: [{ ...FUNCTION, zeta }] }, "tools.0.zeta"],
    [{ tools: [{ ...FUNCTION, function: { name: "f", zeta } }] }, "tools.0.function.zeta"],
    [{ response_format: { type: "text", zeta } }, "response_format.zeta"],
    [{ stream_options: { include_usage: true, zeta } }, "stream_options.zeta"],
    [{ stream_options: { include_obfuscation: true } }, "stream_options.include_obfuscation"],
    [
      { messages: [{ ...USER, cache_control: { ...MARK, zeta } }] },
      "messages.0.cache_control.zeta",
    ],
    [
      { response_format: { type: "json_schema", json_schema: { name: "x", zeta } } },
      "response_format.json_schema.zeta",
    ],
  ],
};

for (const kind of KINDS) {
  Deno.test(`a request to "${kind}" is refused, reported or carried as the table says`, () => {
    for (const [feature, requests] of Object.entries(ASKING)) {
      // Where documents are refused, so are their names.
      if (feature.endsWith("filename") && "file_data" in formatOf(kind).lacks) continue;
      const [, lack] = Object.entries(formatOf(kind).lacks).find(([name]) => name === feature) ??
        [];
      for (const [fields, param] of requests) {
        const { images, refusal, warnings } = translate(kind, fields);
        assertEquals(images.length, lack === "fetched" ? 1 : 0, feature);
        assertEquals(refusal?.param, lack === "refused" ? param : undefined, feature);
        const reported = warnings.filter((warning) => warning.includes(`"${param}"`));
        const isReported = lack === "reported" || lack === "changed";
        assertEquals(reported.length, isReported ? 1 : 0, feature);
      }
    }
  });
}

Deno.test("every feature that is listed has words, and some kind lacks it", () => {
  for (const feature of Object.keys(FEATURES)) {
    assert(KINDS.some((kind) => feature in formatOf(kind).lacks), feature);
  }
});

Deno.test("options with their default value request nothing", () => {
  const silent = {
    n: 1,
    logprobs: false,
    top_logprobs: 0,
    logit_bias: {},
    functions: [],
    function_call: "auto",
    modalities: ["text"],
    audio: null,
    frequency_penalty: 0,
    user: null,
    metadata: {},
    store: false,
    stream_options: { include_usage: true, include_obfuscation: false },
    response_format: { type: "text" },
    tools: [],
    tool_choice: "auto",
  };
  const { options, refusal, warnings } = translate("anthropic", silent);
  assertEquals([refusal, warnings], [undefined, []]);
  assertEquals(options.responseFormat, { type: "text" });
});

Deno.test("a value that is not a number, mark or choice is the caller's mistake, on every kind", () => {
  for (const kind of KINDS) {
    for (const field of ["seed", "top_k", "frequency_penalty", "presence_penalty"]) {
      assertEquals(translate(kind, { [field]: "5" }).refusal?.param, field);
    }
    for (const cache_control of [true, "ephemeral", {}, { type: "for ever" }]) {
      const { refusal } = translate(kind, { messages: [{ ...USER, cache_control }] });
      assertEquals(refusal?.param, "messages.0.cache_control.type");
    }
    const json_schema = { name: "x", strict: "yes" };
    const { refusal } = translate(kind, { response_format: { type: "json_schema", json_schema } });
    assertEquals(refusal?.param, "response_format.json_schema.strict");
  }
});

Deno.test("members that answers and clients always send are not reported", () => {
  const echoed = {
    role: "assistant",
    content: "Hello",
    refusal: null,
    audio: null,
    function_call: null,
    name: null,
    zeta: null,
    annotations: [],
    parsed: { a: 1 },
    reasoning_content: "Hm",
    extra_content: { anthropic: {} },
    tool_calls: [{
      ...CALL,
      index: 0,
      thought_signature: "S",
      extra_content: {},
      function: { ...CALL.function, parsed_arguments: {} },
    }],
  };
  for (const kind of KINDS) {
    // Cohere's package has no place for words beside calls, which are more than a matter of course.
    const assistant = kind === "cohere" ? { ...echoed, content: null } : echoed;
    const messages = [USER, assistant, { role: "tool", tool_call_id: "a", content: "x" }, USER];
    assertEquals(translate(kind, { messages, tools: [FUNCTION] }).warnings, []);
  }
});

Deno.test("a request made of nothing known gets an answer of bounded length", () => {
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`zeta${at}`, 1]));
  const { warnings } = translate("google", fields);
  assertEquals(warnings.length, MAX_WARNINGS + 1);
  assertEquals(warnings.at(-1), "More was left out than is listed here");
});

Deno.test("the caller's identification is sent where the provider has a field for it", () => {
  const fields = { user: "u", metadata: { order: "7" } };
  const lines = ["user", "metadata"].map((field) => `"${field}" is not supported and was left out`);
  assertEquals(translate("mistral", fields).warnings, lines);
  const { options, warnings } = translate("azure", fields);
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
  // Of two limits the smaller keeps to both.
  for (const [max_tokens, max_completion_tokens] of [[9, 50], [50, 9]]) {
    const both = translate("azure", { max_tokens, max_completion_tokens });
    assertEquals(both.options.maxOutputTokens, 9);
  }
  assertEquals(translate("azure", { stop: ["a", "b"] }).options.stopSequences, ["a", "b"]);
  assertEquals(translate("azure", { reasoning_effort: "x" }).refusal?.param, "reasoning_effort");
});

Deno.test("formats of the answer", () => {
  const format = (kind: string, response_format: unknown) => {
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
  // Azure's package is strict where it is not told otherwise; Chat Completions is not.
  const loose = format("azure", { type: "json_schema", json_schema: { name: "p", schema: {} } });
  assertEquals(loose.providerOptions, { openai: { strictJsonSchema: false } });
  const schema = { type: "object", description: "Own" };
  for (
    const kind of ["anthropic", "google", "google-vertex", "amazon-bedrock", "cohere"] as const
  ) {
    const json_schema = { name: "p", description: "P", schema };
    assertEquals(format(kind, { type: "json_schema", json_schema }).responseFormat, {
      type: "json",
      schema: { type: "object", description: "P\n\nOwn" },
    });
  }
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

Deno.test("top_k of Messages is sent to providers that support it, and reported by its path otherwise", () => {
  const extra_content = { anthropic: { top_k: 4 } };
  assertEquals(translate("anthropic", { extra_content }).options.topK, 4);
  assertEquals(translate("google", { extra_content, top_k: 7 }).options.topK, 7);
});
