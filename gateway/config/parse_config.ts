/**
 * Parses the text of a configuration file into the content of a catalog.
 *
 * @module
 */

import {
  ASSUMED_OUTPUT_TOKENS,
  type CatalogContent,
  embedsOnly,
  type Model,
  type UpstreamConfig,
  writesText,
} from "../domain/catalog/catalog.ts";
import { z } from "zod";
import { dialOfWeights, formerWeightsText } from "../domain/routing/dial.ts";
import type { AutoSettings } from "../domain/routing/auto.ts";
import { ConfigError } from "./config_error.ts";
import { jsonPlace } from "./json_place.ts";
import { listPrice } from "./list_price.ts";
import { priceSourceOf } from "./price_source.ts";
import { providerOf } from "../upstreams/providers/provider_kinds.ts";
import { entriesOf, referenceProblems } from "./references.ts";
import {
  type ConfigFile,
  type ConfigModel,
  configSchema,
  type ConfigUpstream,
  modelSchema,
  searchSchema,
  upstreamSchema,
} from "./schema.ts";
import { embeddingsProblem, endpointProblems, upstreamProblems } from "./upstream_problems.ts";

/** A valid configuration file. */
export interface Configuration {
  /** Content of the next version of the catalog. */
  readonly content: CatalogContent;
  /** Retention of finished requests. */
  readonly requestLog?: { readonly keepDays: number; readonly keepRequests: number } | undefined;
  /** Retention of stored responses, by time and by total size. */
  readonly responses?: { readonly keepDays: number; readonly keepMegabytes: number } | undefined;
  /** Sentences about settings of an earlier version, each with the setting to write instead. */
  readonly notices: readonly string[];
}

/** Options of {@linkcode parseConfig}. */
export interface ParseConfigOptions {
  /** Name of the file in errors. */
  readonly fileName: string;
  /** Time that list prices are for, in Unix milliseconds. @default {now} */
  readonly nowMs?: number | undefined;
}

/**
 * Reads a configuration file.
 *
 * @throws {ConfigError} with every problem that was found.
 */
export async function parseConfig(
  text: string,
  options: ParseConfigOptions,
): Promise<Configuration> {
  const { fileName } = options;
  const written = parseJson(withoutMark(text), fileName);
  const parsed = configSchema.safeParse(written);
  const file = parsed.data;
  const parts = file ?? readableParts(written);
  const problems = parsed.error?.issues.toSorted(byCause).map(problemOf) ?? [];
  problems.push(...crossCheck(parts), ...referenceProblems(written));
  const upstreams = parts.upstreams.map((upstream) => upstream && upstreamOf(upstream));
  const nowMs = options.nowMs ?? Date.now();
  const models: Model[] = [];
  for (const [index, written] of parts.models.entries()) {
    const upstream = upstreams.find((candidate) => candidate?.id === written?.upstream);
    // Without its upstream, a model has no known list price.
    if (written === undefined || (file ?? upstream) === undefined) continue;
    const model = await completeModel(written, { upstream, nowMs });
    if (model.ok) models.push(model.value);
    else problems.push(...model.problems.map((problem) => `models.${index}.${problem}`));
  }
  if (file === undefined || problems.length > 0) throw new ConfigError(fileName, problems);

  return {
    content: {
      upstreams: file.upstreams.map(upstreamOf),
      models,
      tiers: file.tiers,
      auto: autoOf(file),
      search: file.search,
      vectorStores: file.vectorStores,
      limits: file.limits,
    },
    requestLog: file.requestLog,
    responses: file.responses,
    notices: noticesOf(file, fileName),
  };
}

function noticesOf({ auto, scoring }: ConfigFile, fileName: string): string[] {
  if (scoring === undefined) return [];
  if (auto?.dial === undefined) return [formerWeightsText(scoring, fileName)];
  return [`The former "scoring" of ${fileName} has no effect beside "auto.dial": remove it`];
}

/** Returns the settings of routing: `auto`, or the position of the dial that former weights stand for. */
function autoOf({ auto, scoring }: ConfigFile): AutoSettings | undefined {
  if (scoring === undefined || auto?.dial !== undefined) return auto;
  return { ...auto, dial: dialOfWeights(scoring) };
}

/** Orders misspelt names first, because a missing member may be a misspelt one. */
function byCause(one: z.core.$ZodIssue, other: z.core.$ZodIssue): number {
  return Number(other.code === "unrecognized_keys") - Number(one.code === "unrecognized_keys");
}

function problemOf({ path, message }: z.core.$ZodIssue): string {
  const sentence = message.replace(
    /^Invalid input: expected .*, received undefined$/,
    "It is missing",
  )
    .replace(/^Invalid input: /, "");
  return path.length === 0 ? sentence : `${path.join(".")}: ${sentence}`;
}

/** Removes the byte order mark of Windows editors, which is no JSON. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

function parseJson(text: string, fileName: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const place = jsonPlace(text, error);
    throw new ConfigError(fileName, [`It is not JSON at ${place}`]);
  }
}

/** The valid parts of a file; `undefined` in place of invalid entries. */
type Parts =
  & { readonly [List in "upstreams" | "models"]: readonly (ConfigFile[List][number] | undefined)[] }
  & Pick<ConfigFile, "search" | "vectorStores">;

/** Returns the valid parts of a file with mistakes, so that all mistakes are reported at once. */
function readableParts(written: unknown): Parts {
  const { search } = z.object({ search: searchSchema.optional() }).safeParse(written).data ?? {};
  return {
    upstreams: entriesOf(written, "upstreams").map((one) => upstreamSchema.safeParse(one).data),
    models: entriesOf(written, "models").map((one) => modelSchema.safeParse(one).data),
    search,
  };
}

/** Returns the problems that involve more than one field. */
function crossCheck(parts: Parts): string[] {
  const problems: string[] = [];
  for (const [index, upstream] of parts.upstreams.entries()) {
    if (upstream === undefined) continue;
    problems.push(...upstreamProblems(upstream).map((one) => `upstreams.${index}.${one}`));
  }
  problems.push(...searchProblems(parts.search), ...embeddingsProblem(parts));
  for (const [index, model] of parts.models.entries()) {
    const upstream = parts.upstreams.find((one) => one !== undefined && one.id === model?.upstream);
    if (model === undefined || upstream === undefined) continue;
    problems.push(...endpointProblems(model, upstream.kind).map((one) => `models.${index}.${one}`));
  }
  return problems;
}

function searchProblems(search: ConfigFile["search"]): string[] {
  if (search?.kind !== "brave" && search?.kind !== "tavily") return [];
  const { apiKey, apiKeyEnv, kind } = search;
  if (apiKey === undefined && apiKeyEnv === undefined) {
    return [
      `search.apiKeyEnv: A search of kind "${kind}" needs a key, or the name of its variable`,
    ];
  }
  return apiKey !== undefined && apiKeyEnv !== undefined
    ? ["search.apiKey: Give either the key or the name of its variable"]
    : [];
}

function upstreamOf(written: ConfigUpstream): UpstreamConfig {
  const provider = providerOf(written.kind);
  // Prices of OpenAI's wire format are looked up by address.
  const known = provider?.protocol.name === "openai" ? provider.defaultBaseUrl : undefined;
  const baseUrl = written.baseUrl ?? known;
  return { ...written, provider: written.provider ?? written.id, baseUrl };
}

type Completed =
  | { readonly ok: true; readonly value: Model }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Fills in missing members, from the price list where they must be known. */
async function completeModel(
  written: ConfigModel,
  context: { readonly upstream: UpstreamConfig | undefined; readonly nowMs: number },
): Promise<Completed> {
  const upstreamModel = written.upstreamModel ?? written.id;
  const embeds = embedsOnly(written);
  const draws = !writesText(written) && !embeds;
  const complete = written.price !== undefined && (written.contextTokens !== undefined || draws);
  const { upstream } = context;
  const listed = complete || upstream === undefined ? undefined : await listPrice(
    upstreamModel,
    { ...priceSourceOf(upstream, context.nowMs), embeds },
  );
  const price = written.price ?? listed?.price;
  const contextTokens = written.contextTokens ?? listed?.contextTokens ??
    (draws ? ASSUMED_OUTPUT_TOKENS : undefined);

  const unknown = `is not in the price list for "${upstreamModel}"; write it down`;
  const problems: string[] = [];
  if (price === undefined) problems.push(`price: The price ${unknown}`);
  if (contextTokens === undefined) problems.push(`contextTokens: The context ${unknown}`);
  const { maxOutputTokens } = written;
  if (contextTokens !== undefined && (maxOutputTokens ?? 0) > contextTokens) {
    problems.push(`maxOutputTokens: ${maxOutputTokens} is more than the context holds`);
  }
  if (price === undefined || contextTokens === undefined || problems.length > 0) {
    return { ok: false, problems };
  }
  const name = written.name ?? written.id;
  const value: Model = {
    ...written,
    name,
    upstreamModel,
    contextTokens,
    sku: written.sku ?? (draws ? "image" : embeds ? "embedding" : "text"),
    price,
    description: written.description ?? { en: name, zh: name },
  };
  return { ok: true, value };
}
