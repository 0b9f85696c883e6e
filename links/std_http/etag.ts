/** Stands in for `@std/http/etag` where JSR cannot be reached. */
import etag from "etag";

/** Strong entity tag of a text or of bytes. */
export function eTag(
  entity: string | Uint8Array,
  options: { weak?: boolean } = {},
): Promise<string> {
  const input = typeof entity === "string" ? entity : new TextDecoder().decode(entity);
  return Promise.resolve(etag(input, { weak: options.weak ?? false }));
}

/** Whether the representation with this tag should be sent: `false` means 304 Not Modified. */
export function ifNoneMatch(value: string | null, tag: string | undefined): boolean {
  if (value === null || tag === undefined) return true;
  if (value.trim() === "*") return false;
  const bare = (text: string) => text.trim().replace(/^W\//, "");
  return !value.split(",").some((candidate) => bare(candidate) === bare(tag));
}
