/**
 * What may be asked of keys.
 *
 * @module
 */

import { z } from "zod";
import { policySchema } from "./policy.ts";
import { operationId, strict } from "../fields.ts";
import type { QueryFields } from "../query_fields.ts";
import { label } from "./label.ts";

const keyName = label(100);

/** `POST /keys`. */
export const newKey = strict({
  name: keyName,
  wallet: z.string(),
  policy: policySchema.default({}),
  opId: operationId.optional().meta({ description: "Makes one key, however often it is sent" }),
});

/** `POST /keys/preview`. */
export const preview = strict({
  policy: policySchema.default({}),
  wallet: z.string().default("").meta({ description: "Whose tier applies" }),
  narrows: z.string().optional().meta({
    description: "Id of the key that the policy is to narrow; its wallet is taken",
  }),
});

/** `GET /keys/{id}/rotation`. */
export const rotationQuery = ({ text }: QueryFields) => ({ copy: text, request_id: text });

/** `POST /keys/{id}/verify`. */
export const verification = strict({
  key: z.string().trim().regex(/^[\x21-\x7e]{1,256}$/, "Give the key itself, as it was shown"),
  requestId: operationId.optional(),
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
  opId: operationId.optional().meta({ description: "Makes one copy, however often it is sent" }),
});
