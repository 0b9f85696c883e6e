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
  const details = prompt_tokens_details ?? undefined;
  const cached = details?.cached_tokens ?? 0;
  if (!isCount(cached) || cached > prompt_tokens) return undefined;
  const read = {
    inputTokens: prompt_tokens,
    cachedInputTokens: cached,
    outputTokens: completion_tokens,
  };
  const written = cacheWritesOf(details, prompt_tokens - cached);
  return written === 0 ? read : { ...read, cacheWriteInputTokens: written };
}

/** Writes counted tokens in the shape of Chat Completions. */
export function chatUsageOf(usage: Usage): ChatUsage {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      ...(usage.cacheWriteInputTokens === undefined
        ? {}
        : { cache_write_tokens: usage.cacheWriteInputTokens }),
    },
  };
}

/**
 * Tokens written into the cache: `cache_write_tokens` is OpenAI's and OpenRouter's name for them,
 * `cache_creation_tokens` that of a proxy in front of Claude. A count that cannot be is no reason to
 * bill the rest by a count of our own.
 */
function cacheWritesOf(details: ChatUsage["prompt_tokens_details"], most: number): number {
  const written = details?.cache_write_tokens ?? details?.["cache_creation_tokens"];
  return isCount(written) ? Math.min(written, most) : 0;
}

/** What several reports of usage say that counts do not. */
export class UsageSum {
  #reasoningTokens: number | undefined;

  /** Adds a report of Chat Completions, where it is one. */
  add(usage: unknown): void {
    if (readChatUsage(usage) === undefined) return;
    const { completion_tokens_details } = usage as Partial<ChatUsage>;
    const reasoning = completion_tokens_details?.reasoning_tokens;
    if (isCount(reasoning)) this.#reasoningTokens = (this.#reasoningTokens ?? 0) + reasoning;
  }

  /** The counts, with the details that were reported. */
  usageOf(counted: Usage): ChatUsage {
    const usage = chatUsageOf(counted);
    const reasoning_tokens = this.#reasoningTokens;
    if (reasoning_tokens === undefined) return usage;
    return { ...usage, completion_tokens_details: { reasoning_tokens } };
  }
}
