/**
 * What may be asked of keys.
 *
 * @module
 */

import { z } from "zod";
import { policySchema } from "../policy_schema.ts";
import { strict } from "../request_body.ts";

const keyName = z.string().trim().min(1).max(100)
  .regex(/^\P{C}*$/u, "Use no control characters");

/** `POST /keys`. */
export const newKey = strict({
  name: keyName,
  wallet: z.string(),
  policy: policySchema.default({}),
});

/** `POST /keys/{id}/narrow`. */
export const narrowing = strict({ policy: policySchema });

/** `POST /keys/{id}/content-log`. */
export const contentLog = strict({
  on: z.boolean().meta({ description: "Whether what is said is kept with the key's requests" }),
});

/** `POST /keys/{id}/rotate`. */
export const rotation = strict({
  name: keyName.optional(),
  policy: policySchema.optional().meta({ description: "The same or a stricter one" }),
});
