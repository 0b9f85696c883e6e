/**
 * The smallest images of each type, for tests.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { base64Of } from "./data_uri.ts";

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(Buffer.from(base64, "base64"));
}

/** A PNG of 3 by 2 pixels. */
export const PNG = bytesOf(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAFklEQVR4AWP4z8AAxVwichpGNm4BUQAzWQTAYA/CTAAAAABJRU5ErkJggg==",
);
/** A JPEG of 5 by 4 pixels, with a comment, tables and a scan. */
export const JPEG = Uint8Array.from([
  ...[0xff, 0xd8, 0xff, 0xfe, 0, 5, 0x61, 0x62, 0x63],
  ...[0xff, 0xc4, 0, 4, 0, 0, 0xff, 0xff],
  ...[0xc2, 0, 11, 8, 0, 4, 0, 5, 1, 1, 0x11, 0],
  ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34, 0xff, 0, 0x56, 0xff, 0xd9],
]);
/** A GIF of 7 by 6 pixels with a colour table, an extension and one frame. */
export const GIF = Uint8Array.from([
  ...[0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 7, 0, 6, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255],
  ...[0x21, 0xf9, 4, 0, 0, 0, 0, 0],
  ...[0x2c, 0, 0, 0, 0, 7, 0, 6, 0, 0, 2, 2, 0x4c, 0x01, 0, 0x3b],
]);

function webp(name: string, content: readonly number[]): Uint8Array {
  const chunk = [...Buffer.from(name), content.length, 0, 0, 0, ...content];
  return Uint8Array.from([
    ...Buffer.from("RIFF"),
    ...[chunk.length + 4, 0, 0, 0],
    ...Buffer.from("WEBP"),
    ...chunk,
  ]);
}

/** WebP files of 9 by 8 pixels: lossy, lossless, extended. */
export const WEBP = {
  lossy: webp("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a, 9, 0, 8, 0, 0, 0]),
  lossless: webp("VP8L", [0x2f, 8, 0xc0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
  extended: webp("VP8X", [0, 0, 0, 0, 8, 0, 0, 7, 0, 0]),
};

/** Returns a data URI of bytes. */
export function dataUri(mediaType: string, bytes: Uint8Array): string {
  return `data:${mediaType};base64,${base64Of(bytes)}`;
}

/** Returns a PNG with these dimensions in its header. */
export function pngSized(width: number, height: number): Uint8Array {
  const bytes = PNG.slice();
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}
