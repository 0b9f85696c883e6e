import type { ChatUsage, ResponseUsage } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/pricing.ts";
import { readChatUsage } from "../usage.ts";

/** Reads usage as Responses reports it; `undefined` where it is absent or makes no sense. */
export function readResponseUsage(usage: unknown): Usage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { input_tokens, output_tokens, input_tokens_details } = usage as Partial<ResponseUsage>;
  return readChatUsage({
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    prompt_tokens_details: {
      cached_tokens: input_tokens_details?.cached_tokens ?? 0,
      cache_write_tokens: input_tokens_details?.cache_write_tokens ?? 0,
    },
  });
}

/** Usage in the shape of Responses: as a chat upstream reported it, else as it was counted. */
export function responseUsageOf(counted: Usage, reported: unknown): ResponseUsage {
  const read = readChatUsage(reported);
  const usage = read ?? counted;
  const details: Partial<ChatUsage> = read === undefined ? {} : reported as ChatUsage;
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: countOf(details.prompt_tokens_details?.cache_write_tokens),
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: {
      reasoning_tokens: countOf(details.completion_tokens_details?.reasoning_tokens),
    },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
