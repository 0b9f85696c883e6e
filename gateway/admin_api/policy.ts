import { z } from "zod";
import type { Catalog } from "../domain/catalog/catalog.ts";
import { ENDPOINTS } from "../domain/requests/endpoints.ts";
import { HOSTED_TOOL_TYPES } from "../domain/requests/hosted_tool_types.ts";
import { MAX_DIMENSIONS } from "../domain/policy/embedding_pin.ts";
import { parseIpRange } from "../domain/policy/ip_range.ts";
import { dialSchema } from "../config/schema.ts";
import { VERIFY_MODES } from "../domain/routing/auto.ts";
import { DEFAULT_FILE_QUOTA, LARGEST_FILE_QUOTA } from "../domain/policy/file_quota.ts";
import { DIALECT_POLICIES, type KeyPolicy, WALLET_SIGHTS } from "../domain/policy/policy.ts";
import { type Complaint, COMPLAINTS_MAX } from "../http/validation.ts";
import { creditsText } from "./credits_text.ts";
import { suggestion } from "../config/suggestion.ts";
import { strict } from "./fields.ts";
import { BUDGET_WINDOWS, budgetName, NAMED_BUDGETS_MAX } from "../domain/policy/key_budget.ts";
import {
  isUserName,
  TAG_NAME,
  TAG_PATTERN,
  TAGS_MAX,
  USER_CHARS_MAX,
} from "../domain/requests/attribution.ts";

/** Maximum length of a policy in bytes, so that a key fits into one value of the store. */
const POLICY_LIMIT_BYTES = 32 * 1024;

const name = z.string().min(1).max(128);
const names = z.array(name).max(256);
const count = z.int({ error: "Give a whole number" })
  .positive({ error: "Give a whole number from 1 on" });

/** Returns the schema of a part of the room for files; without it the default applies. */
function roomUpTo(part: keyof typeof LARGEST_FILE_QUOTA, least = 0) {
  const largest = LARGEST_FILE_QUOTA[part];
  return z.int({ error: "Give a whole number" }).min(least).max(largest).optional().meta({
    default: DEFAULT_FILE_QUOTA[part],
  });
}

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

const windows = {
  day: creditsText.optional(),
  month: creditsText.optional(),
  total: creditsText.optional(),
};
const budget = strict(windows);
const namedBudget = strict({
  user: z.string().min(1).max(USER_CHARS_MAX).refine(isUserName, {
    error: "Give a user without control characters",
  }).optional().describe("The `user` of the calls, or their `safety_identifier` without one"),
  tag: z.string().regex(TAG_PATTERN, "Give a tag as name=value").optional(),
  ...windows,
}).refine(({ user, tag }) => (user === undefined) !== (tag === undefined), {
  error: "Give either a user or a tag",
}).refine((entry) => BUDGET_WINDOWS.some((window) => entry[window] !== undefined), {
  error: "Give an amount for day, month or total",
});
const tagName = z.string().regex(new RegExp(`^${TAG_NAME}$`), "Give the name of a tag, as team");
const orchestration = strict({
  mode: z.enum(["off", "auto", "always"]).default("auto"),
  stream: z.enum(["all", "final"]).default("all").describe(
    "Most that streams of split requests carry: a caller may ask for less",
  ),
});

/** An embedding model, and the length of its vectors. */
export const embeddingChoice = strict({
  model: name.describe("Catalog id of a model with the endpoint embeddings"),
  dimensions: z.int().min(1).max(MAX_DIMENSIONS).optional().describe(
    "Length of the vectors; without it, that of the first answer",
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
  budgets: z.array(namedBudget).max(NAMED_BUDGETS_MAX).refine(
    (list) => new Set(list.map(budgetName)).size === list.length,
    { error: "Give each user and each tag once" },
  ).optional().describe("Budgets of the key's calls for a user or with a tag, beside `budget`"),
  requiredTags: z.array(tagName).max(TAGS_MAX).optional().describe(
    "Names of tags without which a call is refused",
  ),
  requiredUser: z.boolean().optional().describe("True: a call without a user is refused"),
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
  wallet: z.enum(WALLET_SIGHTS).optional().describe(
    "Sight of the wallet for the key's holder at /api/v1/key: shown, which is the default, or hidden",
  ),
  files: strict({
    files: roomUpTo("files").describe("Number of files of the wallet"),
    bytes: roomUpTo("bytes").describe("Size of all files of the wallet, in bytes"),
    stores: roomUpTo("stores").describe("Number of vector stores that callers of the wallet made"),
    textBytes: roomUpTo("textBytes").describe("Text in those vector stores, in UTF-8 bytes"),
    requestsPerMinute: roomUpTo("requestsPerMinute", 1)
      .describe("Requests to files and vector stores that the key may make in a minute"),
  }).optional().describe("Room for files and vector stores: up to these the key may add some"),
  embeddings: embeddingChoice.optional().describe(
    "The embedding model of the key; without it, the model of its first call stays",
  ),
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
  const listed = Object.entries(known).flatMap(([field, names]) => {
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
  return [...listed, ...unknownEmbeddings(written["embeddings"], catalog)];
}

/** Returns a complaint about an embedding model that the catalog does not offer. */
function unknownEmbeddings(written: unknown, { models }: Catalog): readonly Complaint[] {
  const { model } = Object(written);
  const offered = models.filter(({ endpoints }) => endpoints.includes("embeddings"))
    .map(({ id }) => id);
  if (typeof model !== "string" || offered.includes(model)) return [];
  const near = suggestion(model, offered);
  return [{
    path: ["policy", "embeddings", "model"],
    message: `The catalog has no model "${model}" with the endpoint "embeddings"${near}`,
  }];
}
