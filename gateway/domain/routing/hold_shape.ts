import { longestOutput, type Model, type UpstreamKind } from "../catalog/catalog.ts";
import type { RequestFeatures } from "../requests/features.ts";
import type { Target } from "./targets.ts";
import { estimateInputTokens, mediaInputTokens } from "../requests/token_estimate.ts";

/**
 * Why a model is sent an output limit that its caller did not set: its longest output is not known
 * (`unknown`), it writes less than the caller allows (`model`), its context has no room for as much
 * (`context`), or nobody can pay for as much (`funds`).
 */
export type LimitCause = "unknown" | "model" | "context" | "funds";

/** What the holds of one model can look like, in tokens. */
export interface HoldShape {
  readonly inputTokens: number;
  /** Output asked for, as far as the model gives it, a choice. */
  readonly outputTokens: number;
  /** Set where the model must be told of that. */
  readonly limitedBy?: Exclude<LimitCause, "funds"> | undefined;
  /** Least output that is of use, a choice. */
  readonly leastOutputTokens: number;
  readonly choices: number;
  /** Those of `inputTokens` that are of images. */
  readonly imageInputTokens: number;
  /** Those of `inputTokens` that are of images, recordings and files. */
  readonly mediaInputTokens: number;
  /** Images to be made. */
  readonly images: number;
}

/** Least output that an answer is worth beginning for, in tokens a choice. */
export const LEAST_OUTPUT_TOKENS = 16;

/** Whether a request is for images: models that draw have no context to exceed. */
export function draws(features: RequestFeatures): boolean {
  return features.endpoint === "images.generations" || features.endpoint === "images.edits";
}

/** Kinds of upstreams whose wire has log probabilities. */
const TELL_LOGPROBS: ReadonlySet<UpstreamKind> = new Set(["openai", "openai-compatible"]);

/**
 * Where log probabilities are asked for, those who can tell them come first, in the order that they
 * had. The others stay: the answer is the same, and says what was left out.
 */
export function logprobsFirst<Ranked extends { readonly option: { readonly target: Target } }>(
  ranked: readonly Ranked[],
  { logprobs = false }: Pick<RequestFeatures, "logprobs">,
): readonly Ranked[] {
  if (!logprobs) return ranked;
  const rest = ({ option }: Ranked) => TELL_LOGPROBS.has(option.target.upstream.kind) ? 0 : 1;
  return ranked.toSorted((one, other) => rest(one) - rest(other));
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
  const input = {
    inputTokens,
    imageInputTokens: features.images * family.imageTokens,
    mediaInputTokens: mediaInputTokens(features, family),
  };
  if (draws(features)) {
    const outputTokens = longestOutput(model);
    const drawn = { outputTokens, leastOutputTokens: outputTokens, images: choices };
    return { ...input, choices, ...drawn };
  }
  const output = outputOf(model, {
    inputTokens,
    likelyTokens,
    asked: features.requestedOutputTokens,
  });
  const leastOutputTokens = Math.min(output.outputTokens, LEAST_OUTPUT_TOKENS);
  return { ...input, choices, images: 0, leastOutputTokens, ...output };
}

/** Output to hold a choice, and why the model must be told of a limit that its caller did not set. */
function outputOf(
  model: Model,
  { inputTokens, likelyTokens, asked }: {
    /** At most, */
    readonly inputTokens: number;
    /** and most likely. */
    readonly likelyTokens: number;
    readonly asked: number | undefined;
  },
): Pick<HoldShape, "outputTokens" | "limitedBy"> {
  const { contextTokens, maxOutputTokens } = model;
  const room = contextTokens - likelyTokens;
  // Servers refuse a limit that does not fit beside the input, of which only an estimate is known.
  const safeRoom = Math.max(contextTokens - inputTokens, Math.ceil(room / 2));
  if (asked === undefined) {
    if (maxOutputTokens !== undefined) return { outputTokens: Math.min(maxOutputTokens, room) };
    return { outputTokens: Math.min(longestOutput(model), safeRoom), limitedBy: "unknown" };
  }
  const most = maxOutputTokens ?? Infinity;
  const given = Math.min(asked, most);
  if (given > room) return { outputTokens: safeRoom, limitedBy: "context" };
  return given < asked ? { outputTokens: given, limitedBy: "model" } : { outputTokens: asked };
}
