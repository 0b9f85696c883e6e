import { longestOutput, type Model } from "../catalog/catalog.ts";
import type { TraitsOf } from "../catalog/provider_traits.ts";
import type { RequestFeatures } from "../requests/features.ts";
import type { Target } from "./targets.ts";
import { estimateInputTokens, mediaInputTokens } from "../requests/token_estimate.ts";

/**
 * Reason for an output limit that the caller did not set: the model's maximum is unknown
 * (`unknown`) or below the caller's limit (`model`), its context has less room (`context`), or the
 * funds do not suffice (`funds`).
 */
export type LimitCause = "unknown" | "model" | "context" | "funds";

/** Possible holds of one model, in tokens. */
export interface HoldShape {
  readonly inputTokens: number;
  /** Requested output per choice, as far as the model allows. */
  readonly outputTokens: number;
  /** Set when the model must receive that limit. */
  readonly limitedBy?: Exclude<LimitCause, "funds"> | undefined;
  /** Minimum useful output per choice. */
  readonly leastOutputTokens: number;
  readonly choices: number;
  /** Part of `inputTokens` that belongs to images. */
  readonly imageInputTokens: number;
  /** Part of `inputTokens` that belongs to images, recordings and files. */
  readonly mediaInputTokens: number;
  /** Images to generate. */
  readonly images: number;
}

/** Minimum output for which a request is started, in tokens per choice. */
export const LEAST_OUTPUT_TOKENS = 16;

/** True for image requests: models that draw have no context to exceed. */
export function draws({ endpoint }: { readonly endpoint: string }): boolean {
  return endpoint === "images.generations" || endpoint === "images.edits";
}

/** True for requests of embeddings: their answers have no tokens. */
export function embeds({ endpoint }: { readonly endpoint: string }): boolean {
  return endpoint === "embeddings";
}

/**
 * Puts models that report log probabilities first where the request asks for them; otherwise the order
 * stays. Other models remain candidates: their answer says that the log probabilities are missing.
 */
export function logprobsFirst<Ranked extends { readonly option: { readonly target: Target } }>(
  ranked: readonly Ranked[],
  { features: { logprobs = false }, traitsOf }: {
    readonly features: Pick<RequestFeatures, "logprobs">;
    readonly traitsOf: TraitsOf;
  },
): readonly Ranked[] {
  if (!logprobs) return ranked;
  const rest = ({ option: { target: { upstream } } }: Ranked) =>
    traitsOf(upstream.kind).reportsLogprobs === true ? 0 : 1;
  return ranked.toSorted((one, other) => rest(one) - rest(other));
}

/** Returns the possible holds of a request at a model. */
export function shapeOf(
  target: Target,
  features: RequestFeatures,
  likelyTokens: number,
): HoldShape {
  const { model, family } = target;
  const inputTokens = estimateInputTokens(features, family);
  const { choices } = features;
  const input = {
    inputTokens,
    imageInputTokens: features.images * family.imageTokens,
    mediaInputTokens: mediaInputTokens(features, family),
  };
  if (draws(features)) {
    const outputTokens = longestOutput(model);
    return { ...input, outputTokens, leastOutputTokens: outputTokens, choices, images: choices };
  }
  if (embeds(features)) {
    return { ...input, outputTokens: 0, leastOutputTokens: 0, choices, images: 0 };
  }
  const output = outputOf(model, {
    inputTokens,
    likelyTokens,
    requestedTokens: features.requestedOutputTokens,
  });
  const leastOutputTokens = Math.min(output.outputTokens, LEAST_OUTPUT_TOKENS);
  return { ...input, choices, images: 0, leastOutputTokens, ...output };
}

/**
 * Returns the output to hold per choice, and why the model must receive a limit that the caller did
 * not set.
 */
function outputOf(
  model: Model,
  { inputTokens, likelyTokens, requestedTokens }: {
    /** Maximum. */
    readonly inputTokens: number;
    /** Likely. */
    readonly likelyTokens: number;
    readonly requestedTokens: number | undefined;
  },
): Pick<HoldShape, "outputTokens" | "limitedBy"> {
  const { contextTokens, maxOutputTokens } = model;
  const room = contextTokens - likelyTokens;
  // Servers refuse a limit that does not fit beside the input, whose exact size is unknown.
  const safeRoom = Math.max(contextTokens - inputTokens, Math.ceil(room / 2));
  if (requestedTokens === undefined) {
    if (maxOutputTokens !== undefined) return { outputTokens: Math.min(maxOutputTokens, room) };
    return { outputTokens: Math.min(longestOutput(model), safeRoom), limitedBy: "unknown" };
  }
  const most = maxOutputTokens ?? Infinity;
  const outputTokens = Math.min(requestedTokens, most);
  if (outputTokens > room) return { outputTokens: safeRoom, limitedBy: "context" };
  return outputTokens < requestedTokens ? { outputTokens, limitedBy: "model" } : { outputTokens };
}
