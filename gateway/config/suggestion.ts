import { nearestName } from "./nearest_name.ts";

/** `; the nearest is "…"`, to end a sentence that refuses a name; nothing where no other is near. */
export function suggestion(
  name: string,
  candidates: Iterable<string>,
  write: (name: string) => string = (name) => name,
): string {
  const near = nearestName(name, [...candidates]);
  return near === undefined ? "" : `; the nearest is "${write(near)}"`;
}
