/**
 * `cache_control`, as Claude's callers write it through Chat: everything up to a mark may be kept in
 * the provider's cache.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { JSONObject } from "@ai-sdk/provider";
import { reportUnknown } from "./known_members.ts";
import type { Notes } from "./notes.ts";

/** What a package must be told to set a mark. */
export type CacheMark = Record<string, JSONObject>;

/** The mark of a message, a part or a tool, where it has one and the kind has a place for it. */
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
  // Keeping it for an hour costs more than the catalog's one price for writing says.
  if (ttl != null && ttl !== "5m") notes.allows("cache_ttl", `${path}.cache_control.ttl`);
  if (!notes.allows(feature, `${path}.cache_control`)) return undefined;
  return notes.format.cacheMark;
}

/**
 * The mark of a tool's result, which can stand at its end alone: its message's own, or the last of its
 * parts'.
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
