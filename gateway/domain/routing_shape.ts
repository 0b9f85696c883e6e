import type { RequestFeatures } from "./features.ts";
import type { HoldShape } from "./routing_funds.ts";
import type { Target } from "./routing_targets.ts";
import { estimateInputTokens, mediaInputTokens } from "./token_estimate.ts";

/** Least output that an answer is worth beginning for, in tokens a choice. */
const LEAST_OUTPUT_TOKENS = 16;

/** Whether a request is for images: models that draw have no context to exceed. */
export function draws(features: RequestFeatures): boolean {
  return features.endpoint === "images.generations" || features.endpoint === "images.edits";
}

/** What the hold for a request at a model is made of. */
export function shapeOf(
  target: Target,
  features: RequestFeatures,
  likelyTokens: number,
): HoldShape {
  const { model, family } = target;
  const inputTokens = estimateInputTokens(features, family);
  const { choices } = features;
  const imageInputTokens = features.images * family.imageTokens;
  const isDrawn = draws(features);
  const most = isDrawn
    ? model.maxOutputTokens
    : Math.min(model.maxOutputTokens, model.contextTokens - likelyTokens);
  const outputTokens = isDrawn ? most : features.requestedOutputTokens ?? most;
  const leastOutputTokens = isDrawn ? most : Math.min(outputTokens, LEAST_OUTPUT_TOKENS);
  const images = isDrawn ? choices : 0;
  return {
    inputTokens,
    imageInputTokens,
    mediaInputTokens: mediaInputTokens(features, family),
    outputTokens,
    leastOutputTokens,
    choices,
    images,
  };
}
