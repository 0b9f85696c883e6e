/**
 * Declarations of the tools that the service runs, in OpenAI's shapes.
 *
 * @module
 */

import { z } from "zod";
import type { AttributeFilter } from "@svc/sdk/protocol";
import { domainName, MAX_DOMAINS } from "../../search/bound_query.ts";
import { MAX_RESULTS, MAX_STORES_SEARCHED } from "../../vector_stores/limits.ts";

/** Name of an attribute of a file. */
export const attributeKeySchema = z.string().min(1).max(64);

/** Value of an attribute of a file. */
export const attributeValueSchema = z.union([z.string().max(512), z.number(), z.boolean()], {
  error: "Give a text of at most 512 characters, a number, true or false",
});

/** Filter that selects files by their attributes. */
export const attributeFilterSchema: z.ZodType<AttributeFilter> = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.enum(["eq", "ne", "gt", "gte", "lt", "lte"]),
      key: attributeKeySchema,
      value: attributeValueSchema,
    }),
    z.strictObject({
      type: z.enum(["in", "nin"]),
      key: attributeKeySchema,
      value: z.array(attributeValueSchema).max(100),
    }),
    z.strictObject({
      type: z.enum(["and", "or"]),
      filters: z.array(attributeFilterSchema).min(1).max(100),
    }),
  ])
).meta({ id: "AttributeFilter", description: "Filter of files by their attributes" });

/** Approximate location of the user. */
export const userLocationSchema = z.looseObject({
  type: z.literal("approximate").nullish(),
  country: z.string().max(100).nullish(),
  city: z.string().max(100).nullish(),
  region: z.string().max(100).nullish(),
  timezone: z.string().max(100).nullish(),
});

const allowedDomain = z.string().max(253).refine((text) => domainName(text) !== undefined, {
  error: 'Give a domain name such as "example.com", without scheme, port and path',
});

/** Hosted web search. */
export const webSearchSchema = z.looseObject({
  type: z.string(),
  search_context_size: z.enum(["low", "medium", "high"]).nullish(),
  user_location: userLocationSchema.nullish(),
  external_web_access: z.boolean().nullish(),
  // Unknown filters would otherwise be ignored without notice.
  filters: z.strictObject({ allowed_domains: z.array(allowedDomain).max(MAX_DOMAINS).nullish() })
    .nullish(),
});

/** Order of passages, and the minimum score. */
export const rankingOptionsSchema = z.looseObject({
  score_threshold: z.number().min(0).max(1).nullish(),
});

const STORE_IDS = "name at least one vector store";

/** Hosted file search. */
export const fileSearchSchema = z.looseObject({
  type: z.literal("file_search"),
  vector_store_ids: z.array(z.string().min(1).max(128), STORE_IDS).min(1, STORE_IDS)
    .max(MAX_STORES_SEARCHED),
  max_num_results: z.int().min(1).max(MAX_RESULTS).nullish(),
  ranking_options: rankingOptionsSchema.nullish(),
  filters: attributeFilterSchema.nullish(),
});
