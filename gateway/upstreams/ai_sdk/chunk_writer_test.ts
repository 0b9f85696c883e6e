import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { assertEquals, assertThrows } from "@std/assert";
import { UpstreamCut } from "../../ports/upstream.ts";
import { chatAnswer } from "./chat_answer.ts";
import { ChunkWriter } from "./chunk_writer.ts";
import { formatOf } from "./translated_fixture.ts";

const options = (kind: string, warnings: readonly string[] = []) => ({
  format: formatOf(kind),
  id: "own",
  createdSeconds: 7,
  model: "m",
  warnings,
});

const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 9, noCache: 4, cacheRead: 3, cacheWrite: 2 },
  outputTokens: { total: 5, text: 1, reasoning: 4 },
};
const finish = (
  unified: "stop" | "error" | "other",
  raw: string | undefined = unified,
): LanguageModelV4StreamPart => ({
  type: "finish",
  finishReason: { unified, raw },
  usage: USAGE,
});

function write(kind: string, ...parts: readonly LanguageModelV4StreamPart[]) {
  const writer = new ChunkWriter(options(kind, ["ours"]));
  return parts.flatMap((part) => writer.write(part)).map((text) => JSON.parse(text));
}

const deltas = (chunks: ReturnType<typeof write>) =>
  chunks.flatMap((chunk) => chunk.choices.map((choice: { delta: unknown }) => choice.delta));

Deno.test("the first chunk has the role and what was left out, the last the usage", () => {
  const chunks = write(
    "google",
    {
      type: "stream-start",
      warnings: [
        { type: "unsupported", feature: "topK" },
        { type: "compatibility", feature: "reasoning", details: "mapped" },
        { type: "deprecated", setting: "old", message: "gone soon" },
        { type: "other", message: "odd" },
      ],
    },
    { type: "response-metadata", id: "theirs" },
    { type: "response-metadata", id: "again" },
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "Hi" },
    { type: "text-end", id: "0" },
    finish("stop"),
  );
  const head = { id: "theirs", object: "chat.completion.chunk", created: 7, model: "m" };
  const choice = (delta: unknown, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  assertEquals(chunks, [
    {
      ...choice({ role: "assistant", content: "", refusal: null }),
      upstream_warnings: [
        "ours",
        "top_k: unsupported by this model",
        "reasoning_effort: mapped",
        "old: gone soon",
        "odd",
      ],
    },
    choice({ content: "Hi" }),
    choice({}, "stop"),
    {
      ...head,
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 5,
        total_tokens: 14,
        prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    },
  ]);
});

Deno.test("tool calls: input in pieces, whole, or missing; a signature that comes late", () => {
  const providerMetadata = { google: { thoughtSignature: "S" } };
  const call = (toolCallId: string, input: string): LanguageModelV4StreamPart => ({
    type: "tool-call",
    toolCallId,
    toolName: "f",
    input,
    providerMetadata,
  });
  const extra_content = { google: { thought_signature: "S" } };
  const chunks = write(
    "google",
    { type: "tool-input-start", id: "a", toolName: "f" },
    { type: "tool-input-delta", id: "a", delta: '{"x"' },
    { type: "tool-input-delta", id: "a", delta: "" },
    { type: "tool-input-delta", id: "a", delta: ":1}" },
    { type: "tool-input-end", id: "a" },
    call("a", '{"x":1}'),
    call("b", "{}"),
    { type: "tool-input-delta", id: "unknown", delta: "x" },
    finish("stop"),
  );
  assertEquals(deltas(chunks).slice(1).flatMap((delta) => delta.tool_calls ?? delta), [
    { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } },
    { index: 0, function: { arguments: '{"x"' } },
    { index: 0, function: { arguments: ":1}" } },
    { index: 0, extra_content },
    { index: 1, id: "b", type: "function", function: { name: "f", arguments: "" }, extra_content },
    { index: 1, function: { arguments: "{}" } },
    {},
  ]);
  // "stop" beside tool calls.
  assertEquals(chunks.at(-2)?.choices[0].finish_reason, "tool_calls");
});

Deno.test("thoughts are shown, and travel with the call that they led to", () => {
  const chunks = write(
    "anthropic",
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "Hm" },
    {
      type: "reasoning-delta",
      id: "0",
      delta: "",
      providerMetadata: { anthropic: { signature: "S" } },
    },
    { type: "reasoning-end", id: "0" },
    {
      type: "reasoning-start",
      id: "1",
      providerMetadata: { anthropic: { redactedData: "R" } },
    },
    { type: "reasoning-start", id: "2" },
    { type: "tool-input-start", id: "a", toolName: "f" },
    { type: "tool-input-start", id: "b", toolName: "f" },
  );
  const [, thought, a, b] = deltas(chunks);
  assertEquals(thought, { reasoning_content: "Hm" });
  assertEquals(a.tool_calls[0].extra_content, {
    anthropic: {
      thinking: [
        { type: "thinking", thinking: "Hm", signature: "S" },
        { type: "redacted_thinking", data: "R" },
      ],
    },
  });
  assertEquals(b.tool_calls[0].extra_content, undefined);
});

Deno.test("signed text, a picture and a refusal", () => {
  const providerMetadata = { google: { thoughtSignature: "S" } };
  const chunks = write(
    "google",
    { type: "text-delta", id: "0", delta: "", providerMetadata },
    { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1]) } },
    {
      type: "finish",
      finishReason: { unified: "content-filter", raw: "refusal" },
      usage: {
        inputTokens: {
          total: undefined,
          noCache: undefined,
          cacheRead: undefined,
          cacheWrite: undefined,
        },
        outputTokens: { total: undefined, text: undefined, reasoning: undefined },
      },
      providerMetadata: { anthropic: { stopDetails: { explanation: "Not this" } } },
    },
  );
  assertEquals(deltas(chunks).slice(1), [
    { extra_content: { google: { thought_signature: "S" } } },
    { images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AQ==" } }] },
    { refusal: "Not this" },
    {},
  ]);
  assertEquals(chunks.at(-1)?.choices[0].finish_reason, "content_filter");
});

Deno.test("members without a place and an unknown finish reason are reported at the end, a line each", () => {
  const source = { type: "source", sourceType: "url", id: "1", url: "https://a.test/" } as const;
  const end = finish("other", "OTHER");
  const chunks = write("google", source, source, { type: "text-delta", id: "0", delta: "A" }, end);
  assertEquals(chunks.at(-2)?.["upstream_warnings"], [
    'parts of type "source" of the provider\'s answer were left out',
    'finish_reason: the provider ended the answer with "OTHER"',
  ]);
  assertEquals(chunks.at(-2)?.choices[0].finish_reason, "stop");
});

Deno.test("a tool call has its name once, for any event order of its package", () => {
  const chunks = write(
    "azure",
    { type: "tool-input-start", id: "a", toolName: "f" },
    { type: "tool-input-delta", id: "a", delta: "{}" },
    { type: "tool-input-end", id: "a" },
    { type: "tool-call", toolCallId: "a", toolName: "f", input: "{}" },
    { type: "tool-call", toolCallId: "b", toolName: "g", input: "{}" },
    finish("stop"),
  );
  const calls = deltas(chunks).flatMap((delta) => delta.tool_calls ?? []);
  assertEquals(calls.flatMap((call) => call.function?.name ?? []), ["f", "g"]);
});

Deno.test("an answer that ends with an error, or without an end, is cut", () => {
  const named = (name: string) => Object.assign(new Error("x"), { name });
  const endless: LanguageModelV4StreamPart = {
    type: "finish",
    finishReason: { unified: "other", raw: undefined },
    usage: USAGE,
  };
  const cases: readonly (readonly [LanguageModelV4StreamPart, UpstreamCut["outcome"]])[] = [
    [finish("error"), "server_error"],
    [endless, "cut"],
    [{ type: "error", error: named("AI_JSONParseError") }, "malformed"],
    [{ type: "error", error: "overloaded" }, "server_error"],
  ];
  for (const [part, outcome] of cases) {
    const cut = assertThrows(() => write("mistral", part), UpstreamCut);
    assertEquals(cut.outcome, outcome);
  }
});

Deno.test("chatAnswer() says what the stream says", () => {
  const answer = chatAnswer({
    content: [
      { type: "reasoning", text: "Hm", providerMetadata: { anthropic: { signature: "S" } } },
      { type: "text", text: "Hi" },
      { type: "tool-call", toolCallId: "a", toolName: "f", input: "{}" },
      {
        type: "file",
        mediaType: "image/png",
        data: { type: "url", url: new URL("https://a.test/") },
      },
      { type: "source", sourceType: "url", id: "1", url: "https://a.test/" },
    ],
    finishReason: { unified: "tool-calls", raw: "tool_use" },
    usage: USAGE,
    warnings: [{ type: "other", message: "odd" }],
    response: { id: "theirs" },
  }, options("anthropic", ["ours"]));
  assertEquals([answer?.id, answer?.["upstream_warnings"]], ["theirs", [
    "ours",
    "odd",
    'parts of type "source" of the provider\'s answer were left out',
  ]]);
  assertEquals(answer?.choices[0], {
    index: 0,
    message: {
      role: "assistant",
      content: "Hi",
      refusal: null,
      reasoning_content: "Hm",
      tool_calls: [{
        id: "a",
        type: "function",
        function: { name: "f", arguments: "{}" },
        extra_content: {
          anthropic: { thinking: [{ type: "thinking", thinking: "Hm", signature: "S" }] },
        },
      }],
      images: [{ type: "image_url", image_url: { url: "https://a.test/" } }],
    },
    finish_reason: "tool_calls",
    logprobs: null,
  });
  const failed = chatAnswer({
    content: [],
    finishReason: { unified: "error", raw: "MALFORMED_FUNCTION_CALL" },
    usage: USAGE,
    warnings: [],
  }, options("google"));
  assertEquals(failed, undefined);
});
