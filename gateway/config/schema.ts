/**
 * The configuration file as zod schemas. Unknown names are refused, with the nearest valid one.
 *
 * @module
 */

import { z } from "zod";
import { OUTPUT_LIMIT_FIELDS } from "../domain/catalog/catalog.ts";
import { isMetadataHost } from "../domain/catalog/metadata_address.ts";
import { decimalPattern } from "../domain/ledger/money.ts";
import { PRICE_PLACES, RATE_PLACES } from "../domain/ledger/pricing.ts";
import { OUTCOME_SOURCES } from "../domain/learning/statistics.ts";
import { DEFAULT_LIMITS } from "../domain/limits/service_limits.ts";
import { MAX_DIMENSIONS } from "../domain/policy/embedding_pin.ts";
import { ENDPOINTS } from "../domain/requests/endpoints.ts";
import { SHARE_MAX } from "../domain/routing/auto.ts";
import { dialOf } from "../domain/routing/dial.ts";
import { PROVIDERS } from "../upstreams/providers/provider_kinds.ts";
import { nearestName } from "./nearest_name.ts";

/** Kinds of upstreams. */
export const UPSTREAM_KINDS: readonly string[] = PROVIDERS.map(({ kind }) => kind);

/** Returns a schema of an object that refuses unknown names. */
function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const keys: readonly string[] = issue.keys;
      return keys.map((key) => {
        const near = nearestName(key, names);
        return `Unknown name "${key}"${
          near === undefined ? "" : `, the nearest valid one is "${near}"`
        }`;
      }).join(", ");
    },
  });
}

// An id of dots only could not be part of an address.
const id = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._/-]{1,128}$/, {
  error: "An id is 1 to 128 of A-Z a-z 0-9 . _ / -, and no dots alone",
});
const text = z.string("Write a text").min(1, "Write a text").max(2_000);
const localized = strict({ en: text, zh: text });
const count = wholeNumber(1, 1_000_000_000);
const milliseconds = wholeNumber(1, 3_600_000);
const weight = z.number().min(0).max(1_000);

function wholeNumber(least: number, most: number) {
  const error = `Write a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

const DOLLARS = `Write dollars as a decimal string with at most ${PRICE_PLACES} places after at ` +
  'most 15 digits, such as "0.25"';
const dollars = z.string(DOLLARS)
  .regex(new RegExp(decimalPattern(PRICE_PLACES)), { error: DOLLARS });
const RATE =
  `Write credits as a decimal string above 0 with at most ${RATE_PLACES} places, such as "1000"`;
const rate = z.string(RATE)
  .regex(new RegExp(decimalPattern(RATE_PLACES)), { error: RATE })
  .regex(/[1-9]/, { error: RATE });

const httpUrl = z.string().refine(isPlainHttpUrl, {
  error: "Write an http or https address without user name, query or fragment",
}).refine((value) => !isMetadataHost(URL.parse(value)?.hostname ?? ""), {
  error: "Write another address: this one is link-local or a cloud's metadata service",
}).meta({ pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?:[^?#]+$` });

function isPlainHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

/** A key in place of its variable's name would be shown wherever the variable is named. */
const KEY_ITSELF =
  /^(?=.*\d)(?=.*[a-z])(?:(?:sk|gsk|xai|hf|svc|tvly|gh[opsur])_\w{8}|AIza\w{20}|[A-Za-z0-9]{28})|^A[KS]IA[A-Z0-9]{16}$/;
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
  error: "Write the name of an environment variable",
}).refine((name) => !KEY_ITSELF.test(name), {
  error: "Write the name of an environment variable, not the key itself",
});

// Both become part of an address and must not be able to change its host.
const hostLabel = z.string().regex(/^[A-Za-z0-9-]{1,63}$/, {
  error: "Write 1 to 63 of A-Z a-z 0-9 -",
});
const hostName = z.string().regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, {
  error: "Write a host name in lower case, as in baseUrl",
});
const pathPart = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9:._-]{0,127}$/, {
  error: "Write 1 to 128 of A-Z a-z 0-9 : . _ -, the first a letter or digit",
});

/** One upstream. */
export const upstreamSchema = strict({
  id,
  kind: z.enum(UPSTREAM_KINDS, {
    error: () => `Kind is one of ${UPSTREAM_KINDS.map((kind) => `"${kind}"`).join(", ")}`,
  }),
  provider: id.optional(),
  baseUrl: httpUrl.optional(),
  apiKeyEnv: variableName.optional(),
  apiKey: z.string().min(1).optional(),
  credentialsFileEnv: variableName.optional(),
  accessKeyIdEnv: variableName.optional(),
  secretAccessKeyEnv: variableName.optional(),
  sessionTokenEnv: variableName.optional(),
  region: hostLabel.optional(),
  project: pathPart.optional(),
  resourceName: hostLabel.optional(),
  apiVersion: pathPart.optional(),
  outputLimitField: z.enum(OUTPUT_LIMIT_FIELDS).optional(),
  maxInFlight: wholeNumber(1, 100_000).default(200),
  onDisconnect: z.enum(["cancel", "drain"]).default("cancel"),
  trustedHost: hostName.optional(),
  timeouts: strict({
    connectMs: milliseconds.default(5_000),
    firstByteMs: milliseconds.default(300_000),
    idleMs: milliseconds.default(60_000),
  }).prefault({}),
});

const price = strict({
  inputPerMTok: dollars,
  cachedInputPerMTok: dollars.optional(),
  cacheWriteInputPerMTok: dollars.optional(),
  imageInputPerMTok: dollars.optional(),
  outputPerMTok: dollars,
  perImage: dollars.optional(),
  perWebSearch: dollars.optional(),
  currency: z.literal("USD").default("USD"),
});

const QUALITY = "Write a number from 0 to 1";
/** One model. */
export const modelSchema = strict({
  id,
  name: text.optional(),
  upstream: id,
  upstreamModel: text.optional(),
  endpoints: z.array(z.enum(ENDPOINTS))
    .min(1, "Name at least one endpoint").default(["chat", "responses"]),
  quality: z.number(QUALITY).min(0, QUALITY).max(1, QUALITY),
  contextTokens: count.optional(),
  maxOutputTokens: count.optional(),
  featureTags: z.array(id).default([]),
  industryPacks: z.array(id).default([]),
  sku: id.optional(),
  price: price.optional(),
  description: localized.optional(),
  disabled: z.boolean().default(false),
});

/** A position of the dial: a number from 0 to 1, or a name. */
export const dialSchema = z.union([z.number(), z.string()]).transform((value, context) => {
  const dial = dialOf(value);
  if (dial !== undefined) return dial;
  const message = "Write a number from 0 to 1, or economy, balanced or best";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}).pipe(z.number().min(0).max(1));

const tier = strict({
  id,
  creditsPerUsd: rate,
  models: z.union([z.literal("*"), z.array(id)], {
    error: 'Write "*" for all models, or a list of model ids',
  }),
  orchestration: z.enum(["off", "auto", "always"]).default("auto"),
  dial: dialSchema.optional(),
  name: localized,
  description: localized,
});

const SEARCH_KINDS = ["searxng", "brave", "tavily", "offline"] as const;
const searchKey = { apiKeyEnv: variableName.optional(), apiKey: z.string().min(1).optional() };

/** The search server. */
export const searchSchema = z.discriminatedUnion("kind", [
  strict({ kind: z.literal("searxng"), baseUrl: httpUrl, pricePerSearch: dollars.default("0") }),
  strict({
    kind: z.literal("brave"),
    ...searchKey,
    baseUrl: httpUrl.default("https://api.search.brave.com"),
    // List price of the plan "Search", 5 dollars for 1,000 requests: https://brave.com/search/api
    pricePerSearch: dollars.default("0.005"),
  }),
  strict({
    kind: z.literal("tavily"),
    ...searchKey,
    baseUrl: httpUrl.default("https://api.tavily.com"),
    // A basic search is one credit, at the price without a plan:
    // https://docs.tavily.com/documentation/api-credits
    pricePerSearch: dollars.default("0.008"),
  }),
  strict({ kind: z.literal("offline"), pricePerSearch: dollars.default("0") }),
], { error: () => `Kind is one of ${SEARCH_KINDS.map((kind) => `"${kind}"`).join(", ")}` });

const vectorStores = strict({
  embeddings: strict({
    upstream: id,
    model: z.string().min(1).max(256),
    dimensions: z.int().min(1).max(MAX_DIMENSIONS).optional(),
  }).optional(),
});

const limits = strict({
  maxInFlight: z.int().min(1).max(100_000).default(DEFAULT_LIMITS.maxInFlight),
  queueMs: z.int().min(0).max(60_000).default(DEFAULT_LIMITS.queueMs),
  queueLength: z.int().min(0).max(100_000).default(DEFAULT_LIMITS.queueLength),
  badKeysPerMinute: z.int().min(0).max(1_000_000).default(DEFAULT_LIMITS.badKeysPerMinute),
  bodyMegabytes: z.int().min(1).max(1_000_000).default(DEFAULT_LIMITS.bodyMegabytes),
  bodyMegabytesPerKey: z.int().min(1).max(1_000_000).default(DEFAULT_LIMITS.bodyMegabytesPerKey),
});

const shareError = `Write a number from 0 to ${SHARE_MAX}`;
const share = z.number({ error: shareError }).min(0, { error: shareError })
  .max(SHARE_MAX, { error: shareError });

const autoSettings = strict({
  dial: dialSchema.optional(),
  exploration: share.optional(),
  sources: z.array(z.enum(OUTCOME_SOURCES)).max(OUTCOME_SOURCES.length).optional(),
  audits: strict({
    share: share.default(0),
    dailyBudget: z.string().regex(new RegExp(decimalPattern(RATE_PLACES)), {
      error: 'Write an amount of credits as a text, such as "100"',
    }),
    wallet: z.string().min(1).max(128),
    judge: id.optional(),
  }).optional(),
});

/** The whole file. */
export const configSchema = strict({
  upstreams: z.array(upstreamSchema).min(1, { error: "Name at least one upstream" }),
  models: z.array(modelSchema).min(1, { error: "Name at least one model" }),
  tiers: z.array(tier).min(1, { error: "Name at least one tier" }),
  auto: autoSettings.optional(),
  scoring: strict({ quality: weight, price: weight, latency: weight })
    .refine((weights) => weights.quality + weights.price + weights.latency > 0, {
      error: "At least one weight is above 0",
    }).optional().describe("Former weights of routing; `auto.dial` takes their place"),
  search: searchSchema.optional(),
  vectorStores: vectorStores.optional(),
  limits: limits.optional(),
  requestLog: strict({
    keepDays: z.int().min(1).max(3_650).default(30),
    keepRequests: z.int().min(1).max(100_000_000).default(1_000_000),
  }).optional(),
  responses: strict({
    keepDays: z.int().min(1).max(3_650).default(30),
    keepMegabytes: z.int().min(1).max(1_000_000).default(1_024),
  }).optional(),
});

/** The file with defaults filled in. */
export type ConfigFile = z.infer<typeof configSchema>;
/** An upstream with defaults filled in. */
export type ConfigUpstream = ConfigFile["upstreams"][number];
/** A model with defaults filled in. */
export type ConfigModel = ConfigFile["models"][number];
