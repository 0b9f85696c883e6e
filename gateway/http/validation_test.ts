import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { chatRequestSchema } from "./schemas/chat.ts";
import { validate } from "./validation.ts";

const GOOD = { model: "auto", messages: [{ role: "user", content: "Hi" }] };

Deno.test("a request with unknown fields is valid", () => {
  validate(chatRequestSchema, {
    ...GOOD,
    future: { x: 1 },
    messages: [
      { role: "user", content: [{ type: "input_audio", input_audio: {} }], cache: true },
      { role: "assistant", content: null, tool_calls: [{ id: "a", type: "custom", custom: {} }] },
      { role: "tool", tool_call_id: "a", content: "1" },
    ],
    tools: [{ type: "custom", custom: { name: "x" } }, {
      type: "function",
      function: { name: "f" },
    }],
    tool_choice: { type: "function", function: { name: "f" } },
    stop: null,
    n: null,
  });
});

/** Invalid requests, the field, and its complaint. */
const COMPLAINTS: [Record<string, unknown>, string, string][] = [
  [{ messages: undefined }, "messages", "send an array of messages"],
  [{ messages: {} }, "messages", "send an array of messages"],
  [{ messages: [] }, "messages", "at least one message"],
  [{ messages: [{ content: "x" }] }, "messages.0.role", "expected one of"],
  [
    { messages: [{ role: "user", content: 7 }] },
    "messages.0.content",
    "expected string or array, received number",
  ],
  [{ messages: [{ role: "user" }] }, "messages.0.content", "array of parts"],
  [{ messages: [{ role: "tool", content: "x" }] }, "messages.0.tool_call_id", "tool call"],
  [
    { messages: [...GOOD.messages, { role: "user", content: [{ type: "text" }] }] },
    "messages.1.content.0.text",
    "text",
  ],
  [
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: "http://x" }] }] },
    "messages.0.content.0.image_url",
    "expected object",
  ],
  [
    { messages: [{ role: "user", content: [{ type: "image_url" }] }] },
    "messages.0.content.0.image_url",
    "url",
  ],
  [{ tools: [{ type: "function" }] }, "tools.0.function", "declaration"],
  [{ tools: [{ type: "function", function: { name: "" } }] }, "tools.0.function.name", ">=1"],
  [{ response_format: { type: "json_schema" } }, "response_format.json_schema", "schema"],
  [{ n: 0 }, "n", ">=1"],
  [{ n: 129 }, "n", "<=128"],
  [{ n: 1.5 }, "n", "expected a whole number, received another"],
  [{ n: "1" }, "n", "expected number, received string"],
  [{ stop: 1 }, "stop", "expected string or array, received number"],
  [{ max_tokens: 1.5 }, "max_tokens", "send a whole number of tokens, 1 or more"],
  [{ max_tokens: Infinity }, "max_tokens", "send a whole number of tokens, 1 or more"],
  [{ max_completion_tokens: 0 }, "max_completion_tokens", "send a whole number of tokens"],
  [{ temperature: 3 }, "temperature", "<=2"],
  [{ stream: "yes" }, "stream", "expected boolean"],
  [{ stop: [1] }, "stop.0", "expected string"],
  [{ messages: Array(10_001).fill(1) }, "messages", "at most 10000 messages"],
  [
    { messages: [{ role: "user", content: Array(10_001).fill(1) }] },
    "messages.0.content",
    "<=10",
  ],
  [{ tools: Array(1_025).fill(1) }, "tools", "<=1024"],
  [
    { messages: [{ role: "assistant", tool_calls: Array(1_025).fill(1) }] },
    "messages.0.tool_calls",
    "<=1024",
  ],
  [{ stop: Array(1_025).fill(1) }, "stop", "<=1024"],
];

Deno.test("the first complaint names the path and says what is expected", () => {
  for (const [change, param, words] of COMPLAINTS) {
    const fault = assertThrows(
      () => validate(chatRequestSchema, { ...GOOD, ...change }),
      ServiceFault,
    );
    assertEquals(fault.param, param, fault.message);
    assertStringIncludes(fault.message, words);
    assertEquals(fault.code, "invalid_request");
  }
});

Deno.test("too many elements are refused unread, and of many bad ones the first alone is read", () => {
  let read = 0;
  const counted = () =>
    Object.defineProperty({ content: "Hi" }, "role", { enumerable: true, get: () => void read++ });
  const refuse = (messages: readonly unknown[]) =>
    assertThrows(() => validate(chatRequestSchema, { ...GOOD, messages }), ServiceFault);
  refuse(Array.from({ length: 10_001 }, counted));
  assertEquals(read, 0);
  assertEquals(refuse([counted()]).param, "messages.0.role");
  const once = read;
  refuse(Array.from({ length: 10_000 }, counted));
  assertEquals(read, 2 * once);
});
