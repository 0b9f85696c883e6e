/**
 * The largest statistics that one wallet can have, for measurements: every bound is reached.
 *
 * @module
 */

import type { Catalog, Model } from "../../../gateway/domain/catalog/catalog.ts";
import { Additions } from "../../../gateway/domain/learning/additions.ts";
import type { SnapshotContext } from "../../../gateway/domain/learning/snapshot.ts";
import {
  AUDITS_MAX,
  OUTCOME_SOURCES,
  type OutcomeSource,
  SAMPLES_MAX,
  TASKS_PER_WALLET_MAX,
  type WalletStatistics,
} from "../../../gateway/domain/learning/statistics.ts";
import { randomOf } from "../public_eval/random.ts";

/** Time of all additions, Unix time in milliseconds. */
export const NOW_MS = Date.UTC(2026, 0, 1);

/** Models of one audit: the best one and four cheap ones. */
const PANEL = 5;

/** Size of the statistics. */
export interface Extent {
  /** Models of the catalog. */
  readonly models: number;
  /** Tasks of the wallet; at most {@linkcode TASKS_PER_WALLET_MAX}. */
  readonly tasks: number;
  /** Models with outcomes at each task. */
  readonly modelsPerTask: number;
  /** Sources of those outcomes. */
  readonly sources: readonly OutcomeSource[];
}

/** The largest extent: every bound is reached, three models have outcomes of each source. */
export const FULL: Extent = {
  models: 20,
  tasks: TASKS_PER_WALLET_MAX,
  modelsPerTask: 3,
  sources: OUTCOME_SOURCES,
};
/** A common extent: two models have votes and implicit outcomes. */
export const COMMON: Pick<Extent, "modelsPerTask" | "sources"> = {
  modelsPerTask: 2,
  sources: ["feedback", "implicit"],
};

/** Returns the fingerprint of a task. */
export function taskAt(at: number): string {
  return (0x9e3779b97f4a7c15n * BigInt(at + 1) & 0xffffffffffffffffn).toString(16).padStart(
    16,
    "0",
  );
}

/** Returns a catalog whose models cost more the better they are. */
export function catalogWith(models: number): Catalog {
  return {
    version: 1,
    updatedAtMs: NOW_MS,
    upstreams: [{
      id: "bench",
      kind: "openai-compatible",
      provider: "bench",
      maxInFlight: 100,
      onDisconnect: "cancel",
      timeouts: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 },
    }],
    models: Array.from({ length: models }, (_, at) => modelAt(at, models)),
    tiers: [{
      id: "all",
      creditsPerUsd: "1000",
      models: "*",
      orchestration: "off",
      name: { en: "All", zh: "全部" },
      description: { en: "All", zh: "全部" },
    }],
  };
}

function modelAt(at: number, models: number): Model {
  const id = `model-${at}`;
  const price = (0.1 * 1.3 ** at).toFixed(4);
  return {
    id,
    name: id,
    upstream: "bench",
    upstreamModel: id,
    endpoints: ["chat"],
    quality: 0.4 + 0.55 * at / models,
    contextTokens: 200_000,
    maxOutputTokens: 16_000,
    featureTags: ["json", "tools"],
    industryPacks: [],
    sku: "text",
    price: { inputPerMTok: price, outputPerMTok: price, currency: "USD" },
    description: { en: id, zh: id },
    disabled: false,
  };
}

/** Returns statistics with outcomes of every source, samples and audits, by wallet. */
export function fullStatistics(
  walletId: string,
  { models, tasks, modelsPerTask, sources }: Extent,
  seed = 1,
): ReadonlyMap<string, WalletStatistics> {
  const random = randomOf(seed);
  const additions = new Additions();
  const options = Array.from(
    { length: models },
    (_, at) => [`model-${at}`, 1.3 ** (at + 1 - models)] as const,
  );
  const noteServed = (task: string, model: string, isSampled: boolean) =>
    additions.noteServed({
      ...{ walletId, task, model, atMs: NOW_MS, charged: 0.2 * random() },
      ...{ bestFactor: 1 + random(), cheapestFactor: random() },
      sample: isSampled
        ? { task, load: 0.5 + random(), price: random(), spent: random(), options }
        : undefined,
    });
  for (let at = 0; at < tasks; at++) {
    for (let model = 0; model < modelsPerTask; model++) {
      const id = `model-${(at + model * 7) % models}`;
      noteServed(taskAt(at), id, at < SAMPLES_MAX && model === 0);
      for (const source of sources) {
        const score = random() < 0.8 ? 1 : 0;
        const outcome = { source, score, weight: 1, load: 0.5 + random() };
        additions.noteOutcome({ walletId, task: taskAt(at), model: id, atMs: NOW_MS, ...outcome });
      }
    }
  }
  for (let at = 0; at < AUDITS_MAX; at++) {
    noteAudit(additions, walletId, random, { at, models, tasks });
  }
  return additions.byWallet();
}

/** Adds an audit of the best model and of cheap ones. */
function noteAudit(
  additions: Additions,
  walletId: string,
  random: () => number,
  { at, models, tasks }: { readonly at: number; readonly models: number; readonly tasks: number },
): void {
  const answers = Array.from({ length: PANEL }, (_, position) => ({
    model: `model-${position === 0 ? models - 1 : (position * 2) % models}`,
    group: position === 0 || random() < 0.7 ? 0 : position,
    cost: random(),
  }));
  const audit = { task: taskAt(at % tasks), load: 0.5 + random(), answers };
  additions.noteAudit(walletId, audit, NOW_MS);
}

/** Returns the facts of the catalog that snapshots rest on. */
export function contextOf(catalog: Catalog, nowMs = NOW_MS): SnapshotContext {
  const qualities = new Map(catalog.models.map(({ id, quality }) => [id, quality]));
  return { nowMs, qualityOf: (model) => qualities.get(model), sources: OUTCOME_SOURCES };
}
