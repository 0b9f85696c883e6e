/** Token counts in the same unit for every provider. */
export interface TokenUsage {
  /** Input, cached tokens included. */
  readonly inputTokens: number;
  /** Input tokens that the provider's cache held. */
  readonly cachedInputTokens: number;
  /** Output, reasoning included. */
  readonly outputTokens: number;
  /** Output tokens that were reasoning. */
  readonly reasoningTokens: number;
  /** Sum of input and output. */
  readonly totalTokens: number;
}

/** Zero usage: the start of a sum. */
export const NO_USAGE: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
};

/**
 * Returns the sum of two usages. A value that is no number counts as 0.
 *
 * @example
 * ```ts
 * import { addUsage, NO_USAGE } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const turn = { ...NO_USAGE, inputTokens: 12, outputTokens: 30, totalTokens: 42 };
 * assertEquals(addUsage(turn, turn).totalTokens, 84);
 * ```
 */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: count(a.inputTokens) + count(b.inputTokens),
    cachedInputTokens: count(a.cachedInputTokens) + count(b.cachedInputTokens),
    outputTokens: count(a.outputTokens) + count(b.outputTokens),
    reasoningTokens: count(a.reasoningTokens) + count(b.reasoningTokens),
    totalTokens: count(a.totalTokens) + count(b.totalTokens),
  };
}

/** Reads a provider's counts; a missing total is the sum of input and output. */
export function usageOf(counts: Readonly<Record<keyof TokenUsage, unknown>>): TokenUsage {
  const inputTokens = count(counts.inputTokens);
  const outputTokens = count(counts.outputTokens);
  return {
    inputTokens,
    cachedInputTokens: count(counts.cachedInputTokens),
    outputTokens,
    reasoningTokens: count(counts.reasoningTokens),
    totalTokens: count(counts.totalTokens) || inputTokens + outputTokens,
  };
}

/** Reads a provider's count; a value that is no count is 0. */
function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
