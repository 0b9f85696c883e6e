import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { ChatMessage, ChatRequest } from "@svc/sdk/protocol";
import fc from "fast-check";
import { chatFeatures, chatFeatureSteps, conversationOf } from "./features.ts";
import { STEP_CHARS } from "../redaction/steps.ts";
import { measureText } from "./text_measure.ts";

function requestWith(changes: Partial<ChatRequest>): ChatRequest {
  return { model: "auto", messages: [{ role: "user", content: "Hi" }], ...changes };
}

const FUNCTION = { type: "function", function: { name: "add" } };

Deno.test("chatFeatures() of the smallest request", () => {
  const { difficulty, conversation, taskText, ...rest } = chatFeatures(requestWith({}));
  assert(difficulty < 0.2);
  assertEquals(taskText, "\n\n");
  assertMatch(conversation, /^[0-9a-f]{16}$/);
  assertEquals(rest, {
    endpoint: "chat",
    textBytes: 2,
    textChars: 2,
    denseChars: 0,
    framedItems: 1,
    images: 0,
    needs: [],
    needPaths: {},
    hostedTools: [],
    requestedOutputTokens: undefined,
    choices: 1,
    comparable: undefined,
  });
});

const NEEDS: readonly (readonly [string, Partial<ChatRequest>, readonly string[]])[] = [
  ["no tools", { tools: [] }, []],
  ["null tools", { tools: null }, []],
  ["function tools", { tools: [FUNCTION] }, ["tools"]],
  ["hosted tools only", { tools: [{ type: "web_search_preview" }] }, []],
  ["functions of older clients", { functions: [{ name: "add" }] }, ["tools"]],
  ["text format", { response_format: { type: "text" } }, []],
  ["JSON", { response_format: { type: "json_object" } }, ["json"]],
  ["a JSON schema", { response_format: { type: "json_schema", json_schema: {} } }, ["json"]],
  ["spoken answers", { modalities: ["text", "audio"] }, ["audio"]],
  ["null format", { response_format: null }, []],
];

for (const [name, changes, needs] of NEEDS) {
  Deno.test(`chatFeatures() needs of ${name}`, () => {
    assertEquals(chatFeatures(requestWith(changes)).needs, needs);
  });
}

Deno.test("chatFeatures() counts media by kind, not by its base64", () => {
  const data = "A".repeat(32_000);
  const parts = [
    { type: "text", text: "what is this" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    { type: "input_audio", input_audio: { data, format: "wav" } },
    { type: "file", file: { file_data: data } },
    { type: "refusal", refusal: "no" },
  ];
  const features = chatFeatures(requestWith({ messages: [{ role: "user", content: parts }] }));
  assertEquals(features.images, 2);
  assertEquals(features.needs, ["vision", "audio", "files"]);
  assert(features.textChars > 17_000 && features.textChars < 17_300, `${features.textChars}`);
});

Deno.test("chatFeatures() counts everything the model reads", () => {
  const call = {
    id: "c",
    type: "function" as const,
    function: { name: "add", arguments: "{}" },
    thought_signature: "s".repeat(500),
  };
  const features = chatFeatures(requestWith({
    messages: [
      { role: "user", content: "你好", name: "amy" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "3" },
    ],
    tools: [FUNCTION, { type: "file_search", vector_store_ids: ["v"] }],
    n: 3,
    max_tokens: 5,
    max_completion_tokens: 7,
  }));
  assertEquals(features.framedItems, 5);
  assertEquals(features.hostedTools, ["file_search"]);
  assertEquals([features.choices, features.requestedOutputTokens], [3, 7]);
  assertEquals(features.textBytes - features.textChars, 4);
  assert((features.denseChars ?? 0) > 500);
  assertEquals(chatFeatures(requestWith({ max_tokens: 5 })).requestedOutputTokens, 5);
});

Deno.test("conversationOf() stays the same on every later turn", () => {
  const start: ChatMessage[] = [
    { role: "system", content: "Be brief" },
    { role: "user", content: [{ type: "text", text: "Hi" }] },
  ];
  const later = [...start, { role: "assistant", content: "Hello" }, { role: "user", content: "?" }];
  assertEquals(conversationOf(later), conversationOf(start));
});

Deno.test("conversationOf() differs with every leading text", () => {
  const long = "x".repeat(5_000);
  const image = (url: string): ChatMessage[] => [
    { role: "user", content: [{ type: "image_url", image_url: { url } }] },
  ];
  const conversations: ChatMessage[][] = [
    [],
    [{ role: "user", content: "a" }],
    [{ role: "system", content: "a" }],
    [{ role: "user", content: "ab" }],
    [{ role: "system", content: "a" }, { role: "user", content: "b" }],
    [{ role: "user", content: long }],
    [{ role: "user", content: `${long}y` }],
    [{ role: "user", content: `${long}z` }],
    [{ role: "user", content: null }],
    image("https://example.com/a"),
    image("https://example.com/b"),
  ];
  assertEquals(new Set(conversations.map(conversationOf)).size, conversations.length);
});

Deno.test("conversationOf() rarely collides", () => {
  const seen = new Set<string>();
  for (let i = 0; i < 20_000; i++) seen.add(conversationOf([{ role: "user", content: `q${i}` }]));
  assertEquals(seen.size, 20_000);
  assertNotEquals(new Set([...seen].map((hash) => hash.slice(0, 8))).size, 1);
});

Deno.test("chatFeatures() measures UTF-8 exactly, for any text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (content) => {
    const features = chatFeatures(requestWith({ messages: [{ role: "user", content }] }));
    assertEquals(features.textBytes, new TextEncoder().encode(content).length);
    assertEquals(features.textChars, content.length);
    assert((features.denseChars ?? 0) <= content.length);
  }));
  const lone = ["\ud800", "\udc00a", "a\ud83d", "\ude00\ud83d", "\ud83d\ude00"];
  for (const content of lone) {
    const features = chatFeatures(requestWith({ messages: [{ role: "user", content }] }));
    assertEquals(features.textBytes, new TextEncoder().encode(content).length);
  }
});

Deno.test("chatFeatures() counts with the larger of two output limits", () => {
  const limitOf = (limits: Partial<ChatRequest>) =>
    chatFeatures(requestWith(limits)).requestedOutputTokens;
  assertEquals(limitOf({ max_completion_tokens: 1, max_tokens: 8_000 }), 8_000);
  assertEquals(limitOf({ max_completion_tokens: 9, max_tokens: 8 }), 9);
  assertEquals(limitOf({ max_completion_tokens: null, max_tokens: 8 }), 8);
  assertEquals(limitOf({ max_completion_tokens: 9, max_tokens: null }), 9);
  assertEquals(limitOf({ max_completion_tokens: null }), undefined);
});

Deno.test("a long text is measured in steps, and comes to the same", () => {
  const unit = fc.string({ unit: fc.constantFrom("a", "1", " ", ".", "é", "漢", "👩", "\ud83d") });
  fc.assert(
    fc.property(unit, fc.string({ unit: "binary", maxLength: 8 }), (unit, start) => {
      const content = start +
        (unit || "a").repeat(Math.ceil(1.5 * STEP_CHARS / (unit.length || 1)));
      const steps = chatFeatureSteps({ model: "auto", messages: [{ role: "user", content }] });
      assertEquals(steps.next().done, false);
      const { value, done } = steps.next();
      assertEquals(done, true);
      const whole = { bytes: 0, chars: 0, dense: 0 };
      measureText(content, whole);
      assertEquals([value?.textBytes, value?.textChars, value?.denseChars], Object.values(whole));
      assertEquals(whole.bytes, new TextEncoder().encode(content).length);
    }),
    { numRuns: 20 },
  );
});

Deno.test("many messages are walked over in steps", () => {
  const messages: ChatMessage[] = Array(2_500).fill({ role: "user", content: "Hi" });
  const steps = chatFeatureSteps({ model: "auto", messages });
  assertEquals([steps.next().done, steps.next().done, steps.next().done], [false, false, true]);
});
