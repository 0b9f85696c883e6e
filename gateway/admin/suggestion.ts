import { nearestName } from "../config/nearest_name.ts";

/** `; the nearest is "…"`, to end a sentence that refuses a name; nothing where there is no other. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const names = [...candidates];
  return names.length === 0 ? "" : `; the nearest is "${nearestName(name, names)}"`;
}
