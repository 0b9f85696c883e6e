/**
 * Type, dimensions and completeness of an image file.
 *
 * Completeness can only be checked by walking the file's structure, which also has the dimensions,
 * so no library for dimensions is used. Every walk is bounded by the file's length and only goes
 * forward. Nothing is decompressed.
 *
 * @module
 */

import type { Unreadable } from "../ports/fetch_image.ts";

/** Media types of accepted images. */
export type ImageType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

/** Facts about an image file. */
export interface ImageFile {
  readonly type: ImageType;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

type Dimensions = Pick<ImageFile, "width" | "height">;

/** Reads one format; `undefined` where the file is truncated or broken. */
type Walk = (bytes: Uint8Array, view: DataView) => Dimensions | undefined;

const FORMATS: readonly (readonly [ImageType, (bytes: Uint8Array) => boolean, Walk])[] = [
  ["image/png", (bytes) => startsWith(bytes, "\x89PNG\r\n\x1a\n"), walkPng],
  ["image/jpeg", (bytes) => startsWith(bytes, "\xff\xd8\xff"), walkJpeg],
  ["image/webp", (bytes) => startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8), walkWebp],
  ["image/gif", (bytes) => /^GIF8[79]a/.test(latin(bytes, 0, 6)), walkGif],
];

/** Returns the type by a file's first bytes. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  return FORMATS.find(([, matches]) => matches(bytes))?.[0];
}

/** Reads an image file. Refuses files that are no image, broken or truncated. */
export function readImageFile(bytes: Uint8Array): ImageFile | Unreadable {
  const format = FORMATS.find(([, matches]) => matches(bytes));
  if (format === undefined) return { problem: "it is not a PNG, JPEG, WebP or GIF image" };
  const [type, , walk] = format;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dimensions = walk(bytes, view);
  if (dimensions === undefined) {
    return { problem: `the ${nameOf(type)} file is truncated or broken` };
  }
  const { width, height } = dimensions;
  if (width === 0 || height === 0) return { problem: `the ${nameOf(type)} file has no pixels` };
  return { type, width, height };
}

function nameOf(type: ImageType): string {
  return type.slice("image/".length).toUpperCase();
}

function latin(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  return latin(bytes, at, at + text.length) === text;
}

/** Names of PNG's chunks as numbers, because a file may have millions of empty ones. */
const IHDR = 0x49484452;
const IDAT = 0x49444154;
const IEND = 0x49454e44;

/** Walks PNG: chunks of a length, a name, the content and a checksum, from `IHDR` to `IEND`. */
function walkPng(bytes: Uint8Array, view: DataView): Dimensions | undefined {
  let dimensions: Dimensions | undefined;
  let pixels = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    const name = view.getUint32(at + 4);
    const end = at + 12 + length;
    if (end > bytes.length) return undefined;
    if (at === 8) {
      if (name !== IHDR || length !== 13) return undefined;
      dimensions = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    }
    if (name === IDAT) pixels = true;
    if (name === IEND) return pixels ? dimensions : undefined;
    at = end;
  }
  return undefined;
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/**
 * Walks JPEG: segments up to the scan; then searches the end from behind, since trailing bytes are
 * usual.
 */
function walkJpeg(bytes: Uint8Array, view: DataView): Dimensions | undefined {
  let dimensions: Dimensions | undefined;
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (isStandalone(marker)) {
      at += 2;
      continue;
    }
    const end = at + 2 + view.getUint16(at + 2);
    if (end < at + 4 || end > bytes.length) return undefined;
    if (isStartOfFrame(marker)) {
      if (end < at + 9) return undefined;
      dimensions = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    if (marker === START_OF_SCAN) return endsAfter(bytes, end) ? dimensions : undefined;
    at = end;
  }
  return undefined;
}

function isStandalone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** True for SOF0 to SOF15 without the tables in their range (DHT, JPG, DAC). */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/**
 * Searches byte by byte: the platform's search, repeated for millions of near matches, takes
 * seconds.
 */
function endsAfter(bytes: Uint8Array, start: number): boolean {
  for (let at = bytes.length - 1; at > start; at--) {
    if (bytes[at] === END_OF_IMAGE && bytes[at - 1] === 0xff) return true;
  }
  return false;
}

/** Walks WebP: a RIFF container with its length; the first chunk has the dimensions. */
function walkWebp(bytes: Uint8Array, view: DataView): Dimensions | undefined {
  if (bytes.length < 30 || view.getUint32(4, true) + 8 > bytes.length) return undefined;
  const length = view.getUint32(16, true);
  if (20 + length > bytes.length) return undefined;
  const uint24 = (at: number) => view.getUint16(at, true) | view.getUint8(at + 2) << 16;
  switch (latin(bytes, 12, 16)) {
    case "VP8 ":
      if (!startsWith(bytes, "\x9d\x01\x2a", 23)) return undefined;
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case "VP8L": {
      if (bytes[20] !== 0x2f) return undefined;
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: (bits >>> 14 & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: uint24(24) + 1, height: uint24(27) + 1 };
    default:
      return undefined;
  }
}

const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;
const GIF_TRAILER = 0x3b;

/** Walks GIF: blocks up to the trailer. Some writers omit it, which counts as truncation. */
function walkGif(bytes: Uint8Array, view: DataView): Dimensions | undefined {
  if (bytes.length < 13) return undefined;
  const dimensions = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  let at = 13 + colorTableBytes(bytes[10]);
  let frames = 0;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === GIF_TRAILER) return frames > 0 ? dimensions : undefined;
    if (kind === GIF_IMAGE) {
      frames++;
      // The descriptor, its colour table and the code size precede the data.
      at += 10 + colorTableBytes(bytes[at + 9]) + 1;
    } else if (kind === GIF_EXTENSION) at += 2;
    else return undefined;
    while (bytes[at] !== 0) {
      const length = bytes[at];
      if (length === undefined) return undefined;
      at += 1 + length;
    }
    at++;
  }
  return undefined;
}

function colorTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}
