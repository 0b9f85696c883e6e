/**
 * What the operator's API says of keys, as far as these pages show it.
 *
 * @module
 */

import { z } from "zod";

const names = z.array(z.string()).optional();

/** A policy as the API shows it. */
export const policyShape = z.object({
  endpoints: names,
  models: names,
  providers: names,
  featureTags: names,
  tiers: names,
  industryPacks: names,
  hostedTools: names,
  maxChargePerRequest: z.string().optional(),
  budget: z.object({
    day: z.string().optional(),
    month: z.string().optional(),
    total: z.string().optional(),
  }).optional(),
  requestsPerMinute: z.number().optional(),
  tokensPerMinute: z.number().optional(),
  concurrentRequests: z.number().optional(),
  ipRanges: names,
  expiresAt: z.string().optional(),
  orchestration: z.object({
    mode: z.enum(["off", "auto", "always"]),
    stream: z.enum(["all", "final"]),
  }).optional(),
  dialect: z.enum(["auto", "service", "openai"]).optional(),
});

/** The policy of a key. */
export type Policy = z.output<typeof policyShape>;

/** A key without its secret. */
export const keyShape = z.object({
  id: z.string(),
  name: z.string(),
  wallet: z.string(),
  status: z.enum(["active", "disabled", "revoked"]),
  policy: policyShape,
  hint: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  rotatedFrom: z.string().nullable(),
  logContent: z.boolean(),
});

/** A key. */
export type Key = z.output<typeof keyShape>;

/** What a policy leaves. */
export const reachShape = z.object({
  tier: z.string().nullable(),
  endpoints: z.array(
    z.object({ endpoint: z.string(), models: z.array(z.string()), reason: z.string().nullable() }),
  ),
  models: z.array(z.object({
    id: z.string(),
    provider: z.string(),
    endpoints: z.array(z.string()),
    reason: z.string().nullable(),
  })),
  hostedTools: z.array(z.object({ type: z.string(), allowed: z.boolean() })),
});

/** What a policy leaves. */
export type Reach = z.output<typeof reachShape>;

/** What a policy would leave. */
export const previewShape = reachShape.extend({
  expired: z.boolean(),
  /** Where it allows more than the key's policy does. */
  wider: z.array(z.string()),
});

/** What a policy would leave. */
export type Preview = z.output<typeof previewShape>;

/** Credits that a key and those it replaced have spent. */
export const spendShape = z.object({
  held: z.string(),
  day: z.string(),
  month: z.string(),
  total: z.string(),
});

/** One key, with what it has spent and what it reaches. */
export const keyDetailShape = keyShape.extend({ spend: spendShape, reach: reachShape });

/** Every key, newest first. */
export const keyListShape = z.object({ keys: z.array(keyShape) });

/** A key that was made, with its secret. */
export const newKeyShape = keyShape.extend({ key: z.string() });

/** A key that was made, with its secret. */
export type NewKey = z.output<typeof newKeyShape>;

/** A request, as a line of the log. */
export const logLineShape = z.object({
  id: z.string(),
  requestId: z.string(),
  at: z.string(),
  endpoint: z.string(),
  status: z.number(),
  outcome: z.string(),
  errorCode: z.string().nullable(),
  model: z.string().nullable(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  charged: z.string(),
});

/** A request, as a line of the log. */
export type LogLine = z.output<typeof logLineShape>;

/** How far a rotation has come. */
export const rotationShape = z.object({
  old: keyShape,
  copy: keyShape.nullable(),
  otherCopies: z.array(z.string()),
  verified: logLineShape.nullable(),
  uses: z.object({
    since: z.string(),
    lastUsedAt: z.string().nullable(),
    requests: z.number(),
    more: z.boolean(),
    inUse: z.boolean(),
  }),
  steps: z.array(z.enum(["copy", "store", "verify", "confirm", "disable", "revoke"])),
  next: z.enum(["copy", "store", "verify", "confirm", "disable", "revoke", "done"]),
});

/** How far a rotation has come. */
export type Rotation = z.output<typeof rotationShape>;

/** Where applications call. */
export const serviceShape = z.object({ publicUrl: z.string().nullable() });
