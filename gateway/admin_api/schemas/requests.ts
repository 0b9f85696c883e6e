/**
 * What may be asked of the request log and of usage.
 *
 * @module
 */

import { z } from "zod";
import { filterFields } from "../request_filter.ts";
import type { QueryFields } from "../query_fields.ts";

/** `GET /requests`. */
export const requestsQuery = (fields: QueryFields) => ({
  ...filterFields(fields),
  order: z.enum(["newest", "oldest"]).default("newest"),
  limit: fields.limit,
  cursor: fields.cursor,
});

/** `GET /overview`. */
export const overviewQuery = ({ time }: QueryFields) => ({
  since: time,
  until: time,
  step: z.string().regex(/^\d{1,4}[smhdw]$/, "Give a duration, as 5m, 1h or 1d").optional(),
  by: z.enum(["model", "key"]).optional().meta({
    description: "Splits each step of the series up; the dearest eight have names",
  }),
});

/** `GET /usage`. */
export const usageQuery = ({ time }: QueryFields) => ({
  by: z.enum(["key", "model", "day"]).default("day"),
  since: time,
  until: time,
});
