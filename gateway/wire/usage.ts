import type { ChatUsage } from "@svc/sdk/protocol";
import type { Usage } from "../domain/pricing.ts";

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Reads usage as Chat Completions reports it; `undefined` where it is absent or makes no sense. */
export function readChatUsage(usage: unknown): Usage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage as Partial<ChatUsage>;
  if (!isCount(prompt_tokens) || !isCount(completion_tokens)) return undefined;
  const cached = prompt_tokens_details?.cached_tokens ?? 0;
  if (!isCount(cached) || cached > prompt_tokens) return undefined;
  return { inputTokens: prompt_tokens, cachedInputTokens: cached, outputTokens: completion_tokens };
}

/** Writes counted tokens in the shape of Chat Completions. */
export function chatUsageOf(usage: Usage): ChatUsage {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
  };
}
