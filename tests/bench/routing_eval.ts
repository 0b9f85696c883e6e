/**
 * Cost and quality of the router beside always-cheapest and always-best, over labelled prompts:
 *
 * ```sh
 * deno task eval
 * ```
 *
 * The labels say for each prompt how hard it is and which of three levels of quality would give an
 * adequate answer. They are judgements of our own, and the words that tell difficulty apart were
 * written by the same hand: this shows that routing does what it is meant to, and whether a change
 * of the weights helps or harms, not how good any real model is.
 *
 * @module
 */

import type { Catalog, Model } from "../../gateway/domain/catalog/catalog.ts";
import { chatFeatures, type RequestFeatures } from "../../gateway/domain/requests/features.ts";
import type { Wallet } from "../../gateway/domain/ledger/ledger.ts";
import { route } from "../../gateway/domain/routing/route.ts";
import { expectedOutputTokens } from "../../gateway/domain/routing/value.ts";
import { likelyInputTokens } from "../../gateway/domain/requests/token_estimate.ts";
import prompts from "../fixtures/routing_prompts.json" with { type: "json" };

/** The result of a way of choosing. */
export interface Outcome {
  readonly name: string;
  /** Share of prompts answered adequately, 0 to 1. */
  readonly adequate: number;
  /** Dollars for a thousand prompts. */
  readonly dollars: number;
  /** {@linkcode adequate}, less {@linkcode COST_WEIGHT} times the cost relative to always-best. */
  readonly value: number;
}

/** The value of the whole cost of always-best in adequate answers: half of them. */
export const COST_WEIGHT = 0.5;

const LEVELS = ["small", "middle", "large"] as const;
const NOW_MS = Date.UTC(2026, 0, 1);

function level(id: string, quality: number, dollars: readonly [string, string]): Model {
  const [inputPerMTok, outputPerMTok] = dollars;
  return {
    id,
    name: id,
    upstream: "pool",
    upstreamModel: `gpt-${id}`,
    endpoints: ["chat"],
    quality,
    contextTokens: 200_000,
    maxOutputTokens: 16_000,
    featureTags: [],
    industryPacks: [],
    sku: "text",
    price: { inputPerMTok, outputPerMTok, currency: "USD" },
    description: { en: id, zh: id },
    disabled: false,
  };
}

const CATALOG: Catalog = {
  version: 1,
  updatedAtMs: NOW_MS,
  upstreams: [{
    id: "pool",
    kind: "simulator",
    provider: "pool",
    maxInFlight: 1,
    onDisconnect: "cancel",
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
  }],
  models: [
    level("small", 0.45, ["0.10", "0.40"]),
    level("middle", 0.65, ["0.50", "2.00"]),
    level("large", 0.9, ["2.50", "10.00"]),
  ],
  tiers: [{
    id: "all",
    creditsPerUsd: "1000",
    models: "*",
    orchestration: "off",
    name: { en: "All", zh: "全部" },
    description: { en: "All", zh: "全部" },
  }],
};

const WALLET: Wallet = {
  id: "eval",
  tier: "all",
  credits: 10n ** 15n,
  available: 10n ** 15n,
  held: 0n,
  spent: 0n,
  writtenOff: 0n,
  createdAtMs: NOW_MS,
};

function featuresOf(prompt: string): RequestFeatures {
  return chatFeatures({ model: "auto", messages: [{ role: "user", content: prompt }] });
}

function routed(features: RequestFeatures): string {
  const plan = route({
    catalog: CATALOG,
    features,
    policy: {},
    wallet: WALLET,
    budget: {},
    pool: new Map(),
    seed: 0,
    nowMs: NOW_MS,
  });
  return plan.ok ? plan.candidates[0]?.model.id ?? "" : "";
}

/** The cost of an answer by the label's difficulty, so that our own estimate favours no way of choosing. */
function dollarsOf(choice: string, features: RequestFeatures, label: string): number {
  const model = CATALOG.models.find((one) => one.id === choice);
  if (model === undefined) return 0;
  const hardness = label === "easy" ? 0 : label === "medium" ? 0.5 : 1;
  const input = likelyInputTokens(features) * Number(model.price.inputPerMTok);
  return (input + expectedOutputTokens(hardness) * Number(model.price.outputPerMTok)) / 1e6;
}

function totalsOf(choose: (features: RequestFeatures) => string) {
  let adequate = 0;
  let dollars = 0;
  for (const { prompt, difficulty, adequate: enough } of prompts) {
    const features = featuresOf(prompt);
    const choice = choose(features);
    if (enough[LEVELS.findIndex((name) => name === choice)] === true) adequate++;
    dollars += dollarsOf(choice, features, difficulty);
  }
  return { adequate: adequate / prompts.length, dollars: dollars * 1_000 / prompts.length };
}

/** Runs every prompt through each way of choosing. */
export function evaluateRouting(): readonly Outcome[] {
  const dearest = totalsOf(() => "large").dollars;
  const ways = {
    router: routed,
    "always cheapest": () => "small",
    "always middle": () => "middle",
    "always best": () => "large",
  };
  return Object.entries(ways).map(([name, choose]) => {
    const { adequate, dollars } = totalsOf(choose);
    return { name, adequate, dollars, value: adequate - COST_WEIGHT * dollars / dearest };
  });
}

/** Mean difficulty that the router sees in the prompts of each label. */
export function difficultyByLabel(): ReadonlyMap<string, number> {
  const labels = new Map<string, number[]>();
  for (const { prompt, difficulty } of prompts) {
    labels.set(difficulty, [...labels.get(difficulty) ?? [], featuresOf(prompt).difficulty]);
  }
  return new Map(
    [...labels].map(([label, all]) => [label, all.reduce((a, b) => a + b, 0) / all.length]),
  );
}

if (import.meta.main) {
  const row = (cells: readonly string[]) =>
    console.log(
      cells.map((cell, index) => index === 0 ? cell.padEnd(16) : cell.padStart(12)).join(""),
    );
  console.log(`${prompts.length} prompts`);
  row(["", "adequate", "$ per 1000", "value"]);
  for (const { name, adequate, dollars, value } of evaluateRouting()) {
    row([name, `${(adequate * 100).toFixed(1)} %`, dollars.toFixed(3), value.toFixed(3)]);
  }
  const means = [...difficultyByLabel()].map(([label, mean]) => `${label} ${mean.toFixed(2)}`);
  console.log(`Mean difficulty seen: ${means.join(", ")}`);
}
