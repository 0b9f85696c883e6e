import { nearestName } from "./nearest_name.ts";

/**
 * Returns `; the nearest is "…"`, to end a sentence that refuses a name; empty where no name is
 * near.
 */
export function suggestion(
  name: string,
  candidates: Iterable<string>,
  write: (name: string) => string = (name) => name,
): string {
  const near = nearestName(name, [...candidates]);
  return near === undefined ? "" : `; the nearest is "${write(near)}"`;
}
