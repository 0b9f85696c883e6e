import type { View } from "../../page.ts";
import { type Overview, type Split, SPLITS } from "./answer.ts";
import { overviewMessages } from "./messages.ts";

/** The one that the query names; by model where it names none. */
export function readSplit({ query }: Pick<View, "query">): Split {
  return SPLITS.find((split) => split === query.get("by")) ?? "model";
}

/** Returns the name of a model or a key; two keys of one name differ by their ids. */
export function nameOfGroup(
  view: View,
  { split, keys }: Pick<Overview, "split" | "keys">,
  id: string | null,
): string {
  if (id === null) return view.say(overviewMessages).noModel;
  if (split !== "key") return id;
  const name = keys.find(({ key }) => key === id)?.name ?? null;
  if (name === null) return id;
  return keys.some((other) => other.key !== id && other.name === name) ? `${name} (${id})` : name;
}
