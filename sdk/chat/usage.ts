import type { TokenUsage } from "../loop/mod.ts";
import { count } from "../loop/usage.ts";
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
  const inputTokens = count(usage.prompt_tokens);
  const outputTokens = count(usage.completion_tokens);
  return {
    inputTokens,
    cachedInputTokens: count(usage.prompt_tokens_details?.cached_tokens),
    outputTokens,
    reasoningTokens: count(usage.completion_tokens_details?.reasoning_tokens),
    totalTokens: count(usage.total_tokens) || inputTokens + outputTokens,
  };
}
