/**
 * Declarations of the tools that the service runs, in OpenAI's shapes.
 *
 * @module
 */

import { z } from "zod";
import type { AttributeFilter } from "../../ports/vector_stores.ts";
import { MAX_STORES_SEARCHED } from "../../vector_stores/limits.ts";

const value = z.union([z.string(), z.number(), z.boolean()]);

const comparison = z.strictObject({
  type: z.enum(["eq", "ne", "gt", "gte", "lt", "lte"]),
  key: z.string().max(256),
  value,
});
const membership = z.strictObject({
  type: z.enum(["in", "nin"]),
  key: z.string().max(256),
  value: z.array(value).max(100),
});
const filter: z.ZodType<AttributeFilter> = z.lazy(() =>
  z.union([
    comparison,
    membership,
    z.strictObject({ type: z.enum(["and", "or"]), filters: z.array(filter).min(1).max(32) }),
  ])
);

/** Hosted web search. */
export const webSearchSchema = z.looseObject({
  type: z.string(),
  search_context_size: z.enum(["low", "medium", "high"]).nullish(),
  user_location: z.looseObject({
    type: z.literal("approximate").nullish(),
    country: z.string().max(100).nullish(),
    city: z.string().max(100).nullish(),
    region: z.string().max(100).nullish(),
    timezone: z.string().max(100).nullish(),
  }).nullish(),
  // Others would be left out in silence.
  filters: z.strictObject({ allowed_domains: z.array(z.string().max(253)).max(100).nullish() })
    .nullish(),
});

const STORE_IDS = "name at least one vector store";

/** Hosted file search. */
export const fileSearchSchema = z.looseObject({
  type: z.literal("file_search"),
  vector_store_ids: z.array(z.string().min(1).max(128), STORE_IDS).min(1, STORE_IDS)
    .max(MAX_STORES_SEARCHED),
  max_num_results: z.int().min(1).max(50).nullish(),
  ranking_options: z.looseObject({ score_threshold: z.number().min(0).max(1).nullish() })
    .nullish(),
  filters: filter.nullish(),
});
