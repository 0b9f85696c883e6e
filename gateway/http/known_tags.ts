/**
 * The tags of headers that were read before. A program sends the same header with each of its calls,
 * and reading eight tags costs a fiftieth of a call.
 *
 * @module
 */

import { parseTags } from "../domain/requests/attribution.ts";
import { BoundedMap } from "../system/bounded_map.ts";

/** Maximum number of headers that are kept. */
const KEPT_MAX = 256;
/** Maximum length of a header that is kept, in characters. */
const KEPT_CHARS_MAX = 1_024;

const known = new BoundedMap<string, string>(KEPT_MAX);

/** Returns the tags of a header as {@linkcode parseTags} does, and throws as it does. */
export function tagsOfHeader(header: string | null): string | undefined {
  if (header === null) return undefined;
  const before = known.get(header);
  if (before !== undefined) return before;
  const tags = parseTags(header);
  if (tags !== undefined && header.length <= KEPT_CHARS_MAX) known.set(header, tags);
  return tags;
}
