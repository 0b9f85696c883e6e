import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ChatBody } from "../../wire/responses/chat_request.ts";
import { RESULT_CHARS_MAX, ResultBudget } from "./result_budget.ts";

interface Passage {
  readonly text: string;
}

const shown = (passage: Passage) => passage;
const passage = (chars: number): Passage => ({ text: "word ".repeat(chars / 5) });

function asking(more: Readonly<Record<string, unknown>> = {}): Pick<ChatBody, "value"> {
  return { value: { model: "auto", messages: [{ role: "user", content: "Hi" }], ...more } };
}

function budgetOf(contextTokens: number, conversation = asking()): ResultBudget {
  return new ResultBudget({ contextTokens, maxOutputTokens: 1_000 }, conversation);
}

Deno.test("ResultBudget.take() returns the results that fit, complete and in order", () => {
  const [short, long] = [passage(500), passage(50_000)];
  assertEquals(budgetOf(100_000).take([], shown), []);
  assertEquals(budgetOf(100_000).take([long, short], shown), [long, short]);
  assertEquals(budgetOf(8_000).take([long, short, short], shown), [short, short]);
});

Deno.test("ResultBudget.take() shortens one result if none fits, or leaves all out", () => {
  const [kept, ...others] = budgetOf(4_000).take([passage(50_000), passage(40_000)], shown);
  assertEquals(others, []);
  assert(kept !== undefined && kept.text.endsWith("…") && kept.text.length > 100);
  assertEquals(budgetOf(600).take([passage(5_000)], shown), []);
  const emoji = { text: `x${"🌊".repeat(10_000)}` };
  const [whole] = budgetOf(6_000).take([emoji], shown);
  assert(whole?.text.isWellFormed());
});

Deno.test("ResultBudget.take() leaves room for other searches and for the output that was requested", () => {
  const many = Array.from({ length: 100 }, () => passage(500));
  const budget = budgetOf(20_000);
  const counts = Array.from({ length: 4 }, () => budget.take(many, shown).length);
  assert(counts.every((count, at) => count > 0 && count < (counts[at - 1] ?? 101)), `${counts}`);
  const results = budgetOf(20_000, asking({ max_tokens: 15_000 })).take(many, shown);
  assert(results.length < (counts[0] ?? 0) / 2);
});

Deno.test("ResultBudget.take() counts what is shown, within the longest text that is read", () => {
  const wide = budgetOf(10_000_000).take(Array.from({ length: 99 }, () => passage(5_000)), shown);
  assert(JSON.stringify({ results: wide }).length <= RESULT_CHARS_MAX);
  const url = `https://long.example/${"a".repeat(1_900)}`;
  const [few, more] = [() => ({ url }), shown].map((as) =>
    budgetOf(8_000).take(Array.from({ length: 50 }, () => passage(500)), as).length
  );
  assert(few !== undefined && more !== undefined && few < more);
});

Deno.test("ResultBudget.take() never exceeds the context, for any texts", () => {
  const texts = fc.array(fc.string({ unit: "binary", maxLength: 4_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 100, max: 20_000 }), (passages, contextTokens) => {
      const kept = budgetOf(contextTokens).take(passages.map((text) => ({ text })), shown);
      // A token is at least half a character, and of ordinary text four.
      assert(JSON.stringify(kept).length / 4 <= contextTokens);
    }),
    { numRuns: 50 },
  );
});
