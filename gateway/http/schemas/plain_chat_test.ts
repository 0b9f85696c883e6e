import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { chatRequestSchema } from "./chat.ts";
import { isPlainChat } from "./plain_chat.ts";

const PLAIN = {
  model: "auto",
  messages: [{ role: "system", content: "Be terse" }, { role: "user", content: "Hello" }],
};

Deno.test("a common client's request is plain", () => {
  const rows = [
    PLAIN,
    { ...PLAIN, stream: true, stream_options: { include_usage: true }, temperature: 0.2 },
    { ...PLAIN, max_tokens: 200, max_completion_tokens: 1, top_p: 1, user: "somebody" },
  ];
  for (const row of rows) assertEquals(isPlainChat(row), true, JSON.stringify(row));
});

Deno.test("a request that the schema must judge is not plain", () => {
  const rows = [
    { ...PLAIN, model: "small" },
    { ...PLAIN, messages: [] },
    { ...PLAIN, messages: {} },
    { ...PLAIN, messages: [null] },
    { ...PLAIN, messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }] },
    { ...PLAIN, messages: [{ role: "tool", content: "4", tool_call_id: "a" }] },
    { ...PLAIN, messages: [{ role: "assistant", content: "", tool_calls: [] }] },
    { ...PLAIN, messages: Array.from({ length: 10_001 }, () => PLAIN.messages[0]) },
    { ...PLAIN, messages: [{ role: "user", content: "Hello", name: 1 }] },
    { ...PLAIN, tools: [] },
    { ...PLAIN, n: 1 },
    { ...PLAIN, stream: null },
    { ...PLAIN, stream_options: [] },
    { ...PLAIN, max_tokens: 0 },
    { ...PLAIN, temperature: 2.5 },
    { ...PLAIN, top_p: -1 },
  ];
  for (const row of rows) assertEquals(isPlainChat(row), false, JSON.stringify(row).slice(0, 200));
});

Deno.test("a plain request is valid", () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(0, 1, 2, 128, "auto", "tool", true, {}));
  const changes = (fields: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 2 });
  const messageFields = ["role", "content", "tool_calls", "tool_call_id", "name"];
  let plain = 0;
  fc.assert(
    fc.property(
      changes(Object.keys(chatRequestSchema.shape)),
      fc.array(changes(messageFields), { minLength: 1, maxLength: 3 }),
      (changed, messages) => {
        const conversation = messages.map((message) => ({ ...PLAIN.messages[1], ...message }));
        const body = { ...PLAIN, messages: conversation, ...changed };
        if (!isPlainChat(body)) return;
        plain++;
        assert(chatRequestSchema.safeParse(body).success);
      },
    ),
    { numRuns: 2_000 },
  );
  assert(plain > 100);
});
