/**
 * A complete image answer on its way from an upstream to the caller.
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

/** What an image answer is made with. */
export interface ImageAnswerOptions {
  readonly images: readonly DrawnImage[];
  /** How the caller wants them. */
  readonly format: ImageResponseFormat;
  /** Unix time in seconds, where the upstream told none. */
  readonly created: number;
  readonly metadata: ServiceMetadata;
  /** True where the upstream's usage was billed: else it could not be true, and is left out. */
  readonly isUsageTrue: boolean;
  /** The caller's. */
  readonly dialect: Dialect;
  /** Puts an image up and returns its address; `undefined` where there is no room for it. */
  readonly publish: (file: MediaFile) => Promise<string | undefined>;
}

/** Whether a parsed answer is one by its shape: images, each in what may be base64 or an address. */
export function isImageAnswer(value: JsonRecord): boolean {
  const { data } = value;
  return Array.isArray(data) && data.length > 0 && data.every(isImage);
}

/** Number of images in an answer. */
export function countImages(value: JsonRecord): number {
  return Array.isArray(value["data"]) ? value["data"].length : 0;
}

/**
 * Tokens of an image answer, with its images counted; `undefined` where none are reported. As in
 * `readChatUsage()`, numbers that cannot be true are returned as they are.
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
 * The answer's text for the caller: the known fields alone, images as asked for. Where they are to
 * be addresses and there is no room to keep them, they come as data URIs: what was paid for arrives.
 */
export async function imageAnswer(body: JsonBody, options: ImageAnswerOptions): Promise<string> {
  const { value } = body;
  const data: GeneratedImage[] = [];
  for (const { base64, revisedPrompt } of options.images) {
    const given = options.format === "b64_json"
      ? { b64_json: base64 }
      : { url: await addressOf(base64, options.publish) };
    data.push({
      ...given,
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

async function addressOf(
  base64: string,
  publish: ImageAnswerOptions["publish"],
): Promise<string> {
  const bytes = Buffer.from(base64, "base64");
  const file = { mediaType: imageTypeOf(bytes) ?? "application/octet-stream", bytes };
  return await publish(file) ?? encodeDataUri(file);
}

/** What the image models of some providers say of their pictures. */
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
