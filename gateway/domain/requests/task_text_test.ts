import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { ChatRequest } from "@svc/sdk/protocol";
import fc from "fast-check";
import { comparableOf, SHORT_ANSWER_TOKENS, taskTextOf } from "./task_text.ts";

function requestWith(changes: Partial<ChatRequest>): ChatRequest {
  return { model: "auto", messages: [{ role: "user", content: "Hi" }], ...changes };
}

function textOf(system: string, changes: Partial<ChatRequest> = {}): string {
  const messages = [{ role: "system", content: system }, { role: "user", content: "Hi" }];
  return taskTextOf(requestWith({ messages, ...changes }));
}

const FUNCTION = (name: string) => ({ type: "function", function: { name } });

/** Pairs of system prompts of one task. */
const SAME: readonly (readonly [string, string, string])[] = [
  ["dates", "Today is 2026-11-23. Answer.", "Today is 2027-01-02. Answer."],
  ["times", "It is 2026-11-23T10:00:00Z.", "It is 1999-01-01 23:59:59."],
  ["dates in words", "Date: Monday, November 23, 2026.", "Date: Fri, Jan 2, 2027."],
  ["numbers", "You serve customer 17 of 400.", "You serve customer 123456 of 2."],
  [
    "UUIDs",
    "Session f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "Session deadbeef-aaaa-bbbb-cccc-dddddddddddd",
  ],
  ["ids", "Trace a1b2c3d4e5f6 begins", "Trace 99zz begins"],
  ["case and white space", "You  ARE\n helpful", "You are helpful"],
  ["text beyond the beginning", `${"a ".repeat(512)}one`, `${"a ".repeat(512)}two`],
];

for (const [name, one, other] of SAME) {
  Deno.test(`taskTextOf() does not depend on ${name}`, () => {
    assertEquals(textOf(one), textOf(other));
  });
}

Deno.test("taskTextOf() does not depend on the user's messages or the order of tools", () => {
  const ask = (content: string) =>
    taskTextOf(requestWith({ messages: [{ role: "user", content }] }));
  assertEquals(ask("One"), ask("Another"));
  const tools = [FUNCTION("a"), FUNCTION("b")];
  assertEquals(textOf("x", { tools }), textOf("x", { tools: tools.toReversed() }));
});

const schemaOf = (name: string) => ({
  type: "json_schema",
  json_schema: { name, schema: { type: "object" } },
});

Deno.test("taskTextOf() differs by system prompt, tools and response schema", () => {
  const texts = [
    textOf("Translate"),
    textOf("Summarise"),
    textOf("Translate", { tools: [FUNCTION("a")] }),
    textOf("Translate", { tools: [FUNCTION("b")] }),
    textOf("Translate", { response_format: { type: "json_object" } }),
    textOf("Translate", { response_format: schemaOf("one") }),
    textOf("Translate", { response_format: schemaOf("two") }),
  ];
  assertEquals(new Set(texts).size, texts.length);
  assertNotEquals(textOf("", { tools: [FUNCTION("a")] }), textOf("a"));
});

Deno.test("taskTextOf() reads a system prompt in parts, and a developer's", () => {
  const content = [{ type: "text", text: "You are" }, { type: "text", text: "helpful" }];
  const parts = taskTextOf(requestWith({ messages: [{ role: "developer", content }] }));
  assertEquals(parts, textOf("You are\nhelpful"));
});

Deno.test("taskTextOf() is bounded for any text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (system) => {
    assert(textOf(system).length <= 8 * 1_024);
    assertEquals(textOf(system), textOf(system));
  }));
});

/** A pattern that takes quadratic time would not end within the test. */
const HOSTILE = ["0", "a", "0-", "0 ", "-", "may ", "a0", "abcdef01-", "\u{10FFFF}"];

for (const unit of HOSTILE) {
  Deno.test(`taskTextOf() reads megabytes of ${JSON.stringify(unit)}`, () => {
    const text = unit.repeat(5_000_000 / unit.length);
    const many = Array.from({ length: 100 }, () => ({ type: "text", text }));
    const messages = [{ role: "system", content: many }];
    for (let times = 0; times < 20; times++) {
      assert(taskTextOf(requestWith({ messages })).length < 20_000);
    }
  });
}

Deno.test("comparableOf() is the schema, the forced tool, or a short answer", () => {
  const tools = [FUNCTION("a")];
  const named = { type: "function", function: { name: "a" } };
  const cases: readonly (readonly [Partial<ChatRequest>, string | undefined])[] = [
    [{}, undefined],
    [{ response_format: schemaOf("x") }, "schema"],
    [{ response_format: { type: "json_object" } }, undefined],
    [{ tools, tool_choice: "required" }, "tool"],
    [{ tools, tool_choice: named }, "tool"],
    [{ tools }, undefined],
    [{ tools, tool_choice: "auto", response_format: schemaOf("x") }, undefined],
    [{ max_tokens: SHORT_ANSWER_TOKENS }, "short"],
    [{ max_completion_tokens: SHORT_ANSWER_TOKENS + 1, max_tokens: 1 }, undefined],
    [{ max_completion_tokens: null }, undefined],
  ];
  for (const [changes, expected] of cases) {
    assertEquals(comparableOf(requestWith(changes)), expected, JSON.stringify(changes));
  }
});
