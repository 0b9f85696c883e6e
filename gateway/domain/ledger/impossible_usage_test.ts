import { assertEquals, assertMatch } from "@std/assert";
import { impossibleUsage } from "./impossible_usage.ts";

const BOUNDS = { contextTokens: 100_000, heldOutputTokens: 1_000 };

function problemOf(inputTokens: number, outputTokens: number): string | undefined {
  return impossibleUsage({ inputTokens, cachedInputTokens: 0, outputTokens }, BOUNDS);
}

Deno.test("a report is possible up to the model's context and four times the held output", () => {
  assertEquals(problemOf(0, 0), undefined);
  assertEquals(problemOf(100_000, 4_000), undefined);
  assertMatch(problemOf(100_001, 0) ?? "", /context of 100000$/);
  assertMatch(problemOf(0, 4_001) ?? "", /4 times the held 1000$/);
});

Deno.test("a usage value that is not a count is impossible", () => {
  for (const odd of [-1, 0.5, 1e30, Infinity, -Infinity, NaN]) {
    assertMatch(problemOf(odd, 1) ?? "", /input tokens are no count$/);
    assertMatch(problemOf(1, odd) ?? "", /output tokens are no count$/);
  }
});

Deno.test("models that draw have no context to exceed", () => {
  const usage = { inputTokens: 1e9, cachedInputTokens: 0, outputTokens: 1 };
  assertEquals(impossibleUsage(usage, { ...BOUNDS, contextTokens: Infinity }), undefined);
});
