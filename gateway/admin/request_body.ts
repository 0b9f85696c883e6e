import { z } from "zod";
import { readJson } from "../http/read_json.ts";
import { type Complaint, COMPLAINTS_MAX, validateAll } from "../http/validation.ts";
import type { AdminContext } from "./deps.ts";
import { suggestion } from "../config/suggestion.ts";

/** Longest body that the operator's API reads, in bytes. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** Names an operation, so that it is done once however often it is sent. */
export const operationId: z.ZodString = z.string()
  .regex(/^[\x21-\x7e]{1,128}$/, "Use 1 to 128 visible ASCII characters");

/** An object schema that refuses unknown fields and says which known one is near. */
export function strict<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const known = Object.keys(shape);
      return issue.keys.slice(0, COMPLAINTS_MAX)
        .map((field) => `Unknown field "${field}"${suggestion(field, known)}`).join("; ");
    },
  });
}

/** Reads a JSON object and checks it; `also` finds mistakes that no schema can see. */
export async function readBody<Schema extends z.ZodType>(
  context: AdminContext,
  schema: Schema,
  also: (value: Readonly<Record<string, unknown>>) => readonly Complaint[] = () => [],
): Promise<z.output<Schema>> {
  const { value } = await readJson(context.req.raw, { maxBytes: BODY_LIMIT_BYTES });
  return validateAll(schema, value, also(value));
}
