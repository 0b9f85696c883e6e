import { assertEquals } from "@std/assert";
import { withoutMessagesMembers } from "./messages_members.ts";

const cache_control = { type: "ephemeral" };
const MARKED = {
  model: "auto",
  cache_control,
  extra_content: { anthropic: { top_k: 5 }, google: { a: 1 } },
  messages: [
    { role: "system", content: [{ type: "text", text: 'a "cache_control"', cache_control }] },
    { role: "user", content: "is_error?", cache_control, is_error: true },
    { role: "tool", tool_call_id: "1", content: "Error: no", is_error: true, cache_control },
    "odd",
  ],
  tools: [{
    type: "function",
    function: { name: "f", parameters: { properties: { cache_control: {}, is_error: {} } } },
    cache_control,
  }],
};

function edited(value: Record<string, unknown>, kind: "openai" | "openai-compatible") {
  const refusesCacheControl = kind === "openai";
  return JSON.parse(withoutMessagesMembers(JSON.stringify(value), { value, refusesCacheControl }));
}

Deno.test("members of Messages are removed for OpenAI, and all others stay unchanged", () => {
  const { cache_control: _, ...rest } = MARKED;
  assertEquals(edited(MARKED, "openai"), {
    ...rest,
    extra_content: { google: { a: 1 } },
    messages: [
      { role: "system", content: [{ type: "text", text: 'a "cache_control"' }] },
      { role: "user", content: "is_error?", is_error: true },
      { role: "tool", tool_call_id: "1", content: "Error: no" },
      "odd",
    ],
    tools: MARKED.tools.map(({ cache_control: _, ...tool }) => tool),
  });
});

Deno.test("a compatible server keeps marks of the cache, which some take", () => {
  assertEquals(edited(MARKED, "openai-compatible"), {
    ...MARKED,
    extra_content: { google: { a: 1 } },
    messages: MARKED.messages.map((one, at) =>
      at === 2 ? { role: "tool", tool_call_id: "1", content: "Error: no", cache_control } : one
    ),
  });
});

Deno.test("a request without such members keeps its bytes", () => {
  const text =
    '{"top_k": 5,\n "messages":[ {"role":"tool","content":"1"} ],"extra_content":{"a":1}}';
  for (const kind of ["openai", "openai-compatible"] as const) {
    assertEquals(
      withoutMessagesMembers(text, {
        value: JSON.parse(text),
        refusesCacheControl: kind === "openai",
      }),
      text,
    );
  }
  const alone = { messages: [], extra_content: { anthropic: {} } };
  assertEquals(edited(alone, "openai"), { messages: [] });
});
