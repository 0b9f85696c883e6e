import type { ChatUsage, ResponseUsage } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { readChatUsage } from "../chat/usage.ts";

/** Reads usage as Responses reports it; `undefined` where it is absent or malformed. */
export function readResponseUsage(usage: unknown): Usage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { input_tokens, output_tokens, total_tokens, ...details } = usage as Partial<ResponseUsage>;
  const { input_tokens_details } = details;
  return readChatUsage({
    ...details,
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens,
    completion_tokens_details: details.output_tokens_details,
    prompt_tokens_details: {
      cached_tokens: input_tokens_details?.cached_tokens ?? 0,
      cache_write_tokens: input_tokens_details?.cache_write_tokens ?? 0,
    },
  });
}

/**
 * Returns usage in the shape of Responses: the billed counts, with the details that a chat upstream
 * reported.
 */
export function responseUsageOf(billed: Usage, reported: unknown): ResponseUsage {
  const { completion_tokens_details: details }: Partial<ChatUsage> = Object(reported);
  return written(billed, details?.reasoning_tokens);
}

/**
 * Returns the usage that replaces the reported one in a resource: `undefined` where that was
 * billed, and adds up.
 */
export function correctedUsage(reported: unknown, billed: Usage): ResponseUsage | undefined {
  const usage: Partial<ResponseUsage> = typeof reported === "object" ? reported ?? {} : {};
  const { input_tokens, output_tokens, total_tokens, input_tokens_details: details } = usage;
  const { inputTokens, outputTokens, cachedInputTokens } = billed;
  const adds = (total_tokens ?? inputTokens + outputTokens) === inputTokens + outputTokens;
  const isBilled = input_tokens === inputTokens && output_tokens === outputTokens &&
    (details?.cached_tokens ?? 0) === cachedInputTokens;
  return adds && isBilled
    ? undefined
    : written(billed, usage.output_tokens_details?.reasoning_tokens);
}

function written(usage: Usage, reasoning: unknown): ResponseUsage {
  const { inputTokens, outputTokens } = usage;
  const isCount = typeof reasoning === "number" && Number.isSafeInteger(reasoning) &&
    reasoning >= 0;
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteInputTokens ?? 0,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: isCount ? Math.min(reasoning, outputTokens) : 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
