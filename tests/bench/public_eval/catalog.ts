/**
 * The catalog that a set of questions stands for.
 *
 * @module
 */

import type { Catalog, Model } from "../../../gateway/domain/catalog/catalog.ts";
import type { Wallet } from "../../../gateway/domain/ledger/ledger.ts";
import { expectedOutputTokens } from "../../../gateway/domain/routing/value.ts";
import { TYPICAL_DIFFICULTY } from "../../../gateway/domain/routing/difficulty.ts";
import type { QuestionSet } from "./data.ts";
import { publishedQuality } from "./published_quality.ts";

/** Time of all decisions, Unix time in milliseconds. */
export const NOW_MS = Date.UTC(2026, 0, 1);

/** Source of the qualities of a catalog. */
export type QualitySource = "the file" | "published scores" | "the training half";

/** Qualities of the models of a set, in their order. */
export interface Qualities {
  readonly source: QualitySource;
  readonly values: readonly number[];
  /** Models without a published score: the median of the others stands for it. */
  readonly assumed: readonly string[];
}

/** Returns the mean of numbers; 0 of none. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/**
 * Returns the qualities of the catalog: those of the file; else published scores, where at least
 * half of the models have one; else the means of the training half, rounded to two places.
 */
export function qualitiesOf(set: QuestionSet, training: readonly number[]): Qualities {
  if (set.quality !== undefined) return { source: "the file", values: set.quality, assumed: [] };
  const published = set.models.map(publishedQuality);
  const known = published.filter((quality) => quality !== undefined).sort();
  if (known.length * 2 >= set.models.length) {
    const median = known[Math.floor(known.length / 2)] ?? 0.5;
    return {
      source: "published scores",
      values: published.map((quality) => quality ?? median),
      assumed: set.models.filter((_, at) => published[at] === undefined),
    };
  }
  const values = set.models.map((_, model) =>
    Math.round(100 * meanOf(training.map((at) => set.questions[at]?.y[model] ?? 0))) / 100
  );
  return { source: "the training half", values, assumed: [] };
}

/**
 * Returns the catalog of a set: the price of an output token is the mean cost of the training half,
 * divided by the output that routing expects of a typical request; an input token costs a quarter
 * of it. `exploration` is the share of requests that try another model.
 */
export function catalogOf(
  set: QuestionSet,
  { training, qualities, exploration }: {
    readonly training: readonly number[];
    readonly qualities: readonly number[];
    readonly exploration: number;
  },
): Catalog {
  const tokens = expectedOutputTokens(TYPICAL_DIFFICULTY);
  const models = set.models.map((id, model): Model => {
    const cost = meanOf(training.map((at) => set.questions[at]?.c[model] ?? 0));
    return modelOf(id, qualities[model] ?? 0, cost / tokens);
  });
  return {
    version: 1,
    updatedAtMs: NOW_MS,
    upstreams: [{
      id: "replay",
      kind: "simulator",
      provider: "replay",
      maxInFlight: 1,
      onDisconnect: "cancel",
      timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
    }],
    models,
    tiers: [{
      id: "all",
      creditsPerUsd: "1000",
      models: "*",
      orchestration: "off",
      name: { en: "All", zh: "全部" },
      description: { en: "All", zh: "全部" },
    }],
    auto: { exploration },
  };
}

function modelOf(id: string, quality: number, dollarsPerMTok: number): Model {
  return {
    id,
    name: id,
    upstream: "replay",
    upstreamModel: id,
    endpoints: ["chat"],
    quality,
    contextTokens: 200_000,
    maxOutputTokens: 16_000,
    featureTags: [],
    industryPacks: [],
    sku: "text",
    price: {
      inputPerMTok: (dollarsPerMTok / 4).toFixed(6),
      outputPerMTok: dollarsPerMTok.toFixed(6),
      currency: "USD",
    },
    description: { en: id, zh: id },
    disabled: false,
  };
}

/** The wallet of all requests; its funds exclude no model. */
export const WALLET: Wallet = {
  id: "eval",
  tier: "all",
  credits: 10n ** 15n,
  available: 10n ** 15n,
  held: 0n,
  spent: 0n,
  writtenOff: 0n,
  createdAtMs: NOW_MS,
};
