/**
 * Limits the length of task results: the model of the final answer reads all of them at once beside
 * the request, and needs room for its answer.
 *
 * @module
 */

import { outputRoom } from "../catalog/catalog.ts";
import type { RequestFeatures } from "../requests/features.ts";
import { NOTE_TOKENS, PART_OUTPUT_TOKENS, partOutputTokens } from "./plan_price.ts";
import type { Candidate } from "../routing/plan.ts";
import { likelyInputTokens, likelyTextTokens } from "../requests/token_estimate.ts";

/** Shortest useful result, in tokens; for less, no task is started. */
const LEAST_RESULT_TOKENS = 256;
/** Maximum estimated tokens per token of the limit, for a text within the limit. */
const ESTIMATED_PER_TOKEN = 1.5;

/**
 * Returns the maximum output tokens of each task, so that at least one candidate can hold all
 * results; `undefined` when no useful length fits.
 */
export function resultTokens(
  candidates: readonly Candidate[],
  { features, tasks }: { readonly features: RequestFeatures; readonly tasks: number },
): number | undefined {
  const inputTokens = likelyInputTokens(features) + NOTE_TOKENS;
  const rooms = candidates.map(({ model }) => {
    const requestedTokens = features.requestedOutputTokens;
    const room = outputRoom(model, requestedTokens);
    const output = requestedTokens === room ? room : Math.min(PART_OUTPUT_TOKENS, room);
    return model.contextTokens - inputTokens - output;
  });
  const each = Math.floor(Math.max(...rooms) / (tasks * ESTIMATED_PER_TOKEN));
  return each < LEAST_RESULT_TOKENS ? undefined : Math.min(each, partOutputTokens(candidates));
}

/**
 * Returns as much of a result as its reader can hold; all of it when the model respected the limit.
 * Some upstreams ignore limits.
 */
export function withinLimit(text: string, outputTokens: number): string {
  const most = outputTokens * ESTIMATED_PER_TOKEN;
  let result = text;
  for (let tokens = likelyTextTokens(result); tokens > most; tokens = likelyTextTokens(result)) {
    result = result.slice(0, Math.floor(result.length * most / tokens));
  }
  // Drops half of a surrogate pair.
  return result.replace(/[\uD800-\uDBFF]$/, "");
}
