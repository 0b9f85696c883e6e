/**
 * Stands in for `@std/http/etag` where JSR cannot be reached: over `etag`, which like it takes the
 * length and a digest of the whole entity.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import etag from "etag";

/** Options of {@linkcode eTag}. */
export interface ETagOptions {
  /** Label the tag as weak. @default {false} */
  weak?: boolean;
}

/** Entity tag of a text or of bytes; strong unless asked otherwise. */
export function eTag(
  entity: string | Uint8Array<ArrayBuffer>,
  options: ETagOptions = {},
): Promise<string> {
  const input = typeof entity === "string" ? entity : Buffer.from(entity);
  return Promise.resolve(etag(input, { weak: options.weak ?? false }));
}

/** True when the representation with this tag has to be sent; false means 304 Not Modified. */
export function ifNoneMatch(value: string | null, etag: string | undefined): boolean {
  if (!value || !etag) return true;
  if (value.trim() === "*") return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return !value.split(",").some((tag) => opaque(tag) === opaque(etag));
}
