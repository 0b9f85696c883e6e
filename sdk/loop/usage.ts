/** Tokens, counted alike for every provider. */
export interface TokenUsage {
  /** Input, cached tokens included. */
  readonly inputTokens: number;
  /** The part of the input that the provider's cache held. */
  readonly cachedInputTokens: number;
  /** Output, reasoning included. */
  readonly outputTokens: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens: number;
  /** Input and output. */
  readonly totalTokens: number;
}

/** Nothing used: what a sum begins with. */
export const NO_USAGE: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
};

/**
 * The sum of two. What an odd provider has written in place of a number counts for nothing.
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

/** Counts as a provider wrote them; a total that is left out is the sum of input and output. */
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

/** A count as a provider wrote it; what is none counts for nothing. */
function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
