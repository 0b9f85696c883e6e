import { z } from "zod";
import { suggestion } from "../config/suggestion.ts";
import { COMPLAINTS_MAX } from "../http/validation.ts";

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
