import { z } from "zod";
import { suggestion } from "../config/suggestion.ts";
import { COMPLAINTS_MAX } from "../http/validation.ts";

/** Id of an operation: requests with the same id have the effect of one. */
export const operationId: z.ZodString = z.string()
  .regex(/^[\x21-\x7e]{1,128}$/, "Use 1 to 128 visible ASCII characters");

/** Returns an object schema that refuses unknown fields and suggests the nearest known one. */
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
