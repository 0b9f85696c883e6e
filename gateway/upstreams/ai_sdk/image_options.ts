/**
 * An image request as the provider packages take it.
 *
 * @module
 */

import type { ImageModelV4CallOptions, ImageModelV4File, JSONObject } from "@ai-sdk/provider";
import type { DrawingKind } from "../../domain/catalog/catalog.ts";
import { base64Of } from "../../images/data_uri.ts";
import type { LoadedEdit, LoadedImage } from "../../images/edit_images.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import type { Notes } from "./notes.ts";

type Fields = Readonly<Record<string, unknown>>;
type Own = Record<string, JSONObject[string]>;

/** Options of one request, but for how many images it asks for. */
export type ImageOptions = Omit<ImageModelV4CallOptions, "n">;

/** Translates a request without its images. What does not fit is in the notes. */
export function imageOptionsOf(
  call: UpstreamCall,
  asked: { readonly kind: DrawingKind; readonly notes: Notes },
): ImageOptions {
  const { kind, notes } = asked;
  const { mask, prompt, seed, size } = call.body.value;
  const own = ownOptions(call, asked);
  const wanted = sizeOf(size);
  const sized = wanted === undefined || !DRAWS_RATIOS.has(kind)
    ? { size: wanted && `${wanted.width}x${wanted.height}` as const, aspectRatio: undefined }
    : { size: undefined, aspectRatio: ratioOf(wanted, { notes, own, model: call.model }) };
  // Amazon's masks are black where OpenAI's are transparent; Google's models take none.
  if (mask != null && kind !== "azure") {
    notes.refuse("mask", "Masks cannot be carried to this model's provider");
  }
  return {
    prompt: String(prompt),
    ...sized,
    seed: typeof seed === "number" ? seed : undefined,
    files: undefined,
    mask: undefined,
    providerOptions: Object.keys(own).length === 0 ? {} : { [OPTIONS_KEYS[kind]]: own },
  };
}

/**
 * The images of an edit themselves: a package never gets an address, since it would fetch it by
 * itself, from anywhere.
 */
export function filesOf(
  { images, mask }: LoadedEdit,
  kind: DrawingKind,
): Pick<ImageOptions, "files" | "mask"> {
  const fileOf = ({ bytes, type }: LoadedImage): ImageModelV4File => ({
    type: "file",
    // In the form that is sent: packages turn one into the other slowly, while all else waits.
    data: kind === "azure" ? bytes : base64Of(bytes),
    mediaType: type,
  });
  return { files: images.map(fileOf), mask: mask && fileOf(mask) };
}

/** Number of images that a request asks for. */
export function imagesAskedFor({ n }: Fields): number {
  return typeof n === "number" ? n : 1;
}

/** Name under which a package looks for options that only it knows. */
const OPTIONS_KEYS: Readonly<Record<DrawingKind, string>> = {
  google: "google",
  "google-vertex": "googleVertex",
  "amazon-bedrock": "bedrock",
  azure: "openai",
};

/** Fields that are translated, or that concern the gateway alone. */
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

/** OpenAI's own settings, by the names that the package of its kind has for them. */
const OPENAI_FIELDS: Readonly<Record<string, string>> = {
  quality: "quality",
  background: "background",
  output_format: "outputFormat",
  output_compression: "outputCompression",
  user: "user",
};
const GENERATION_FIELDS: Readonly<Record<string, string>> = {
  style: "style",
  moderation: "moderation",
};
const EDIT_FIELDS: Readonly<Record<string, string>> = { input_fidelity: "inputFidelity" };

/** OpenAI's words for quality in those of Amazon's models. */
const BEDROCK_QUALITY: ReadonlyMap<unknown, string> = new Map([
  ["standard", "standard"],
  ["low", "standard"],
  ["medium", "standard"],
  ["hd", "premium"],
  ["high", "premium"],
  ["premium", "premium"],
]);

function ownOptions(
  call: UpstreamCall,
  { kind, notes }: { readonly kind: DrawingKind; readonly notes: Notes },
): Own {
  const { endpoint, body: { value } } = call;
  const own: Own = {};
  const names = kind !== "azure"
    ? {}
    : { ...OPENAI_FIELDS, ...endpoint === "images.edits" ? EDIT_FIELDS : GENERATION_FIELDS };
  for (const [field, asked] of Object.entries(value)) {
    if (asked == null || asked === "auto") continue;
    const name = Object.hasOwn(names, field) ? names[field] : undefined;
    const quality = kind === "amazon-bedrock" && field === "quality"
      ? BEDROCK_QUALITY.get(asked)
      : undefined;
    if (quality !== undefined) own["quality"] = quality;
    else if (name !== undefined && (typeof asked === "string" || typeof asked === "number")) {
      own[name] = asked;
    } else if (field === "background" && asked === "transparent") {
      notes.refuse(field, "A transparent background cannot be carried to this model's provider");
    } else if (!KNOWN_FIELDS.has(field)) {
      notes.warnings.push(`"${field}" is not supported and was left out`);
    }
  }
  return own;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeOf(size: unknown): Size | undefined {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(typeof size === "string" ? size : "") ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

/** Kinds whose models take proportions, and choose the pixels by themselves. */
const DRAWS_RATIOS: ReadonlySet<DrawingKind> = new Set(["google", "google-vertex"]);
const RATIOS = [
  ...["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const,
  ...["1:4", "4:1", "1:8", "8:1"] as const,
];
/** A size may be so far from the proportions that are asked for in its place, about 5 %. */
const RATIO_TOLERANCE = 0.05;
/** Pixels of the longest side from which on a larger drawing is asked for. */
const LARGE_SIDES = [[3_072, "4K"], [1_536, "2K"]] as const;

function ratioOf(
  { width, height }: Size,
  asked: { readonly notes: Notes; readonly own: Own; readonly model: string },
): (typeof RATIOS)[number] | undefined {
  const { model, notes, own } = asked;
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
  // Models of the second generation draw in one size only, and refuse to be told another.
  const large = /^gemini-[12]\b/.test(model)
    ? undefined
    : LARGE_SIDES.find(([side]) => Math.max(width, height) > side)?.[1];
  if (large !== undefined) own["imageConfig"] = { imageSize: large };
  notes.warnings.push(
    `"size" was asked for as ${large === undefined ? "" : `${large} in `}${nearest.ratio}`,
  );
  return nearest.ratio;
}
