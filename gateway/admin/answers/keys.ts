/**
 * What is answered of keys, of what their digests stand under, and of the admin token.
 *
 * @module
 */

import { z } from "zod";
import { policySchema } from "../policy_schema.ts";
import { countAnswer, creditsAnswer, timeAnswer } from "./parts.ts";

const secret = z.string().meta({
  description: "The key itself: shown this once, and stored as a digest only",
  example: "svc_live_…",
});

const key = {
  id: z.string(),
  name: z.string(),
  wallet: z.string(),
  status: z.enum(["active", "disabled", "revoked"]),
  policy: policySchema,
  hint: z.string().meta({ description: "Enough of the key to recognise it" }),
  createdAt: timeAnswer,
  lastUsedAt: timeAnswer.nullable(),
  rotatedFrom: z.string().nullable().meta({ description: "Id of the key that it replaces" }),
  logContent: z.boolean().meta({ description: "What is said is kept, secrets taken out" }),
};

/** A key without its secret. */
export const keyAnswer = z.strictObject(key).meta({ id: "Key" });

/** `GET /keys`. */
export const keyListAnswer = z.strictObject({
  keys: z.array(z.strictObject({
    ...key,
    pepper: z.int().nullable().meta({ description: "Version of the pepper it stands under" }),
  })),
  underPreviousPepper: countAnswer.nullable().meta({
    description: "Keys that still need the previous pepper; null where there is none",
  }),
}).meta({ id: "KeyList" });

/** `GET /keys/{id}`. */
export const shownKeyAnswer = z.strictObject({
  ...key,
  spend: z.strictObject({
    held: creditsAnswer,
    day: creditsAnswer,
    month: creditsAnswer,
    total: creditsAnswer,
  }).meta({ description: "Of the key and all that it replaced; days and months are UTC" }),
}).meta({ id: "KeyWithSpend" });

/** `POST /keys`. */
export const newKeyAnswer = z.strictObject({ key: secret, ...key }).meta({ id: "NewKey" });

/** `POST /keys/{id}/rotate`. */
export const rotatedKeyAnswer = z.strictObject({
  key: secret,
  ...key,
  otherCopies: z.array(z.string()).meta({
    description: "Ids of copies from earlier rotations that still serve",
  }),
}).meta({ id: "RotatedKey" });

const standing = {
  version: z.int(),
  kept: z.boolean().meta({ description: "Whether the store keeps it, or each start is given it" }),
  adminToken: z.boolean().meta({ description: "Whether the admin token stands under it" }),
  keys: countAnswer,
};

/** `GET /pepper`. */
export const pepperAnswer = z.strictObject({
  current: z.strictObject(standing),
  previous: z.strictObject({
    ...standing,
    keyIds: z.array(z.string()).meta({ description: "To be used, rotated or revoked" }),
  }).nullable(),
}).meta({ id: "Pepper" });

/** `POST /admin-token/rotate`. */
export const newTokenAnswer = z.strictObject({
  token: z.string().meta({ description: "Shown this once", example: "svc_admin_…" }),
}).meta({ id: "NewAdminToken" });

/** `POST /admin-token/confirm`. */
export const tokenConfirmedAnswer = z.strictObject({ confirmed: z.literal(true) });
