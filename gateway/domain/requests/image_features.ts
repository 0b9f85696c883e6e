/**
 * What routing knows of an image request, and what an image call came to.
 *
 * @module
 */

import type { Endpoint, ImageEditRequest, ImageGenerationRequest } from "@svc/sdk/protocol";
import type { RequestFeatures } from "./features.ts";
import type { Model } from "../catalog/catalog.ts";
import type { FrozenPrice, Usage } from "../ledger/pricing.ts";
import type { CallEnd } from "../ledger/settlement.ts";
import { measureText } from "./text_measure.ts";

/** The endpoints that draw. */
export type ImageEndpoint = Extract<Endpoint, `images.${string}`>;

/**
 * Features of an image request. `choices` is the number of images to be drawn; `images` those that
 * are given. Equal prompts are no conversation: each request may go to another model.
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
  };
}

function givenImages(request: ImageGenerationRequest | ImageEditRequest): number {
  const { image, images: listed, mask } = request;
  const images = [image, listed].reduce<number>(
    (sum, given) => sum + (Array.isArray(given) ? given.length : typeof given === "string" ? 1 : 0),
    0,
  );
  return images + (mask === undefined || mask === null ? 0 : 1);
}

/** A long description asks more of a model than a word: from 0.3 to 0.7 over 1 000 characters. */
function difficultyOf(promptChars: number): number {
  return 0.3 + 0.4 * Math.min(1, promptChars / 1_000);
}

/**
 * Tokens that an image is taken for where its upstream reports none: what OpenAI's models take for a
 * square one of medium quality.
 */
export const IMAGE_OUTPUT_TOKENS = 1_056;

/** What an image call brought. */
export interface ImageDelivery {
  /** Images in the answer. */
  readonly images: number;
  /** As the upstream reported it; absent where it reported none. */
  readonly reported?: Usage | undefined;
}

/**
 * Usage to settle an image call by. Reported tokens win, beside the images counted. Without a report
 * that can be taken, a price for images alone needs none; where tokens are priced the input is taken
 * for what was held and, unless images have a price of their own, each image for
 * {@linkcode IMAGE_OUTPUT_TOKENS} of output or the model's most: the bill says that it is an estimate.
 */
export function imageUsage(
  delivery: ImageDelivery,
  held: {
    readonly price: FrozenPrice;
    readonly model: Pick<Model, "maxOutputTokens">;
    readonly inputTokens: number;
    /** Those of `inputTokens` that are of images. */
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
