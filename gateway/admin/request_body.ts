import type { z } from "zod";
import { readJson } from "../http/read_json.ts";
import { type Complaint, validateAll } from "../http/validation.ts";
import type { AdminContext } from "./deps.ts";

/** Longest body that the operator's API reads, in bytes. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** Reads a JSON object and checks it; `also` finds mistakes that no schema can see. */
export async function readBody<Schema extends z.ZodType>(
  context: AdminContext,
  schema: Schema,
  also: (value: Readonly<Record<string, unknown>>) => readonly Complaint[] = () => [],
): Promise<z.output<Schema>> {
  const { value } = await readJson(context.req.raw, { maxBytes: BODY_LIMIT_BYTES });
  return validateAll(schema, value, also(value));
}
