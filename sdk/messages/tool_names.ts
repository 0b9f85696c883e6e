import type { MessagesTool } from "../protocol/mod.ts";

/** Longest name of a function in Chat Completions; Messages allows twice as much. */
const LONGEST = 64;
/** Of a long name's beginning: a line and eight digits of its checksum follow. */
const KEPT = LONGEST - 9;

/** The name as Chat takes it: the same for the same name, and its own where it is shortened. */
export function chatName(name: string): string {
  return name.length <= LONGEST ? name : `${name.slice(0, KEPT)}_${checksum(name)}`;
}

/** The way back, for calls of these tools; names that nobody shortened stay. */
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

/** FNV-1a in 32 bits: names that begin alike must not become one. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
