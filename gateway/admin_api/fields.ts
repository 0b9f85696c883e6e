import { REFUND_IDS } from "../domain/ledger/correction.ts";
import { z } from "zod";
import { suggestion } from "../config/suggestion.ts";
import { COMPLAINTS_MAX } from "../http/validation.ts";

/** Id of an operation: requests with the same id have the effect of one. */
export const operationId: z.ZodString = z.string()
  .regex(/^[\x21-\x7e]{1,128}$/, "Use 1 to 128 visible ASCII characters")
  .refine((id) => !id.startsWith(REFUND_IDS), "Refunds alone have such ids");

/** The fingerprint of a task of routing, or its beginning. */
export const taskText: z.ZodString = z.string()
  .regex(/^[0-9a-f]{8,16}$/, "Give 8 to 16 hexadecimal digits of the task's fingerprint")
  .describe("The fingerprint of a task, or its first 8 digits or more");

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
