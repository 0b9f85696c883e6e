/**
 * Answers about keys, the pepper of their digests, and the admin token.
 *
 * @module
 */

import { z } from "zod";
import { ROTATION_STEPS } from "../../domain/policy/rotation.ts";
import { ENDPOINTS } from "../../domain/requests/endpoints.ts";
import { HOSTED_TOOL_TYPES } from "../../domain/requests/hosted_tool_types.ts";
import { policySchema } from "../policy.ts";
import { countAnswer, creditsAnswer, cursorAnswer, timeAnswer } from "./parts.ts";
import { requestSummaryAnswer } from "./requests.ts";

const secret = z.string().meta({
  description: "The key itself: shown only in this answer, and stored as a digest",
  example: "svc_live_…",
});

const key = {
  id: z.string(),
  name: z.string(),
  wallet: z.string(),
  status: z.enum(["active", "disabled", "revoked"]),
  policy: policySchema,
  hint: z.string().describe("Enough of the key to recognise it"),
  createdAt: timeAnswer,
  lastUsedAt: timeAnswer.nullable(),
  rotatedFrom: z.string().nullable().describe("Id of the key that it replaces"),
  logContent: z.boolean().describe("Content is logged, with secrets removed"),
};

/** A key without its secret. */
export const keyAnswer = z.strictObject(key).meta({ id: "Key" });

/** Answer of `GET /keys`. */
export const keyListAnswer = z.strictObject({
  keys: z.array(z.strictObject({
    ...key,
    pepper: z.int().nullable().describe("Version of the pepper that its digest uses"),
  })),
  cursor: cursorAnswer,
  total: countAnswer.describe("All keys, also those that the query leaves out"),
  underPreviousPepper: countAnswer.nullable().describe(
    "Keys that still need the previous pepper, counted up to 500; null where there is none",
  ),
}).meta({ id: "KeyList" });

const reach = {
  tier: z.string().nullable().describe("The tier that applies; null where none does"),
  endpoints: z.array(z.strictObject({
    endpoint: z.enum(ENDPOINTS),
    models: z.array(z.string()),
    reason: z.string().nullable().describe("Reason why no model is left"),
  })),
  models: z.array(z.strictObject({
    id: z.string(),
    provider: z.string(),
    endpoints: z.array(z.enum(ENDPOINTS)).describe("Endpoints at which it can serve"),
    reason: z.string().nullable().describe("Reason why it is excluded"),
  })),
  hostedTools: z.array(z.strictObject({ type: z.enum(HOSTED_TOOL_TYPES), allowed: z.boolean() })),
};

/** Models, endpoints and tools that a policy allows. */
export const reachAnswer = z.strictObject(reach).meta({
  id: "PolicyReach",
  description: "By the catalog in force, whatever the wallet holds and whichever upstreams answer",
});

/** Answer of `POST /keys/preview`. */
export const previewAnswer = z.strictObject({
  ...reach,
  expired: z.boolean(),
  wider: z.array(z.string()).describe(
    "Fields in which it allows more than the key that it is to narrow",
  ),
}).meta({ id: "PolicyPreview" });

/** Answer of `GET /keys/{id}/rotation`. */
export const rotationAnswer = z.strictObject({
  old: keyAnswer,
  copy: keyAnswer.nullable(),
  otherCopies: z.array(z.string()),
  verified: requestSummaryAnswer.nullable().describe(
    "A call of the copy that went well: the newest, or that of `request_id`",
  ),
  uses: z.strictObject({
    since: timeAnswer,
    lastUsedAt: timeAnswer.nullable(),
    requests: countAnswer,
    more: z.boolean().describe("There are more than were counted"),
    inUse: z.boolean().describe("True when callers still use the old key"),
  }).describe("Of the old key, since the copy's call"),
  steps: z.array(z.enum(ROTATION_STEPS)),
  next: z.enum([...ROTATION_STEPS, "done"]),
}).meta({ id: "KeyRotation" });

/** Answer of `POST /keys/{id}/verify`. */
export const verificationAnswer = z.strictObject({
  requestId: z.string(),
  url: z.string().describe("Base URL of the call"),
  model: z.string(),
  charged: z.string().describe("Credits, a decimal string"),
}).meta({ id: "KeyVerification" });

/** Answer of `GET /keys/{id}`. */
export const shownKeyAnswer = z.strictObject({
  ...key,
  spend: z.strictObject({
    held: creditsAnswer,
    day: creditsAnswer,
    month: creditsAnswer,
    total: creditsAnswer,
  }).describe("Of the key and all that it replaced; days and months are UTC"),
  reach: reachAnswer,
}).meta({ id: "KeyWithSpend" });

/** Answer of `POST /keys`. */
export const newKeyAnswer = z.strictObject({ key: secret, ...key }).meta({ id: "NewKey" });

/** Answer of `POST /keys/{id}/rotate`. */
export const rotatedKeyAnswer = z.strictObject({
  key: secret,
  ...key,
  otherCopies: z.array(z.string()).describe(
    "Ids of copies from earlier rotations that still serve",
  ),
}).meta({ id: "RotatedKey" });

const standing = {
  version: z.int(),
  kept: z.boolean().describe("True when the store keeps it; false when each start gets it"),
  adminToken: z.boolean().describe("True when the admin token is digested with it"),
  keys: countAnswer,
};

/** Answer of `GET /pepper`. */
export const pepperAnswer = z.strictObject({
  current: z.strictObject(standing),
  previous: z.strictObject({
    ...standing,
    keyIds: z.array(z.string()).describe("The first 500, to be used, rotated or revoked"),
  }).nullable(),
}).meta({ id: "Pepper" });

/** Answer of `POST /admin-token/rotate`. */
export const newTokenAnswer = z.strictObject({
  token: z.string().meta({ description: "Shown only in this answer", example: "svc_admin_…" }),
}).meta({ id: "NewAdminToken" });

/** Answer of `POST /admin-token/confirm`. */
export const tokenConfirmedAnswer = z.strictObject({ confirmed: z.literal(true) });
