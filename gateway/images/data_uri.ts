import { Buffer } from "node:buffer";
import type { MediaFile, Unreadable } from "../ports/fetch_image.ts";

const LONGEST_HEADER = 256;

/** True for a text in the form of a data URI. */
export function isDataUri(text: string): boolean {
  return /^data:/i.test(text.slice(0, 5));
}

/**
 * Decodes a base64 data URI of at most `maxBytes` bytes. Longer ones are refused before they are
 * decoded, and invalid characters or lengths are refused rather than skipped.
 */
export function decodeDataUri(
  text: string,
  options: { readonly maxBytes: number },
): MediaFile | Unreadable {
  const comma = text.slice(0, LONGEST_HEADER).indexOf(",");
  if (!isDataUri(text) || comma < 0) return { problem: "this is no data URI" };
  const [type = "", ...parameters] = text.slice("data:".length, comma).split(";");
  if (parameters.at(-1)?.trim().toLowerCase() !== "base64") {
    return { problem: "the data URI is not in base64" };
  }
  const length = text.length - comma - 1;
  if (length === 0) return { problem: "the data URI is empty" };
  if (Math.floor(length / 4) * 3 > options.maxBytes + 2) return tooLong(options.maxBytes);
  const bytes = decodeBase64(text.slice(comma + 1));
  if (bytes === undefined) return { problem: "the data URI is not valid base64" };
  if (bytes.length > options.maxBytes) return tooLong(options.maxBytes);
  return { mediaType: type.trim().toLowerCase(), bytes };
}

/** Decodes base64; `undefined` for any invalid character. */
export function decodeBase64(base64: string): Uint8Array | undefined {
  const letters = base64.endsWith("==")
    ? base64.length - 2
    : base64.length - (base64.endsWith("=") ? 1 : 0);
  try {
    const bytes = Uint8Array.fromBase64(base64);
    // The platform skips white space, so that there are fewer bytes than letters.
    return bytes.length === Math.floor(letters * 3 / 4) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes bytes as a base64 data URI. */
export function encodeDataUri({ mediaType, bytes }: MediaFile): string {
  return `data:${mediaType};base64,${base64Of(bytes)}`;
}

/** Encodes bytes in base64, without copying them. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

function tooLong(maxBytes: number): Unreadable {
  return { problem: `it is larger than ${maxBytes} bytes` };
}
