/**
 * Detects reports of usage that cannot be true. They are not charged and must not reach any sum.
 *
 * @module
 */

import type { Usage } from "./pricing.ts";

/** Upper bounds of the true usage of one upstream call. */
export interface UsageBounds {
  /**
   * Maximum input, in tokens: the model's context; `Infinity` for models that draw, which have none,
   * and a multiple of the held input for embeddings.
   */
  readonly contextTokens: number;
  /** Output tokens over all choices that the hold pays for. */
  readonly heldOutputTokens: number;
}

/** Maximum reported output as a multiple of the held output. */
export const HELD_OUTPUT_FACTOR = 4;

/** Maximum reported input of embeddings as a multiple of the held input. */
export const HELD_INPUT_FACTOR = 4;

/**
 * Returns why a report is impossible, as a sentence for the operator; `undefined` for a possible
 * report.
 */
export function impossibleUsage(usage: Usage, bounds: UsageBounds): string | undefined {
  const { inputTokens, outputTokens } = usage;
  if (!isCount(inputTokens)) return `${inputTokens} input tokens are no count`;
  if (!isCount(outputTokens)) return `${outputTokens} output tokens are no count`;
  const { contextTokens, heldOutputTokens } = bounds;
  if (inputTokens > contextTokens) {
    return `${inputTokens} input tokens exceed the model's context of ${contextTokens}`;
  }
  if (outputTokens > HELD_OUTPUT_FACTOR * heldOutputTokens) {
    return `${outputTokens} output tokens exceed ${HELD_OUTPUT_FACTOR} times the held ` +
      `${heldOutputTokens}`;
  }
  return undefined;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
