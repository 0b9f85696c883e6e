import type { ChatUsage } from "@svc/sdk/protocol";
import type { Usage } from "../domain/pricing.ts";

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** A reported number as a count: a part of a token is one. `undefined` where it counts nothing. */
function countOf(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value >= 0)) return undefined;
  return Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER);
}

/**
 * Reads usage as Chat Completions reports it; `undefined` where it is absent, or its totals are no
 * counts. A detail that cannot be is no reason to bill the rest by a count of our own.
 */
export function readChatUsage(usage: unknown): Usage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage as Partial<ChatUsage>;
  const inputTokens = countOf(prompt_tokens);
  const outputTokens = countOf(completion_tokens);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const details = prompt_tokens_details ?? undefined;
  const cachedInputTokens = Math.min(countOf(details?.cached_tokens) ?? 0, inputTokens);
  const read = { inputTokens, cachedInputTokens, outputTokens };
  const written = cacheWritesOf(details, inputTokens - cachedInputTokens);
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
 * `cache_creation_tokens` that of a proxy in front of Claude.
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
