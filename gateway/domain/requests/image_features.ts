/**
 * Features of an image request, and the usage of an image call.
 *
 * @module
 */

import type { Endpoint, ImageEditRequest, ImageGenerationRequest } from "@svc/sdk/protocol";
import type { RequestFeatures } from "./features.ts";
import type { Model } from "../catalog/catalog.ts";
import type { FrozenPrice, Usage } from "../ledger/pricing.ts";
import type { CallEnd } from "../ledger/settlement.ts";
import { measureText } from "./text_measure.ts";

/** Endpoints that generate images. */
export type ImageEndpoint = Extract<Endpoint, `images.${string}`>;

/**
 * Returns the features of an image request. `choices` is the number of images to generate, `images`
 * the number of input images. Equal prompts form no conversation: each request may go to another
 * model.
 */
export function imageFeatures(
  endpoint: ImageEndpoint,
  request: ImageGenerationRequest | ImageEditRequest,
): RequestFeatures {
  const measure = { bytes: 0, chars: 0, dense: 0 };
  measureText(request.prompt, measure);
  return {
    endpoint,
    textBytes: measure.bytes,
    textChars: measure.chars,
    denseChars: measure.dense,
    framedItems: 1,
    images: givenImages(request),
    needs: [],
    hostedTools: [],
    choices: request.n ?? 1,
    difficulty: difficultyOf(measure.chars),
    conversation: "",
    // All image requests of an endpoint are one task.
    taskText: "",
  };
}

function givenImages(request: ImageGenerationRequest | ImageEditRequest): number {
  const { image, images: listed, mask } = request;
  const images = [image, listed].reduce<number>(
    (sum, image) => sum + (Array.isArray(image) ? image.length : typeof image === "string" ? 1 : 0),
    0,
  );
  return images + (mask === undefined || mask === null ? 0 : 1);
}

/** Rates long descriptions as harder: from 0.3 to 0.7 over 1 000 characters. */
function difficultyOf(promptChars: number): number {
  return 0.3 + 0.4 * Math.min(1, promptChars / 1_000);
}

/**
 * Assumed output tokens per image if the upstream reports none: those of a square image of medium
 * quality at OpenAI.
 */
export const IMAGE_OUTPUT_TOKENS = 1_056;

/** The delivery of an image call. */
export interface ImageDelivery {
  /** Images in the response. */
  readonly images: number;
  /** As the upstream reported it; absent where it reported none. */
  readonly reported?: Usage | undefined;
}

/**
 * Returns the usage to settle an image call by. Reported tokens win, beside the counted images.
 * Without a usable report, a price per image needs no tokens; where tokens are priced, the input
 * counts as held and, unless images have a price, each image as {@linkcode IMAGE_OUTPUT_TOKENS} of
 * output or the model's maximum, and the bill is marked as an estimate.
 */
export function imageUsage(
  delivery: ImageDelivery,
  held: {
    readonly price: FrozenPrice;
    readonly model: Pick<Model, "maxOutputTokens">;
    readonly inputTokens: number;
    /** Part of `inputTokens` that belongs to images. */
    readonly imageInputTokens: number;
  },
): Pick<CallEnd, "usage" | "counted"> {
  const { images, reported } = delivery;
  const { input, cachedInput, output, imageInput, image } = held.price;
  if (input === 0n && cachedInput === 0n && output === 0n && imageInput === 0n) {
    const none = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
    const counted = { input: 0, output: 0, images };
    return { usage: { ...reported ?? none, images }, counted };
  }
  const each = image > 0n
    ? 0
    : Math.min(IMAGE_OUTPUT_TOKENS, held.model.maxOutputTokens ?? Infinity);
  const counted = { input: held.inputTokens, imageInput: held.imageInputTokens };
  return {
    usage: reported === undefined ? undefined : { ...reported, images },
    counted: { ...counted, output: each * images, images },
  };
}
