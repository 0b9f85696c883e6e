/**
 * The images of an upstream's answer, checked and, if they are addresses, fetched before the caller
 * is charged.
 *
 * @module
 */

import { type FetchImage, isUnreadable, type MediaFile } from "../ports/fetch_image.ts";
import { UpstreamCut } from "../ports/upstream.ts";
import { base64Of, decodeBase64 } from "./data_uri.ts";
import { imageTypeOf } from "./image_file.ts";

/** Maximum number of bytes fetched for one answer, equal to that of a JSON answer. */
export const DRAWN_FETCHED_BYTES_MAX = 64 * 1024 * 1024;

/** An image of an answer. */
export interface DrawnImage {
  readonly base64: string;
  /** The model's version of the prompt, if the upstream reports it. */
  readonly revisedPrompt: string | undefined;
}

/** Options for images that are addresses. */
export interface DrawnImagesOptions {
  readonly fetchImage: FetchImage;
  /** Aborts fetching. */
  readonly signal: AbortSignal;
}

/**
 * Returns all images of an answer, each a PNG, JPEG, WebP or GIF by its first bytes. Throws an
 * {@linkcode UpstreamCut} where one is none or cannot be fetched.
 */
export async function drawnImages(
  answer: Readonly<Record<string, unknown>>,
  options: DrawnImagesOptions,
): Promise<readonly DrawnImage[]> {
  const { data } = answer;
  if (!Array.isArray(data) || data.length === 0) throw malformed("without images");
  const drawn: DrawnImage[] = [];
  let fetched = 0;
  // In sequence, so that an answer cannot open many connections at once.
  for (const [at, image] of data.entries()) {
    const { b64_json: base64, url, revised_prompt: prompt } = Object(image);
    const revisedPrompt = typeof prompt === "string" ? prompt : undefined;
    if (typeof base64 === "string" && base64 !== "") {
      drawn.push({ base64: checkedBase64(base64, at), revisedPrompt });
      continue;
    }
    const { bytes } = await fetchedImage(url, at, options);
    fetched += bytes.length;
    if (fetched > DRAWN_FETCHED_BYTES_MAX) {
      throw malformed(`whose images exceed ${DRAWN_FETCHED_BYTES_MAX} bytes`);
    }
    drawn.push({ base64: base64Of(bytes), revisedPrompt });
  }
  return drawn;
}

function checkedBase64(text: string, at: number): string {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw malformed(`whose image ${at} is no base64`);
  requireImage(bytes, at);
  return text;
}

async function fetchedImage(
  url: unknown,
  at: number,
  { fetchImage, signal }: DrawnImagesOptions,
): Promise<MediaFile> {
  if (typeof url !== "string" || !/^https?:\/\//i.test(url)) {
    throw malformed(`whose image ${at} is neither base64 nor an http(s) address`);
  }
  let file;
  try {
    file = await fetchImage(url, signal);
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new UpstreamCut("timeout", `Fetching the upstream's image ${at} was stopped`, { cause });
  }
  if (isUnreadable(file)) throw malformed(`whose image ${at} cannot be fetched: ${file.problem}`);
  requireImage(file.bytes, at);
  return file;
}

function requireImage(bytes: Uint8Array, at: number): void {
  if (imageTypeOf(bytes) !== undefined) return;
  throw malformed(`whose image ${at} is not a PNG, JPEG, WebP or GIF image`);
}

function malformed(what: string): UpstreamCut {
  return new UpstreamCut("malformed", `The upstream sent an answer ${what}`);
}
