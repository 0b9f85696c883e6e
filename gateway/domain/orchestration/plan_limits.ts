/**
 * How long the results of a plan's tasks may be: the answer's model reads all of them at once, beside
 * the request, and has its answer to write.
 *
 * @module
 */

import { outputRoom } from "../catalog/catalog.ts";
import type { RequestFeatures } from "../requests/features.ts";
import { NOTE_TOKENS, PART_OUTPUT_TOKENS, partOutputTokens } from "./plan_price.ts";
import type { Candidate } from "../routing/plan.ts";
import { likelyInputTokens, likelyTextTokens } from "../requests/token_estimate.ts";

/** A result that may not even be this long, in tokens, is not worth a task. */
const LEAST_RESULT_TOKENS = 256;
/** What a text within a limit comes to by the estimate at the most, for each token of the limit. */
const ESTIMATED_PER_TOKEN = 1.5;

/**
 * Most output tokens of each of so many tasks, so that some candidate holds all their results;
 * `undefined` where there is no room for results that are worth it.
 */
export function resultTokens(
  candidates: readonly Candidate[],
  { features, tasks }: { readonly features: RequestFeatures; readonly tasks: number },
): number | undefined {
  const inputTokens = likelyInputTokens(features) + NOTE_TOKENS;
  const rooms = candidates.map(({ model }) => {
    const asked = features.requestedOutputTokens;
    const room = outputRoom(model, asked);
    const output = asked === room ? room : Math.min(PART_OUTPUT_TOKENS, room);
    return model.contextTokens - inputTokens - output;
  });
  const each = Math.floor(Math.max(...rooms) / (tasks * ESTIMATED_PER_TOKEN));
  return each < LEAST_RESULT_TOKENS ? undefined : Math.min(each, partOutputTokens(candidates));
}

/**
 * As much of a result as its reader has room for; all of it where its model kept to the limit.
 * Some upstreams know no limit.
 */
export function withinLimit(text: string, outputTokens: number): string {
  const most = outputTokens * ESTIMATED_PER_TOKEN;
  let kept = text;
  for (let tokens = likelyTextTokens(kept); tokens > most; tokens = likelyTextTokens(kept)) {
    kept = kept.slice(0, Math.floor(kept.length * most / tokens));
  }
  // Half of a surrogate pair is no character.
  return kept.replace(/[\uD800-\uDBFF]$/, "");
}
