/**
 * Answers about keys, the pepper of their digests, and the admin token.
 *
 * @module
 */

import { z } from "zod";
import { PIN_SOURCES } from "../../domain/policy/embedding_pin.ts";
import { ROTATION_STEPS } from "../../domain/policy/rotation.ts";
import { ENDPOINTS } from "../../domain/requests/endpoints.ts";
import { HOSTED_TOOL_TYPES } from "../../domain/requests/hosted_tool_types.ts";
import { policySchema } from "../policy.ts";
import { countAnswer, creditsAnswer, cursorAnswer, timeAnswer } from "./parts.ts";
import { requestSummaryAnswer } from "./requests.ts";
import { walletAnswer } from "./wallets.ts";

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

const spend = z.strictObject({
  held: creditsAnswer,
  day: creditsAnswer,
  month: creditsAnswer,
  total: creditsAnswer,
}).describe("Of the key and all that it replaced; days and months are UTC");

const rest = z.strictObject({
  day: creditsAnswer.nullable(),
  month: creditsAnswer.nullable(),
  total: creditsAnswer.nullable(),
});

const budgets = z.array(z.strictObject({
  user: z.string().nullable(),
  tag: z.string().nullable(),
  spend: spend.describe("Of the calls with this name, since the policy has the budget"),
  remaining: rest.describe("Beyond what calls in flight hold; null without a budget"),
})).describe("The policy's budgets of users and tags, in its order");

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
    "Keys that still need the previous pepper, of the first 500 that have it. Null without a " +
      "previous pepper, on later pages, and where those 500 have ended and there are more: " +
      "`GET /pepper` counts all",
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

const embeddings = z.strictObject({
  model: z.string().describe("Catalog id"),
  dimensions: z.int().nullable().describe("Length of the vectors; null before the first answer"),
  source: z.enum(PIN_SOURCES),
  since: timeAnswer.nullable().describe("Null for a policy before the first answer"),
}).nullable().describe(
  "The pinned embedding model of the key and of all that it replaced; null before the first call",
);

/** Answer of the operations on the embedding model of a key. */
export const embeddingModelAnswer = z.strictObject({ id: z.string(), embeddings })
  .meta({ id: "KeyEmbeddingModel" });

/** Answer of `GET /keys/{id}`. */
export const shownKeyAnswer = z.strictObject({
  ...key,
  spend,
  budgets,
  embeddings,
  reach: reachAnswer,
}).meta({ id: "KeyWithSpend" });

const limit = z.strictObject({ limit: countAnswer, remaining: countAnswer }).nullable();

/** Answer of `GET /api/v1/key`: a key as its holder sees it. */
export const ownKeyAnswer = keyAnswer.omit({ wallet: true }).extend({
  embeddings,
  expiresAt: timeAnswer.nullable(),
  spend,
  remaining: rest.describe(
    "Of the key's budgets, beyond what calls in flight hold; null without a budget",
  ),
  budgets,
  limits: z.strictObject({
    requestsPerMinute: limit,
    tokensPerMinute: limit,
    concurrentRequests: limit,
  }).describe("The limits of the rate and what remains of them; null without the limit"),
  wallet: walletAnswer.pick({ id: true, tier: true, available: true, held: true }).nullable()
    .describe("The wallet that pays; null where the policy hides it"),
}).meta({ id: "OwnKey" });

/** Answer of `POST /keys/{id}/sign-in-link` and of `POST /api/v1/key/sign-in-link`. */
export const signInLinkAnswer = z.strictObject({
  url: z.string().describe("Address for a browser, with the code behind its `#`; works once"),
  code: z.string().meta({
    description: "The code alone, to enter on the page `/me`",
    example: "svc_link_…",
  }),
  expiresAt: timeAnswer,
}).meta({ id: "SignInLink", description: "Signs the holder of a key in to the key's pages" });

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
  operatorTokens: countAnswer.describe("Tokens of operators that are digested with it"),
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
