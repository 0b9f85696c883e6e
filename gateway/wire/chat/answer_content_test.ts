import { assertEquals } from "@std/assert";
import { answerContent } from "./answer_content.ts";

const completion = (message: unknown, finish: unknown = "stop") => ({
  choices: [{ index: 0, message, finish_reason: finish }],
});
const tool = (called: unknown) => completion({ content: null, tool_calls: [called] }, "tool_calls");

Deno.test("answerContent() returns text without reasoning, also of parts", () => {
  const message = { role: "assistant", content: "B", reasoning: "A is wrong", refusal: null };
  assertEquals(answerContent(completion(message)), { text: "B", calls: [] });
  const parts = [{ type: "text", text: "new " }, { type: "text", text: "york" }];
  assertEquals(answerContent(completion({ content: parts }, null)), {
    text: "new york",
    calls: [],
  });
});

Deno.test("answerContent() returns function calls, with arguments as text or object", () => {
  const calls = [{ name: "f", arguments: '{"a":1}' }];
  for (const written of ['{"a":1}', { a: 1 }]) {
    const called = { id: "1", type: "function", function: { name: "f", arguments: written } };
    assertEquals(answerContent(tool(called)), { text: "", calls });
  }
  const empty = { text: "", calls: [{ name: "f", arguments: "" }] };
  assertEquals(answerContent(tool({ function: { name: "f" } })), empty);
});

Deno.test("answerContent() is undefined for answers that are not complete", () => {
  const message = { content: "B" };
  const incomplete = [
    ...[{}, { choices: [] }, { choices: [null] }, { choices: [{}] }, completion(null)],
    ...["length", "content_filter", "error"].map((finish) => completion(message, finish)),
    completion({ content: null, refusal: "I cannot" }),
    { choices: [...completion(message).choices, ...completion(message).choices] },
    ...[tool(null), tool({}), tool({ function: { name: 1 } })],
    tool({ function: { name: "f", arguments: 5 } }),
  ];
  for (const value of incomplete) assertEquals(answerContent(value), undefined);
});
