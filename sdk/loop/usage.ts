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

/** Nothing used. */
export const NO_USAGE: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
};

/**
 * The sum of two.
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
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
}
