/**
 * Translation of image requests for the provider packages.
 *
 * @module
 */

import type { ImageModelV4CallOptions, ImageModelV4File, JSONObject } from "@ai-sdk/provider";
import { base64Of } from "../../images/data_uri.ts";
import type { LoadedEdit, LoadedImage } from "../../images/edit_images.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import type { ImageFormat } from "../providers/descriptor.ts";
import type { Notes } from "./notes.ts";

type Fields = Readonly<Record<string, unknown>>;
type Own = Record<string, JSONObject[string]>;

/** Options of one request, without the number of images. */
export type ImageOptions = Omit<ImageModelV4CallOptions, "n">;

/** Translates a request without its images. Fields that do not fit are in the notes. */
export function imageOptionsOf(
  call: UpstreamCall,
  context: { readonly format: ImageFormat; readonly notes: Notes },
): ImageOptions {
  const { format, notes } = context;
  const { mask, prompt, seed, size } = call.body.value;
  const own = ownOptions(call, context);
  const wanted = sizeOf(size);
  const sized = wanted === undefined || format.takesRatios !== true
    ? { size: wanted && `${wanted.width}x${wanted.height}` as const, aspectRatio: undefined }
    : { size: undefined, aspectRatio: ratioOf(wanted, { notes, own, model: call.model }) };
  // Amazon's masks are black where OpenAI's are transparent; Google's models take none.
  if (mask != null && format.takesMasks !== true) {
    notes.refuse("mask", "This model's provider does not support masks");
  }
  return {
    prompt: String(prompt),
    ...sized,
    seed: typeof seed === "number" ? seed : undefined,
    files: undefined,
    mask: undefined,
    providerOptions: Object.keys(own).length === 0 ? {} : { [notes.format.optionsKey]: own },
  };
}

/**
 * Returns the images of an edit as bytes. A package gets no address, because it would fetch it
 * itself, from anywhere.
 */
export function filesOf(
  { images, mask }: LoadedEdit,
  { fileData }: ImageFormat,
): Pick<ImageOptions, "files" | "mask"> {
  const fileOf = ({ bytes, type }: LoadedImage): ImageModelV4File => ({
    type: "file",
    // The form that is sent: conversion in the package is slow and blocks the event loop.
    data: fileData === "bytes" ? bytes : base64Of(bytes),
    mediaType: type,
  });
  return { files: images.map(fileOf), mask: mask && fileOf(mask) };
}

/** Returns the number of images that a request asks for. */
export function imagesAskedFor({ n }: Fields): number {
  return typeof n === "number" ? n : 1;
}

/** Fields that are translated, or that concern only the gateway. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "prompt",
  "n",
  "size",
  "seed",
  "response_format",
  "stream",
  "image",
  "images",
  "mask",
  "user",
]);

function ownOptions(
  call: UpstreamCall,
  { format, notes }: { readonly format: ImageFormat; readonly notes: Notes },
): Own {
  const { endpoint, body: { value } } = call;
  const own: Own = {};
  const names = format.fieldsOf?.(endpoint) ?? {};
  for (const [field, setting] of Object.entries(value)) {
    if (setting == null || setting === "auto") continue;
    const name = Object.hasOwn(names, field) ? names[field] : undefined;
    const quality = field === "quality" ? ownMember(format.qualities, setting) : undefined;
    if (quality !== undefined) own["quality"] = quality;
    else if (name !== undefined && (typeof setting === "string" || typeof setting === "number")) {
      own[name] = setting;
    } else if (field === "background" && setting === "transparent") {
      notes.refuse(field, "This model's provider does not support a transparent background");
    } else if (!KNOWN_FIELDS.has(field)) {
      notes.warnings.push(`"${field}" is not supported and was left out`);
    }
  }
  return own;
}

function ownMember(
  values: Readonly<Record<string, string>> | undefined,
  name: unknown,
): string | undefined {
  return typeof name === "string" && values !== undefined && Object.hasOwn(values, name)
    ? values[name]
    : undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeOf(size: unknown): Size | undefined {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(typeof size === "string" ? size : "") ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

const RATIOS = [
  ...["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const,
  ...["1:4", "4:1", "1:8", "8:1"] as const,
];
/** Maximum deviation of a size from the proportions that are requested instead, about 5 %. */
const RATIO_TOLERANCE = 0.05;
/** Lengths of the longest side in pixels, above which a larger drawing is requested. */
const LARGE_SIDES = [[3_072, "4K"], [1_536, "2K"]] as const;

function ratioOf(
  { width, height }: Size,
  { model, notes, own }: { readonly notes: Notes; readonly own: Own; readonly model: string },
): (typeof RATIOS)[number] | undefined {
  const nearest = RATIOS.map((ratio) => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return { ratio, distance: Math.abs(Math.log(width / height * down / across)) };
  }).reduce((best, each) => each.distance < best.distance ? each : best);
  if (nearest.distance > RATIO_TOLERANCE) {
    notes.refuse(
      "size",
      `This model draws in proportions such as ${RATIOS.slice(0, 5).join(", ")}`,
    );
    return undefined;
  }
  // Models of the second generation draw in one size and refuse the setting.
  const large = /^gemini-[12]\b/.test(model)
    ? undefined
    : LARGE_SIDES.find(([side]) => Math.max(width, height) > side)?.[1];
  if (large !== undefined) own["imageConfig"] = { imageSize: large };
  notes.warnings.push(
    `"size" was asked for as ${large === undefined ? "" : `${large} in `}${nearest.ratio}`,
  );
  return nearest.ratio;
}
