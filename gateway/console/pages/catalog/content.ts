/**
 * The catalog as the operator's API shows it: what pages read of it is decoded, and what they do not
 * know is kept, so that an edit of one field changes that field alone.
 *
 * @module
 */

import { z } from "zod";
import { apiPath } from "../../api.ts";
import type { View } from "../../page.ts";

const localized = z.looseObject({ en: z.string(), zh: z.string() });

const price = z.looseObject({
  inputPerMTok: z.string(),
  outputPerMTok: z.string(),
  cachedInputPerMTok: z.string().optional(),
  cacheWriteInputPerMTok: z.string().optional(),
  imageInputPerMTok: z.string().optional(),
  perImage: z.string().optional(),
  perWebSearch: z.string().optional(),
});

const model = z.looseObject({
  id: z.string(),
  name: z.string(),
  upstream: z.string(),
  upstreamModel: z.string(),
  endpoints: z.array(z.string()),
  quality: z.number(),
  contextTokens: z.number(),
  maxOutputTokens: z.number().optional(),
  featureTags: z.array(z.string()),
  industryPacks: z.array(z.string()),
  sku: z.string(),
  price,
  description: localized,
  disabled: z.boolean(),
});

const tier = z.looseObject({
  id: z.string(),
  creditsPerUsd: z.string(),
  models: z.union([z.literal("*"), z.array(z.string())]),
  orchestration: z.string(),
  name: localized,
  description: localized,
});

const upstream = z.looseObject({
  id: z.string(),
  kind: z.string(),
  provider: z.string(),
  baseUrl: z.string().optional(),
  apiKeyEnv: z.string().optional(),
  apiKey: z.string().optional(),
  maxInFlight: z.number(),
  onDisconnect: z.string(),
  timeouts: z.looseObject({
    connectMs: z.number().optional(),
    firstByteMs: z.number().optional(),
    idleMs: z.number().optional(),
  }),
});

const content = z.looseObject({
  upstreams: z.array(upstream),
  models: z.array(model),
  tiers: z.array(tier),
});

const version = z.object({ version: z.number(), updatedAt: z.string(), content });

/** One version of the catalog. */
export type CatalogVersion = z.output<typeof version>;
/** What an operator writes. */
export type CatalogText = z.output<typeof content>;
/** A model of it. */
export type CatalogModel = z.output<typeof model>;
/** A tier of it. */
export type CatalogTier = z.output<typeof tier>;
/** An upstream of it. */
export type CatalogUpstream = z.output<typeof upstream>;

const entries = z.array(z.looseObject({ id: z.string() }));
const ids = z.looseObject({ upstreams: entries, models: entries, tiers: entries });

/** As much of a catalog as a difference is read with. */
export type CatalogIds = z.output<typeof ids>;

/** The ids of what is edited, which may be anything: none where they cannot be read. */
export function idsOf(content: unknown): readonly CatalogIds[] {
  const read = ids.safeParse(content);
  return read.success ? [read.data] : [];
}

/** The version in force. */
export async function currentCatalog(view: View): Promise<CatalogVersion> {
  return view.need(await view.api.get("/catalog", version));
}

/** A version by its number. */
export async function catalogVersion(view: View, number: string): Promise<CatalogVersion> {
  return view.need(await view.api.get(apiPath`/catalog/versions/${number}`, version));
}

/** Whether a model can be routed to, as the operator's API tells it. */
export const modelState = z.object({
  id: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  retryAfterMs: z.number().nullable(),
  latencyMs: z.number().nullable(),
  failures: z.number(),
});
const pool = z.object({ models: z.array(modelState) });

/** Whether a model can be routed to. */
export type ModelState = z.output<typeof modelState>;

/** Availability of every model, by its id. */
export async function modelStates(view: View): Promise<ReadonlyMap<string, ModelState>> {
  const { models } = view.need(await view.api.get("/models", pool));
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
