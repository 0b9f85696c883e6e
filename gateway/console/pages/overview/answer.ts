import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { View } from "../../page.ts";
import { overviewMessages } from "./messages.ts";

/** Properties by which plots can be split up. */
export const SPLITS = ["model", "key", "none"] as const;
/** A property by which plots are split up. */
export type Split = typeof SPLITS[number];

/** The sums of a time, and the property that its steps are split up by. */
export type Overview = AnswerOf<"GET /overview"> & { readonly split: Split };
/** The sums of a step of it. */
export type Point = Overview["series"][number];
/** The sums of one model or key in a step. */
export type PointGroup = NonNullable<Point["groups"]>[number];
/** The sums of one model. */
export type ModelSums = Overview["models"][number];
/** The sums of one key. */
export type KeySums = Overview["keys"][number];
/** The number of requests that ended in one way. */
export type Ending = Overview["endings"][number];

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
