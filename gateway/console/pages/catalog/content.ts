/**
 * The catalog as the operator's API shows it: what pages read of it is decoded, and what they do not
 * know is kept, so that an edit of one field changes that field alone.
 *
 * @module
 */

import { z } from "zod";
import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { View } from "../../page.ts";

/** One version of the catalog. */
export type CatalogVersion = AnswerOf<"GET /catalog">;
/** The part of it that an operator writes. */
export type CatalogText = CatalogVersion["content"];
/** A model of it. */
export type CatalogModel = CatalogText["models"][number];
/** A tier of it. */
export type CatalogTier = CatalogText["tiers"][number];
/** An upstream of it. */
export type CatalogUpstream = CatalogText["upstreams"][number];

interface Entry {
  readonly id: string;
}

const entries = z.array(z.looseObject({ id: z.string() }));
const ids = z.looseObject({ upstreams: entries, models: entries, tiers: entries });

/** As much of a catalog as a difference is read with. */
export type CatalogIds = Readonly<Record<"upstreams" | "models" | "tiers", readonly Entry[]>>;

/** The ids of what is edited, which may be anything: none where they cannot be read. */
export function idsOf(content: unknown): readonly CatalogIds[] {
  const read = ids.safeParse(content);
  return read.success ? [read.data] : [];
}

/** The version in force. */
export function currentCatalog(view: View): Promise<CatalogVersion> {
  return view.load("GET /catalog");
}

/** A version by its number. */
export function catalogVersion(view: View, version: string): Promise<CatalogVersion> {
  return view.load("GET /catalog/versions/{version}", { version });
}

/** The availability of a model to routing. */
export type ModelState = AnswerOf<"GET /models">["models"][number];

/** Availability of every model, by its id. */
export async function modelStates(view: View): Promise<ReadonlyMap<string, ModelState>> {
  const { models } = await view.load("GET /models");
  return new Map(models.map((each) => [each.id, each]));
}

/** A list with the entry of this id in its place, or at its end where there was none. */
export function withEntry<CatalogEntry extends { readonly id: string }>(
  list: readonly CatalogEntry[],
  id: string,
  entry: CatalogEntry,
): CatalogEntry[] {
  const isKnown = list.some((each) => each.id === id);
  return isKnown ? list.map((each) => each.id === id ? entry : each) : [...list, entry];
}

/** The catalog as text to edit. */
export function contentText(content: unknown): string {
  return JSON.stringify(content, null, 2);
}
