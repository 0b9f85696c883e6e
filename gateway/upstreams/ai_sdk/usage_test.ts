import { assertEquals } from "@std/assert";
import type { JSONObject, LanguageModelV4Usage } from "@ai-sdk/provider";
import { readChatUsage } from "../../wire/chat/usage.ts";
import { chatUsage } from "./usage.ts";

function usage(input: number, output: number, raw: JSONObject): LanguageModelV4Usage {
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
    raw,
  };
}

Deno.test("reasoning that a provider reports outside the completion is output", () => {
  const raw = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 };
  assertEquals(readChatUsage(chatUsage(usage(10, 5, raw)))?.outputTokens, 105);
  const whole = { ...raw, total_tokens: 15 };
  assertEquals(readChatUsage(chatUsage(usage(10, 5, whole)))?.outputTokens, 5);
  // A total under another name has parts of the input that are no part of the prompt's count.
  const google = { promptTokenCount: 8, toolUsePromptTokenCount: 2, totalTokenCount: 15 };
  assertEquals(readChatUsage(chatUsage(usage(10, 5, google)))?.outputTokens, 5);
});

Deno.test("cached input that a package does not read is read from the report", () => {
  for (const name of ["cached_tokens", "prompt_cache_hit_tokens"]) {
    const read = chatUsage(usage(10, 5, { [name]: 4 }));
    assertEquals(read?.prompt_tokens_details?.cached_tokens, 4, name);
  }
  assertEquals(
    chatUsage(usage(10, 5, { cached_tokens: 40 }))?.prompt_tokens_details?.cached_tokens,
    0,
  );
});

Deno.test("of what Cohere's models read, what it bills is charged", () => {
  const raw = {
    billed_units: { input_tokens: 6, output_tokens: 4 },
    tokens: { input_tokens: 70, output_tokens: 5 },
  };
  assertEquals(readChatUsage(chatUsage(usage(70, 5, raw))), {
    inputTokens: 6,
    cachedInputTokens: 0,
    outputTokens: 4,
  });
});
