import type { TokenUsage } from "../loop/mod.ts";
import { usageOf } from "../loop/usage.ts";
import type { BillingMetadata, ChatUsage } from "../protocol/mod.ts";

/** Returns Chat's token counts from a bill, for answers without counts. */
export function usageOfBill(bill: BillingMetadata): ChatUsage {
  return {
    prompt_tokens: bill.input_tokens,
    completion_tokens: bill.output_tokens,
    total_tokens: bill.total_tokens,
    prompt_tokens_details: { cached_tokens: bill.cached_input_tokens },
  };
}

/** Returns the loop's token counts from Chat's. */
export function tokenUsage(usage: ChatUsage): TokenUsage {
  return usageOf({
    inputTokens: usage.prompt_tokens,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens,
    outputTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens,
    totalTokens: usage.total_tokens,
  });
}
