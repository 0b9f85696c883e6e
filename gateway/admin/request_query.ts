import type { z } from "zod";
import { strict } from "../admin_api/fields.ts";
import { type QueryFields, queryFields } from "../admin_api/query_fields.ts";
import { validate } from "../http/validation.ts";
import type { AdminContext, AdminDeps } from "./deps.ts";

/** Checks the query of a request: each field at most once, none unknown. */
export function readQuery<Shape extends z.ZodRawShape>(
  context: AdminContext,
  deps: Pick<AdminDeps, "clock">,
  shape: (fields: QueryFields) => Shape,
): z.output<z.ZodObject<Shape, z.core.$strict>> {
  const query = context.req.queries();
  // A field that is given twice stays a list, and is refused as not being a text.
  const values = Object.fromEntries(
    Object.entries(query).map(([name, given]) => [name, given.length === 1 ? given[0] : given]),
  );
  return validate(strict(shape(queryFields(deps.clock.nowMs()))), values);
}
