/**
 * The results of an image call's requests, in the shape of OpenAI's answer.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type GeneratedImage, type ImageUsage, isJsonObject } from "@svc/sdk/protocol";
import { base64Of } from "../../images/data_uri.ts";
import type { JsonBody } from "../../ports/upstream.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Result of one request. */
export interface Drawn {
  readonly kind: "drawn";
  readonly data: readonly GeneratedImage[];
  /** Usage as the provider reported it. */
  readonly usage: ImageUsage | undefined;
  /** Settings of the images that the provider reports under OpenAI's names. */
  readonly settings: Readonly<Record<string, string>>;
  /** Warnings of the package. */
  readonly warnings: readonly string[];
}

/** Returns the images of a result, each with its revised prompt. */
export function imagesOf(
  images: readonly string[] | readonly Uint8Array[],
  answer: Fields,
): GeneratedImage[] {
  const entries = Array.isArray(answer["data"]) ? answer["data"] : [];
  return images.map((image, at) => {
    const b64_json = typeof image === "string" ? image : base64Of(Buffer.from(image));
    const revised = isJsonObject(entries[at]) ? entries[at]["revised_prompt"] : undefined;
    return typeof revised === "string" ? { b64_json, revised_prompt: revised } : { b64_json };
  });
}

const SETTINGS = ["background", "output_format", "quality", "size"];

/** Returns the settings in a provider's answer. */
export function settingsOf(answer: Fields): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const name of SETTINGS) {
    const setting = answer[name];
    if (typeof setting === "string") settings[name] = setting;
  }
  return settings;
}

/**
 * Returns usage from the provider's answer, because packages pass on only the sums and images may
 * have a separate price; `undefined` where there is none.
 */
export function usageOf(answer: Fields): ImageUsage | undefined {
  const { usage, usageMetadata } = answer;
  return isJsonObject(usageMetadata) ? geminiUsage(usageMetadata) : openaiUsage(usage);
}

function openaiUsage(usage: unknown): ImageUsage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const details = isJsonObject(usage["input_tokens_details"]) ? usage["input_tokens_details"] : {};
  return imageUsage({
    input: usage["input_tokens"],
    output: usage["output_tokens"],
    ofImages: details["image_tokens"] ?? 0,
    cached: details["cached_tokens"] ?? 0,
  });
}

function geminiUsage(usage: Fields): ImageUsage | undefined {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount = 0 } = usage;
  const details = Array.isArray(usage["promptTokensDetails"]) ? usage["promptTokensDetails"] : [];
  const ofImages = details.filter((part) => isJsonObject(part) && part["modality"] === "IMAGE");
  return imageUsage({
    input: promptTokenCount,
    output: Number(candidatesTokenCount) + Number(thoughtsTokenCount),
    ofImages: ofImages.reduce((sum, { tokenCount }) => sum + Number(tokenCount), 0),
    cached: usage["cachedContentTokenCount"] ?? 0,
  });
}

function imageUsage(counts: Record<"input" | "output" | "ofImages" | "cached", unknown>) {
  const { cached, input, ofImages, output } = counts;
  if (!isCount(input) || !isCount(output) || !isCount(ofImages) || !isCount(cached)) {
    return undefined;
  }
  if (ofImages > input || cached > input) return undefined;
  return {
    input_tokens: input,
    input_tokens_details: {
      image_tokens: ofImages,
      text_tokens: input - ofImages,
      cached_tokens: cached,
    },
    output_tokens: output,
    total_tokens: input + output,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Combines the answers of a call's requests: images in order, usage summed. */
export function imageBody(
  drawn: readonly Drawn[],
  { created, warnings }: { readonly created: number; readonly warnings: readonly string[] },
): JsonBody {
  const usages = drawn.flatMap(({ usage }) => usage ?? []);
  // If one request reported no usage, the sum is not known.
  const usage = usages.length === drawn.length ? usages.reduce(sumOf) : undefined;
  const lines = new Set([...warnings, ...drawn.flatMap((one) => one.warnings)]);
  const value = {
    created,
    data: drawn.flatMap(({ data }) => data),
    ...drawn[0]?.settings,
    ...(usage === undefined ? {} : { usage }),
    ...(lines.size === 0 ? {} : { upstream_warnings: [...lines] }),
  };
  return { text: JSON.stringify(value), value };
}

function sumOf(one: ImageUsage, other: ImageUsage): ImageUsage {
  const [details, more] = [one.input_tokens_details, other.input_tokens_details];
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    input_tokens_details: {
      image_tokens: details.image_tokens + more.image_tokens,
      text_tokens: details.text_tokens + more.text_tokens,
      cached_tokens: Number(details["cached_tokens"]) + Number(more["cached_tokens"]),
    },
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
  };
}
