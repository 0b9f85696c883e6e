/**
 * The images of an edit: checked before anything is charged, and loaded where an upstream needs
 * their bytes.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import { readPublicUrl } from "../guarded_fetch/public_url.ts";
import {
  type FetchImage,
  isUnreadable,
  type MediaFile,
  type Unreadable,
} from "../ports/fetch_image.ts";
import { decodeDataUri, isDataUri } from "./data_uri.ts";
import { type ImageFile, type ImageType, readImageFile } from "./image_file.ts";

/** Maximum length of an image, in bytes. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
/** Maximum length of an image's side, in pixels. */
export const MAX_IMAGE_SIDE = 16_384;
/** Maximum number of pixels of an image. */
export const MAX_IMAGE_PIXELS = 64_000_000;

/** An image with its bytes, type and dimensions. */
export interface LoadedImage extends ImageFile {
  readonly bytes: Uint8Array;
}

/** A refused image, with its field. */
export interface RefusedImage extends Unreadable {
  /** `image`, `image.1`, `images.1.image_url`, `mask`. */
  readonly param: string;
}

/** The images of an edit. */
export interface LoadedEdit {
  readonly images: readonly LoadedImage[];
  readonly mask: LoadedImage | undefined;
}

type Edit = Readonly<Record<string, unknown>>;

/**
 * Refuses images that no model can edit: oversized, truncated, mistyped or wrongly encoded data,
 * and invalid or private addresses. Fetches nothing.
 *
 * @throws {ServiceFault} `invalid_request` with the field.
 */
export function checkEditImages(edit: Edit): void {
  for (const [param, text] of fieldsOf(edit)) {
    const problem = isDataUri(text) ? problemOf(loadDataUri(text)) : problemOf(readPublicUrl(text));
    if (problem === undefined) continue;
    throw new ServiceFault("invalid_request", {
      message: `Cannot accept "${param}": ${problem}`,
      param,
    });
  }
}

/** Decodes the images of an edit, and fetches those that are addresses. */
export async function loadEditImages(
  edit: Edit,
  options: { readonly fetchImage: FetchImage | undefined; readonly signal: AbortSignal },
): Promise<LoadedEdit | RefusedImage> {
  const images: LoadedImage[] = [];
  let mask: LoadedImage | undefined;
  // In sequence, so that an edit cannot open sixteen connections at once.
  for (const [param, text] of fieldsOf(edit)) {
    const loaded = isDataUri(text) ? loadDataUri(text) : await loadUrl(text, options);
    if (isUnreadable(loaded)) return { param, problem: loaded.problem };
    if (param.startsWith("mask")) mask = loaded;
    else images.push(loaded);
  }
  return { images, mask };
}

/** Checks a file against every limit and against its declared type. */
export function inspectImage(file: MediaFile): LoadedImage | Unreadable {
  const { bytes, mediaType } = file;
  if (bytes.length > MAX_IMAGE_BYTES) {
    return { problem: `it is larger than ${MAX_IMAGE_BYTES} bytes` };
  }
  const image = readImageFile(bytes);
  if ("problem" in image) return image;
  const { type, width, height } = image;
  if (mediaType !== type && !(mediaType === "image/jpg" && type === "image/jpeg")) {
    return { problem: `it is declared as "${printable(mediaType)}" and is ${type}` };
  }
  if (Math.max(width, height) > MAX_IMAGE_SIDE || width * height > MAX_IMAGE_PIXELS) {
    const most = `${MAX_IMAGE_SIDE} a side and ${MAX_IMAGE_PIXELS} in all`;
    return { problem: `it has ${width}x${height} pixels, at most ${most} are taken` };
  }
  return { ...image, bytes };
}

/** Returns a file name for an image in a multipart form. */
export function fileNameOf(name: string, type: ImageType): string {
  return `${name}.${type.slice("image/".length)}`;
}

/**
 * Returns every image of an edit, in the forms of `image` and of OpenAI's `images`; the mask last.
 */
function* fieldsOf(edit: Edit): Generator<[param: string, text: string]> {
  const { image, images = [], mask } = edit;
  if (typeof image === "string") yield ["image", image];
  for (const [name, list] of Object.entries({ image, images })) {
    if (!Array.isArray(list)) continue;
    for (const [index, one] of list.entries()) yield fieldOf(`${name}.${index}`, one);
  }
  if (mask !== undefined && mask !== null) yield fieldOf("mask", mask);
}

function fieldOf(path: string, image: unknown): [param: string, text: string] {
  if (typeof image === "string") return [path, image];
  return [`${path}.image_url`, String(Object(image).image_url)];
}

function loadDataUri(text: string): LoadedImage | Unreadable {
  const file = decodeDataUri(text, { maxBytes: MAX_IMAGE_BYTES });
  return isUnreadable(file) ? file : inspectImage(file);
}

async function loadUrl(
  text: string,
  options: { readonly fetchImage: FetchImage | undefined; readonly signal: AbortSignal },
): Promise<LoadedImage | Unreadable> {
  if (options.fetchImage === undefined) {
    return { problem: "images are not fetched here; send it as a data URI" };
  }
  const file = await options.fetchImage(text, options.signal);
  return isUnreadable(file) ? file : inspectImage(file);
}

function problemOf(result: object): string | undefined {
  return isUnreadable(result) ? result.problem : undefined;
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 80);
}
