import type { TokenUsage } from "../loop/mod.ts";
import { usageOf } from "../loop/usage.ts";
import type { BillingMetadata, ChatUsage } from "../protocol/mod.ts";

/** Token counts in the words of the bill, for answers that have none of their own. */
export function usageOfBill(bill: BillingMetadata): ChatUsage {
  return {
    prompt_tokens: bill.input_tokens,
    completion_tokens: bill.output_tokens,
    total_tokens: bill.total_tokens,
    prompt_tokens_details: { cached_tokens: bill.cached_input_tokens },
  };
}

/** Token counts as the loop counts them. */
export function tokenUsage(usage: ChatUsage): TokenUsage {
  return usageOf({
    inputTokens: usage.prompt_tokens,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens,
    outputTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens,
    totalTokens: usage.total_tokens,
  });
}
