/**
 * A complete image answer from an upstream to the caller.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  type Dialect,
  type GeneratedImage,
  type ImageResponseFormat,
  type ImagesResponse,
  type ImageUsage,
  isJsonObject,
  type ServiceMetadata,
} from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { encodeDataUri } from "../../images/data_uri.ts";
import type { DrawnImage } from "../../images/drawn_images.ts";
import { imageTypeOf } from "../../images/image_file.ts";
import type { MediaFile } from "../../ports/fetch_image.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { metadataIn } from "../metadata.ts";
import { readResponseUsage } from "../responses/usage.ts";

type JsonRecord = Readonly<Record<string, unknown>>;

/** Options of {@linkcode imageAnswer}. */
export interface ImageAnswerOptions {
  readonly images: readonly DrawnImage[];
  /** Format of the images that the caller requested. */
  readonly format: ImageResponseFormat;
  /** Unix time in seconds, for upstreams that send none. */
  readonly created: number;
  readonly metadata: ServiceMetadata;
  /** True when the upstream's usage was billed; otherwise it was impossible and is left out. */
  readonly isUsageTrue: boolean;
  /** Dialect of the caller. */
  readonly dialect: Dialect;
  /** Publishes an image and returns its address; `undefined` where there is no room for it. */
  readonly publish: (file: MediaFile) => Promise<string | undefined>;
}

/**
 * True when a parsed answer has the shape of one: images, each in possible Base64 or with an
 * address.
 */
export function isImageAnswer(value: JsonRecord): boolean {
  const { data } = value;
  return Array.isArray(data) && data.length > 0 && data.every(isImage);
}

/** Returns the number of images in an answer. */
export function countImages(value: JsonRecord): number {
  return Array.isArray(value["data"]) ? value["data"].length : 0;
}

/**
 * Returns the tokens of an image answer, with its images counted; `undefined` where none are
 * reported. As in `readChatUsage()`, impossible numbers are returned as they are.
 */
export function readImageUsage(value: JsonRecord): Usage | undefined {
  const read = readResponseUsage(value["usage"]);
  if (read === undefined) return undefined;
  const { image_tokens } = detailsOf(value["usage"]);
  const { inputTokens } = read;
  const ofImages = isCount(image_tokens) ? Math.min(image_tokens, inputTokens) : 0;
  return { ...read, imageInputTokens: ofImages, images: countImages(value) };
}

function detailsOf(usage: unknown): JsonRecord {
  const details = isJsonObject(usage) ? usage["input_tokens_details"] : undefined;
  return isJsonObject(details) ? details : {};
}

/**
 * Returns the answer's text for the caller: the known fields alone, with images as requested.
 * Images that cannot be published for lack of room become data URIs, so that all paid images
 * arrive.
 */
export async function imageAnswer(body: JsonBody, options: ImageAnswerOptions): Promise<string> {
  const { value } = body;
  const data: GeneratedImage[] = [];
  for (const { base64, revisedPrompt } of options.images) {
    const image = options.format === "b64_json"
      ? { b64_json: base64 }
      : { url: await addressOf(base64, options.publish) };
    data.push({
      ...image,
      ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
    });
  }
  const { created, upstream_warnings: warnings } = value;
  const usage = options.isUsageTrue ? wireUsage(value["usage"]) : undefined;
  const answer: ImagesResponse = {
    created: isCount(created) ? created : options.created,
    data,
    ...settingsOf(value),
    ...(usage === undefined ? {} : { usage: plainUsage(usage) }),
    ...(isTexts(warnings) ? { upstream_warnings: warnings } : {}),
  };
  return JSON.stringify({ ...answer, metadata: metadataIn(options.dialect, options.metadata) });
}

async function addressOf(base64: string, publish: ImageAnswerOptions["publish"]): Promise<string> {
  const bytes = Buffer.from(base64, "base64");
  const file = { mediaType: imageTypeOf(bytes) ?? "application/octet-stream", bytes };
  return await publish(file) ?? encodeDataUri(file);
}

/** Members in which some providers describe their images. */
const SETTINGS = ["background", "output_format", "quality", "size"];

function settingsOf(value: JsonRecord): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const name of SETTINGS) {
    const setting = value[name];
    if (typeof setting === "string") settings[name] = setting;
  }
  return settings;
}

function wireUsage(usage: unknown): ImageUsage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { input_tokens, output_tokens } = usage;
  const details = detailsOf(usage);
  if (!isCount(input_tokens) || !isCount(output_tokens)) return undefined;
  const image_tokens = details["image_tokens"] ?? 0;
  if (!isCount(image_tokens) || image_tokens > input_tokens) return undefined;
  const text_tokens = input_tokens - image_tokens;
  return {
    input_tokens,
    input_tokens_details: { ...details, image_tokens, text_tokens },
    output_tokens,
    total_tokens: input_tokens + output_tokens,
  };
}

function plainUsage(usage: ImageUsage): ImageUsage {
  const { image_tokens, text_tokens } = usage.input_tokens_details;
  return { ...usage, input_tokens_details: { image_tokens, text_tokens } };
}

function isImage(value: unknown): boolean {
  return isJsonObject(value) && [value["b64_json"], value["url"]].some(isText);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
