import type { MessagesTool } from "../protocol/mod.ts";

/** Longest name of a function in Chat Completions, in characters; Messages allows twice as much. */
const LONGEST = 64;
/**
 * Characters kept of a long name's beginning; an underscore and eight digits of its checksum
 * follow.
 */
const KEPT = LONGEST - 9;

/** Returns the name for Chat: deterministic, and distinct for names that are shortened. */
export function chatName(name: string): string {
  return name.length <= LONGEST ? name : shortened(name, name);
}

/** Returns the beginning of a name with the checksum of a text: at most 64 characters. */
export function shortened(name: string, text: string): string {
  return `${name.slice(0, KEPT)}_${checksum(text)}`;
}

/** Returns the mapping back, for calls of these tools; names that were not shortened stay. */
export function namesBack(
  tools: readonly MessagesTool[] | null | undefined,
): (name: string) => string {
  const long = new Map(
    (tools ?? []).flatMap(({ name }) =>
      typeof name === "string" && name.length > LONGEST ? [[chatName(name), name]] : []
    ),
  );
  return (name) => long.get(name) ?? name;
}

/** FNV-1a in 32 bits: keeps names with an equal beginning apart. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
