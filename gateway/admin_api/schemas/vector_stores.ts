/**
 * What may be asked of vector stores.
 *
 * @module
 */

import { z } from "zod";
import {
  attributeFilterSchema,
  attributeKeySchema,
  attributeValueSchema,
} from "../../http/schemas/hosted_tools.ts";
import { DEFAULT_RESULTS, MAX_QUERY_CHARS, MAX_RESULTS } from "../../vector_stores/limits.ts";
import { strict } from "../fields.ts";
import type { QueryFields } from "../query_fields.ts";
import { label } from "./label.ts";

/** `POST /vector-stores`. */
export const newStore = strict({ name: label(100), wallet: z.string() });

/** Attributes of a file. */
export const attributes = z.record(attributeKeySchema, attributeValueSchema)
  .refine((all) => Object.keys(all).length <= 16, "Give at most 16 attributes");

/** `POST /vector-stores/{id}/search`. */
export const trial = strict({
  query: z.string().trim().min(1).max(MAX_QUERY_CHARS),
  maxResults: z.int().min(1).max(MAX_RESULTS).default(DEFAULT_RESULTS),
  scoreThreshold: z.number().min(0).max(1).default(0),
  filter: attributeFilterSchema.optional(),
});

/** `GET /vector-stores`. */
export const storesQuery = ({ text }: QueryFields) => ({ wallet: text });

/** `POST /vector-stores/{id}/files`. */
export const fileQuery = () => ({
  filename: label(255),
  attributes: z.string().max(16_384).optional()
    .meta({ description: "A JSON object of at most 16 texts, numbers and booleans" }),
});
