import type { TokenUsage } from "../loop/mod.ts";
import { usageOf } from "../loop/usage.ts";
import type { BillingMetadata, ResponseUsage } from "../protocol/mod.ts";

/** Returns token counts from a bill, for responses without counts. */
export function usageOfBill(bill: BillingMetadata): ResponseUsage {
  return {
    input_tokens: bill.input_tokens,
    input_tokens_details: {
      cached_tokens: bill.cached_input_tokens,
      cache_write_tokens: bill.cache_write_input_tokens ?? 0,
    },
    output_tokens: bill.output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: bill.total_tokens,
  };
}

/** Returns the loop's token counts. Details may be absent. */
export function tokenUsage(usage: Partial<ResponseUsage>): TokenUsage {
  return usageOf({
    inputTokens: usage.input_tokens,
    cachedInputTokens: usage.input_tokens_details?.cached_tokens,
    outputTokens: usage.output_tokens,
    reasoningTokens: usage.output_tokens_details?.reasoning_tokens,
    totalTokens: usage.total_tokens,
  });
}
