import { assert, assertEquals } from "@std/assert";
import { extractUsage, findProvider, type UsageExtractor } from "@pydantic/genai-prices";
import { readChatUsage } from "./usage.ts";
import { readResponseUsage } from "../responses/usage.ts";

/** Providers that speak Chat Completions or Responses, as the price list calls them. */
const PROVIDERS = [
  ...["anthropic", "arcee", "azure", "baseten", "cerebras", "cloudflare", "deepseek", "doubleword"],
  ...["fireworks", "github-copilot", "google", "groq", "huggingface_together", "minimax"],
  ...["mistral", "modal", "moonshotai", "openai", "openrouter", "ovhcloud", "perplexity"],
  ...["quicksilverpro", "x-ai", "zai", "zhipuai"],
];

/** Counts of which none is a sum of others. */
const COUNTS: Readonly<Record<string, number>> = {
  prompt_tokens: 1_000,
  input_tokens: 1_000,
  completion_tokens: 50,
  output_tokens: 50,
  reasoning_tokens: 700,
  citation_tokens: 11,
  num_search_queries: 3,
  cached_tokens: 400,
  cached_prompt_text_tokens: 400,
  cache_write_tokens: 90,
  audio_tokens: 7,
};

/** A report with every member that the rules of a provider read; its total is what xAI's is. */
function reportOf({ mappings }: UsageExtractor, rules: { readonly output: number }): unknown {
  const report: Record<string, unknown> = {};
  for (const { path } of mappings) {
    const steps = typeof path === "string" ? [path] : path;
    let at = report;
    for (const [depth, step] of steps.entries()) {
      assert(typeof step === "string");
      if (depth === steps.length - 1) at[step] = COUNTS[step];
      else at = (at[step] ??= {}) as Record<string, unknown>;
    }
  }
  return { ...report, total_tokens: 1_000 + rules.output };
}

function isRead({ api_flavor, root, mappings }: UsageExtractor): boolean {
  const paths = mappings.map(({ path }) => path);
  return ["default", "chat", "responses"].includes(api_flavor) && root === "usage" &&
    (paths.includes("prompt_tokens") || paths.includes("input_tokens")) &&
    (paths.includes("completion_tokens") || paths.includes("output_tokens")) &&
    // Messages, which a package reads, counts cached input apart.
    !paths.includes("cache_read_input_tokens");
}

Deno.test("usage is read by the rules that the price list has for each provider", () => {
  let compared = 0;
  for (const providerId of PROVIDERS) {
    const provider = findProvider({ providerId });
    assert(provider !== undefined, providerId);
    for (const extractor of (provider.extractors ?? []).filter(isRead)) {
      const rules = { output: 0 };
      const extracted = () => {
        const usage = reportOf(extractor, rules);
        const flavour = extractor.api_flavor;
        return { usage, read: extractUsage(provider, { usage, model: "m" }, flavour).usage };
      };
      // Only Perplexity's total leaves out what it bills beside the completion.
      const isTold = providerId !== "perplexity";
      rules.output = isTold ? extracted().read["output_tokens"] ?? 0 : 50;
      const { usage, read } = extracted();
      const name = `${providerId}, ${extractor.api_flavor}`;
      const isChat = Object.hasOwn(Object(usage), "prompt_tokens");
      const ours = isChat ? readChatUsage(usage) : readResponseUsage(usage);
      assertEquals(ours?.inputTokens, read["input_tokens"], name);
      assertEquals(ours?.outputTokens, read["output_tokens"], name);
      assertEquals(ours?.cachedInputTokens, read["cache_read_tokens"] ?? 0, name);
      assertEquals(ours?.cacheWriteInputTokens ?? 0, read["cache_write_tokens"] ?? 0, name);
      compared += 1;
    }
  }
  assert(compared >= 25, `${compared} rules were compared`);
});

Deno.test("reasoning outside the completion is output, also without a total", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  const details = { completion_tokens_details: { reasoning_tokens: 100 } };
  assertEquals(readChatUsage({ ...usage, ...details, total_tokens: 115 })?.outputTokens, 105);
  // It cannot be part of what is less.
  assertEquals(readChatUsage({ ...usage, ...details })?.outputTokens, 105);
  const within = { completion_tokens: 120, ...details };
  assertEquals(readChatUsage({ ...usage, ...within })?.outputTokens, 120);
  assertEquals(readChatUsage({ ...usage, ...within, total_tokens: 130 })?.outputTokens, 120);
  // A total that is too small says nothing.
  assertEquals(readChatUsage({ ...usage, total_tokens: 3 })?.outputTokens, 5);
  assertEquals(readChatUsage({ ...usage, total_tokens: "x" })?.outputTokens, 5);
});

Deno.test("cached input is read under each of its names", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  for (const name of ["prompt_cache_hit_tokens", "cached_tokens", "cached_prompt_text_tokens"]) {
    assertEquals(readChatUsage({ ...usage, [name]: 4 })?.cachedInputTokens, 4, name);
    assertEquals(readChatUsage({ ...usage, [name]: 40 })?.cachedInputTokens, 10, name);
    assertEquals(readChatUsage({ ...usage, [name]: -4 })?.cachedInputTokens, 0, name);
  }
  const both = { prompt_tokens_details: { cached_tokens: 4 }, prompt_cache_hit_tokens: 4 };
  assertEquals(readChatUsage({ ...usage, ...both })?.cachedInputTokens, 4);
});
