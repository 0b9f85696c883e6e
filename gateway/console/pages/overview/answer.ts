import type { AnswerOf } from "../../../admin_api/operations.ts";

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
