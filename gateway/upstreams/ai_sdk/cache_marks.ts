/**
 * `cache_control` in chat requests: marks up to which the provider may cache the request.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { JSONObject } from "@ai-sdk/provider";
import { reportUnknown } from "./known_members.ts";
import type { Notes } from "./notes.ts";

/** Provider options that set a mark. */
export type CacheMark = Record<string, JSONObject>;

/**
 * Returns the mark of a message, a part or a tool, if it has one and the provider supports it
 * there.
 */
export function cacheMark(
  marked: unknown,
  path: string,
  { notes, feature = "cache_control" }: {
    readonly notes: Notes;
    readonly feature?: "cache_control" | "tool_cache_control";
  },
): CacheMark | undefined {
  const mark = isJsonObject(marked) ? marked["cache_control"] : undefined;
  if (mark == null) return undefined;
  const { ttl, type, ...more } = isJsonObject(mark) ? mark : {};
  if (type !== "ephemeral") {
    notes.refuse(`${path}.cache_control.type`, 'A mark of the cache is {"type": "ephemeral"}');
  }
  reportUnknown(more, { of: "cache_control", path: `${path}.cache_control`, notes });
  // Caching for an hour costs more than the catalog's price for cache writes.
  if (ttl != null && ttl !== "5m") notes.allows("cache_ttl", `${path}.cache_control.ttl`);
  if (!notes.allows(feature, `${path}.cache_control`)) return undefined;
  return notes.format.cacheMark;
}

/**
 * Returns the mark at the end of a tool's result: that of its message, or the last of its parts.
 */
export function resultMark(
  message: Readonly<Record<string, unknown>>,
  path: string,
  notes: Notes,
): CacheMark | undefined {
  const { content } = message;
  const parts: unknown[] = Array.isArray(content) ? content : [];
  let mark: CacheMark | undefined;
  for (const [at, part] of parts.entries()) {
    const own = cacheMark(part, `${path}.content.${at}`, { notes });
    if (own === undefined) continue;
    mark = own;
    if (at < parts.length - 1) {
      notes.allows("inner_cache_control", `${path}.content.${at}.cache_control`);
    }
  }
  return cacheMark(message, path, { notes }) ?? mark;
}
