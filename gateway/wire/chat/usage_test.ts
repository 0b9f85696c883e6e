import { assertEquals } from "@std/assert";
import { chatUsageOf, readChatUsage } from "./usage.ts";

const of = (details: unknown) =>
  readChatUsage({ prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: details });
const READ = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 2 };

Deno.test("readChatUsage() reads what was written into a cache, under the names it has", () => {
  const written = { ...READ, cachedInputTokens: 4, cacheWriteInputTokens: 5 };
  assertEquals(of({ cached_tokens: 4, cache_write_tokens: 5 }), written);
  assertEquals(of({ cached_tokens: 4, cache_creation_tokens: 5 }), written);
  // No more than the input has left.
  assertEquals(of({ cached_tokens: 4, cache_write_tokens: 9 })?.cacheWriteInputTokens, 6);
});

Deno.test("readChatUsage() ignores a nonsensical count of cache writes", () => {
  for (const cache_write_tokens of [0, -1, 0.5, "7", null]) {
    assertEquals(of({ cache_write_tokens }), READ);
  }
  assertEquals(of(null), READ);
  assertEquals(of(undefined), READ);
});

Deno.test("readChatUsage() puts a detail right that cannot be, and keeps the rest", () => {
  assertEquals(of({ cached_tokens: 11 }), { ...READ, cachedInputTokens: 10 });
  for (const cached_tokens of [-1, "7", NaN, null]) assertEquals(of({ cached_tokens }), READ);
});

Deno.test("readChatUsage() returns nothing without a numeric total, and all numbers unchanged", () => {
  for (const odd of [-1, 0.5, 1e30, Infinity]) {
    assertEquals(readChatUsage({ prompt_tokens: odd, completion_tokens: 2 })?.inputTokens, odd);
    assertEquals(readChatUsage({ prompt_tokens: 2, completion_tokens: odd })?.outputTokens, odd);
  }
  // A total that makes up for a negative number would hide it.
  const hidden = { prompt_tokens: 10, completion_tokens: -5, total_tokens: 30 };
  assertEquals(readChatUsage(hidden)?.outputTokens, -5);
  for (const bad of ["7", null, undefined]) {
    assertEquals(readChatUsage({ prompt_tokens: bad, completion_tokens: 2 }), undefined);
    assertEquals(readChatUsage({ prompt_tokens: 2, completion_tokens: bad }), undefined);
  }
});

Deno.test("chatUsageOf() writes what readChatUsage() reads", () => {
  for (const more of [{}, { cachedInputTokens: 3, cacheWriteInputTokens: 4 }]) {
    const usage = { ...READ, ...more };
    assertEquals(readChatUsage(chatUsageOf(usage)), usage);
  }
});
