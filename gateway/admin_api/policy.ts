import { z } from "zod";
import type { Catalog } from "../domain/catalog/catalog.ts";
import { ENDPOINTS } from "../domain/requests/endpoints.ts";
import { HOSTED_TOOL_TYPES } from "../domain/requests/hosted_tool_types.ts";
import { parseIpRange } from "../domain/policy/ip_range.ts";
import { dialSchema } from "../config/schema.ts";
import { VERIFY_MODES } from "../domain/routing/auto.ts";
import { DIALECT_POLICIES, type KeyPolicy } from "../domain/policy/policy.ts";
import { type Complaint, COMPLAINTS_MAX } from "../http/validation.ts";
import { creditsText } from "./credits_text.ts";
import { suggestion } from "../config/suggestion.ts";
import { strict } from "./fields.ts";

/** Maximum length of a policy in bytes, so that a key fits into one value of the store. */
const POLICY_LIMIT_BYTES = 32 * 1024;

const name = z.string().min(1).max(128);
const names = z.array(name).max(256);
const count = z.int({ error: "Give a whole number" })
  .positive({ error: "Give a whole number from 1 on" });

/** Returns the schema of an array of some of the given names. */
function someOf<Name extends string>(known: readonly Name[]): z.ZodArray<z.ZodType<Name>> {
  const error = (issue: { readonly input?: unknown }) =>
    `"${String(issue.input).slice(0, 80)}" is none of ${known.join(", ")}`;
  return z.array(z.enum(known, { error })).max(known.length);
}

/** A CIDR range, or a single address. */
const ipRange = z.string().max(64).refine((text) => parseIpRange(text) !== undefined, {
  error: (issue) => `"${String(issue.input)}" is no CIDR range, as 10.0.0.0/8 or 2001:db8::/32`,
}).meta({ pattern: String.raw`^[\da-fA-F:.]+(?:/\d{1,3})?$` });

const budget = strict({
  day: creditsText.optional(),
  month: creditsText.optional(),
  total: creditsText.optional(),
});
const orchestration = strict({
  mode: z.enum(["off", "auto", "always"]).default("auto"),
  stream: z.enum(["all", "final"]).default("all").describe(
    "Most that streams of split requests carry: a caller may ask for less",
  ),
});

/** Policy of a key as an operator writes it. */
export const policySchema: z.ZodType<KeyPolicy, unknown> = strict({
  endpoints: someOf(ENDPOINTS).optional(),
  models: names.optional(),
  providers: names.optional(),
  featureTags: names.optional(),
  tiers: names.optional(),
  industryPacks: names.optional(),
  hostedTools: someOf(HOSTED_TOOL_TYPES).optional(),
  maxChargePerRequest: creditsText.optional(),
  budget: budget.optional(),
  requestsPerMinute: count.optional(),
  tokensPerMinute: count.optional(),
  concurrentRequests: count.optional(),
  ipRanges: z.array(ipRange).max(256).optional(),
  expiresAt: z.iso.datetime({
    offset: true,
    error: "Give an ISO 8601 time with its zone, as 2027-01-31T00:00:00Z",
  }).optional(),
  orchestration: orchestration.optional(),
  dialect: z.enum(DIALECT_POLICIES).optional().describe(
    "How answers are written for callers who do not send X-Dialect: as the interface " +
      "specifies (service), for clients built on OpenAI's types (openai), or by the client (auto)",
  ),
  auto: strict({
    dial: dialSchema.optional(),
    maxDial: dialSchema.optional(),
    qualityFloor: z.number().min(0).max(1).optional(),
    verify: z.enum(VERIFY_MODES).optional(),
    audits: z.boolean().optional(),
  }).optional().describe("Choice of models: the dial, verified answers, audits"),
}).refine((policy) => JSON.stringify(policy).length <= POLICY_LIMIT_BYTES, {
  error: `The policy is longer than ${POLICY_LIMIT_BYTES} bytes`,
}).meta({
  id: "KeyPolicy",
  description: "It only takes away: what it leaves out restricts nothing",
});

/**
 * Returns complaints about models, providers and tiers of a body's `policy` that the catalog lacks.
 */
export function unknownNames(
  { policy }: Readonly<Record<string, unknown>>,
  catalog: Catalog,
): Complaint[] {
  const known = {
    models: catalog.models.map(({ id }) => id),
    providers: [...new Set(catalog.upstreams.map(({ provider }) => provider))],
    tiers: catalog.tiers.map(({ id }) => id),
  };
  const written: Readonly<Record<string, unknown>> = Object(policy);
  return Object.entries(known).flatMap(([field, names]) => {
    const wanted = written[field];
    if (!Array.isArray(wanted)) return [];
    const unknown = wanted.flatMap((name: unknown, index) =>
      typeof name !== "string" || names.includes(name) ? [] : [{ name, index }]
    );
    // Finding the nearest name takes time, and further complaints are not shown.
    return unknown.slice(0, COMPLAINTS_MAX).map(({ name, index }) => ({
      path: ["policy", field, index],
      message: `The catalog has no ${field.slice(0, -1)} "${name}"${suggestion(name, names)}`,
    }));
  });
}
