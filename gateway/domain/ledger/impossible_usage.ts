/**
 * Reports of usage that cannot be true: they are not charged, and they must not reach any sum.
 *
 * @module
 */

import type { Usage } from "./pricing.ts";

/** Limits of one upstream call that no true report of its usage exceeds. */
export interface UsageBounds {
  /** Longest input, in tokens; `Infinity` for models that draw, which have no context. */
  readonly contextTokens: number;
  /** Output tokens over all choices that the hold pays for. */
  readonly heldOutputTokens: number;
}

/** Reported output may exceed the held output so many times before the report counts as impossible. */
export const HELD_OUTPUT_FACTOR = 4;

/** Why a report is impossible, as a sentence for the operator; `undefined` for a possible one. */
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
